/* disk.c: what is asked of block devices? Every request, from the kernel's own events. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/units.h"
#include "bpf/shared.h"
#include "disk.skel.h"
#include "recorders/bpf_source.h"
#include "recorders/bpf_support.h"
#include "recorders/recorders.h"
#include "recorders/tally.h"

#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

/* A device that was seen. */
struct device {
	uint32_t number;
	location_id place;
};

struct disk_state {
	struct disk_bpf *programs;
	struct bpf_source source;
	bool latency, devices_shown;
	struct tally tally;
	location_id kinds[REQUEST_KINDS], queued;
	VECTOR(struct device) devices;
	uint64_t delivered;
	uint64_t kernel_requests, kernel_bytes; /* of threads of the kernel, of these */
};

static const char *const kind_frames[REQUEST_KINDS] = {
	[REQUEST_READ] = "[read]",
	[REQUEST_WRITE] = "[write]",
	[REQUEST_DISCARD] = "[discard]",
	[REQUEST_FLUSH] = "[flush]",
};

/* ---- Setting up ---- */

/* As many as the ring has room for. */
static uint32_t requests_most(const struct record_options *o)
{
	uint64_t fitting = o->ring_bytes / sizeof(struct told_request);

	return !fitting || fitting > REQUESTS_MOST ? REQUESTS_MOST : (uint32_t)fitting;
}

static bool open_programs(struct disk_state *state, const struct session *s, struct error *err)
{
	const struct record_options *o = s->options;
	struct disk_bpf__rodata *constants;

	state->programs = disk_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "opening the programs for the kernel");
	constants = state->programs->rodata;
	bpf_source_ask(&state->source, s, "blk_mq_submit_bio", &constants->asked);
	if (o->reads || o->writes)
		constants->kinds = (unsigned)o->reads << REQUEST_READ | (unsigned)o->writes
										<< REQUEST_WRITE;
	bpf_map__set_max_entries(state->programs->maps.requests, requests_most(o));
	constants->wait_for_pages = bpf_source_waits_for_pages(
		&state->source, s, state->programs->progs.on_make, state->programs->maps.laters);
	bpf_map__set_max_entries(
		state->programs->maps.awaited, constants->wait_for_pages ? requests_most(o) : 1);
	state->source.programs = state->programs->skeleton;
	return true;
}

static location_id meta_location(struct profile *p, struct bytes name)
{
	return profile_location_named(p, profile_frame_named(p, name, FRAME_META));
}

static void add_streams(struct disk_state *state, struct session *s)
{
	struct profile *p = &s->profile;

	tally_open(&state->tally, s, &state->source,
		&(struct tally_kinds){.kind = BYTES("disk"),
			.unit = state->latency ? BYTES("ns") : BYTES("bytes"),
			.count = BYTES("requests"),
			.event = BYTES("requests"),
			.uneven = true});
	for (unsigned i = 0; i < REQUEST_KINDS; i++)
		state->kinds[i] = meta_location(p, bytes_of(kind_frames[i]));
	state->queued = meta_location(p, BYTES("[queued]"));
}

/* ---- Records ---- */

/* "sda1", as the system calls it, or its numbers. */
static location_id name_device(struct profile *p, uint32_t number)
{
	unsigned major = number >> 20, minor = number & 0xfffff;
	char path[64], target[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	len = readlink(path, target, sizeof(target));
	if (len > 0)
		return meta_location(p, bytes_base_name((struct bytes){target, (size_t)len}));
	snprintf(path, sizeof(path), "%u:%u", major, minor);
	return meta_location(p, bytes_of(path));
}

static location_id device_place(struct disk_state *state, uint32_t number)
{
	struct device device = {.number = number};

	for (size_t i = 0; i < state->devices.len; i++)
		if (state->devices.items[i].number == number)
			return state->devices.items[i].place;
	device.place = name_device(state->source.sampler.profile, number);
	vector_push(&state->devices, device);
	return device.place;
}

static bool add_request(struct disk_state *state, const struct told_request *told)
{
	struct profile *p = state->source.sampler.profile;
	struct sample sample = {.has = SAMPLE_PARTS,
		.time = told->made + told->queued,
		.cpu = told->cpu,
		.duration = told->took};

	if (told->kind >= REQUEST_KINDS)
		return false;
	sample.thread = processes_thread(
		state->source.sampler.processes, (int32_t)told->pid, (int32_t)told->tid);
	sample.stack =
		profile_stack(p, bpf_source_stack(&state->source, sample.thread, told->chunk),
			state->kinds[told->kind]);
	if (state->devices_shown)
		sample.stack = profile_stack(p, sample.stack, device_place(state, told->device));
	tally_add(&state->tally, &sample, (int64_t)(state->latency ? told->took : told->bytes), 1);
	if (state->latency && told->queued) {
		sample.stack = profile_stack(p, sample.stack, state->queued);
		sample.time = told->made;
		sample.duration = told->queued;
		tally_add(&state->tally, &sample, (int64_t)told->queued, 0);
	}
	state->delivered++;
	if (processes_is_kernel(state->source.sampler.processes, (int32_t)told->pid)) {
		state->kernel_requests++;
		state->kernel_bytes += told->bytes;
	}
	return true;
}

static size_t record_size(uint8_t told)
{
	return told == TOLD_REQUEST ? sizeof(struct told_request) : 0;
}

static uint64_t record_time(const void *record)
{
	const struct told_request *told = record;

	return told->made + told->queued + told->took;
}

static bool take(void *context, const void *record)
{
	return add_request(context, record);
}

static const struct bpf_records request_records = {record_size, record_time, take};

/* ---- The recorder ---- */

static bool disk_open(struct session *s, struct error *err)
{
	struct disk_state *state = memory_new(1, sizeof(*state));

	s->recorder_state = state;
	state->latency = s->options->latency;
	state->devices_shown = s->options->devices;
	bpf_source_init(&state->source, &request_records, state);
	if (!bpf_source_possible(s, err) || !open_programs(state, s, err) ||
		!bpf_source_open(&state->source, s, err))
		return false;
	add_streams(state, s);
	return true;
}

static bool disk_enable(struct session *s, struct error *err)
{
	struct disk_state *state = s->recorder_state;

	return bpf_source_enable(
		&state->source, s, "attaching to the kernel's requests to devices", err);
}

/* Those that have ended, and whose makers had not come back to tell all of their stack. */
static void take_awaited(struct disk_state *state)
{
	int fd = bpf_map__fd(state->programs->maps.awaited);
	struct request_awaited awaited;
	uint64_t number = 0;
	bool more = !bpf_map_get_next_key(fd, NULL, &number);

	for (; more; more = !bpf_map_get_next_key(fd, &number, &number))
		if (!bpf_map_lookup_elem(fd, &number, &awaited) && awaited.told.told)
			bpf_source_take(&state->source,
				(struct bytes){(const char *)&awaited.told, sizeof(awaited.told)});
}

static bool disk_drain(struct session *s, bool last, struct error *err)
{
	struct disk_state *state = s->recorder_state;

	(void)err;
	bpf_source_drain(&state->source, last);
	if (last) {
		take_awaited(state);
		bpf_source_track(&state->source, UINT64_MAX);
	}
	tally_settle(&state->tally);
	s->counts.delivered = state->delivered;
	session_count_stacks(s, &state->source.sampler);
	return true;
}

static void disk_stop(struct session *s)
{
	struct disk_state *state = s->recorder_state;

	bpf_source_disable(&state->source);
	bpf_source_collect(&state->source, state->programs->bss->later);
}

/* Who writes back what others wrote? */
static void tell_kernel(struct session *s, const struct disk_state *state, uint64_t others)
{
	struct buffer requests = {0}, bytes = {0};

	units_grouped(&requests, (int64_t)(others ? others : state->kernel_requests));
	units_human(&bytes, (int64_t)state->kernel_bytes, BYTES("bytes"));
	if (others)
		profile_note(&s->profile,
			"meanwhile threads of the kernel made %s requests, which write what any "
			"program wrote before: -a shows them",
			requests.at);
	else if (state->kernel_requests)
		profile_note(&s->profile,
			"%s of the requests, %s, are of threads of the kernel: they write what "
			"programs wrote before, and have no user stack",
			requests.at, bytes.at);
	buffer_release(&requests);
	buffer_release(&bytes);
}

static void disk_account(struct session *s)
{
	struct disk_state *state = s->recorder_state;
	uint64_t missed = bpf_source_missed(&state->source, "on_make") +
			  bpf_source_missed(&state->source, "on_issue") +
			  bpf_source_missed(&state->source, "on_complete");
	struct request_counts c;
	struct buffer merged = {0};

	bpf_source_counts(&state->source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	bpf_source_account(s, state->tally.stream, state->tally.streams,
		c.requests + c.unknown + missed,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"map full", c.map_full},
			{"no memory", c.unknown}, {"BPF recursion", missed}, {0}});
	if (c.merged) {
		units_grouped(&merged, (int64_t)c.merged);
		buffer_text(&merged, " requests, which count for those that made the others");
		profile_set_meta(&s->profile, BYTES("merged"), buffer_bytes(&merged));
	}
	tell_kernel(s, state, c.others);
	buffer_release(&merged);
}

static void disk_close(struct session *s)
{
	struct disk_state *state = s->recorder_state;

	if (!state)
		return;
	disk_bpf__destroy(state->programs);
	tally_release(&state->tally);
	bpf_source_release(&state->source);
	vector_release(&state->devices);
	free(state);
	s->recorder_state = NULL;
}

extern const struct recorder recorder_disk;
const struct recorder recorder_disk = {
	.mode = &mode_disk,
	.open = disk_open,
	.enable = disk_enable,
	.keeps = bpf_source_keeps,
	.drain = disk_drain,
	.stop = disk_stop,
	.account = disk_account,
	.close = disk_close,
};
