/* disk.c: which requests are made to block devices? Every request, from events of the kernel. */
#include "recorders/modes/driver.h"

#ifdef HAVE_BPF
#include "base/units.h"
#include "bpf/shared/disk.h"
#include "disk.skel.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#endif

/* ---- What can be asked ---- */

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "devices",
		.set = option_flag,
		.offset = AT(devices),
		.help = "show the device's name as the leaf frame; -r, -w and --latency work as in "
			"--mode io, and --latency separates the time in the queue"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->devices;
}

static void shared(struct record_options *o)
{
	o->reads = o->writes = o->latency = o->files = false;
}

static bool check(const struct record_options *o, struct error *err)
{
	return !o->files || error_set(err, ERR_USAGE,
				    "--files works only with --mode io, as block device requests "
				    "have no file names; use --devices");
}

static const char *heading(const struct record_options *o)
{
	return o->latency ? "longest requests (self)" : NULL;
}

static const struct mode words = {
	.name = "disk",
	.about = "bytes or time of block device requests",
	.none = "the target made no requests: what it read was in the page cache, and kernel "
		"threads write later what it wrote (record them with -a)",
	.top = "most requests (self)",
	.heading = heading,
	.what = "request",
	.options = options,
	.title = "Devices (--mode disk; also -r, -w, --latency)",
	.own = "--devices",
	.used = used,
	.shared = shared,
	.check = check,
};

#ifdef HAVE_BPF
#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

/* A device that was seen. */
struct device {
	uint32_t number;
	location_id place;
};

struct disk_state {
	struct driver driver;
	struct disk_bpf *programs;
	bool latency, devices_shown;
	location_id kinds[REQUEST_KINDS], queued;
	VECTOR(struct device) devices;
	uint64_t kernel_requests, kernel_bytes; /* how many of these kernel threads made */
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
	uint64_t fitting = o->ring_bytes / sizeof(struct event_request);

	return !fitting || fitting > REQUESTS_MAX ? REQUESTS_MAX : (uint32_t)fitting;
}

static bool disk_open(void *self, struct error *err)
{
	struct disk_state *state = self;
	struct session *s = state->driver.session;
	const struct record_options *o = s->options;
	struct disk_bpf__rodata *constants;

	state->programs = disk_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	state->latency = o->latency;
	state->devices_shown = o->devices;
	constants = state->programs->rodata;
	bpf_source_fill_config(&state->driver.source, s, "blk_mq_submit_bio", &constants->config);
	if (o->reads || o->writes)
		constants->kinds = (unsigned)o->reads << REQUEST_READ | (unsigned)o->writes
										<< REQUEST_WRITE;
	bpf_map__set_max_entries(state->programs->maps.requests, requests_most(o));
	constants->wait_for_pages = bpf_source_waits_for_pages(&state->driver.source, s,
		state->programs->progs.on_create, state->programs->maps.deferred_stacks);
	bpf_map__set_max_entries(
		state->programs->maps.pending, constants->wait_for_pages ? requests_most(o) : 1);
	state->driver.source.programs = state->programs->skeleton;
	return true;
}

static void disk_describe(void *self)
{
	struct disk_state *state = self;

	driver_add_tally(
		&state->driver, &(struct tally_kinds){.kind = BYTES("disk"),
					.unit = state->latency ? BYTES("ns") : BYTES("bytes"),
					.count = BYTES("requests"),
					.event = BYTES("requests"),
					.uneven = true});
	for (unsigned i = 0; i < REQUEST_KINDS; i++)
		state->kinds[i] =
			driver_place(&state->driver, bytes_of(kind_frames[i]), FRAME_META);
	state->queued = driver_place(&state->driver, BYTES("[queued]"), FRAME_META);
}

/* ---- Records ---- */

/* The name of a device, "sda1", or its numbers. */
static location_id name_device(struct disk_state *state, uint32_t number)
{
	unsigned major = number >> 20, minor = number & 0xfffff;
	char path[64], target[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	len = readlink(path, target, sizeof(target));
	if (len > 0)
		return driver_place(&state->driver,
			bytes_base_name((struct bytes){target, (size_t)len}), FRAME_META);
	snprintf(path, sizeof(path), "%u:%u", major, minor);
	return driver_place(&state->driver, bytes_of(path), FRAME_META);
}

static location_id device_place(struct disk_state *state, uint32_t number)
{
	struct device device = {.number = number};

	for (size_t i = 0; i < state->devices.len; i++)
		if (state->devices.items[i].number == number)
			return state->devices.items[i].place;
	device.place = name_device(state, number);
	vector_push(&state->devices, device);
	return device.place;
}

static bool add_request(void *self, const void *record)
{
	const struct event_request *event = record;
	struct disk_state *state = self;
	struct profile *p = &state->driver.session->profile;
	struct sample sample = {.has = SAMPLE_PARTS,
		.time = event->created + event->queued,
		.cpu = event->cpu,
		.duration = event->served};

	if (event->kind >= REQUEST_KINDS)
		return false;
	driver_locate(&state->driver, event->pid, event->tid, event->chunk, &sample);
	sample.stack = profile_stack(p, sample.stack, state->kinds[event->kind]);
	if (state->devices_shown)
		sample.stack = profile_stack(p, sample.stack, device_place(state, event->device));
	driver_add(&state->driver, 0, &sample,
		(int64_t)(state->latency ? event->served : event->bytes), 1);
	if (state->latency && event->queued) {
		sample.stack = profile_stack(p, sample.stack, state->queued);
		sample.time = event->created;
		sample.duration = event->queued;
		driver_add(&state->driver, 0, &sample, (int64_t)event->queued, 0);
	}
	if (processes_is_kernel(&state->driver.session->processes, (int32_t)event->pid)) {
		state->kernel_requests++;
		state->kernel_bytes += event->bytes;
	}
	return true;
}

static size_t record_size(uint8_t type)
{
	return type == EVENT_REQUEST ? sizeof(struct event_request) : 0;
}

static uint64_t record_time(const void *record)
{
	const struct event_request *event = record;

	return event->created + event->queued + event->served;
}

/* ---- Events ---- */

/* Take the requests that have ended but whose deferred stacks had not arrived. */
static void disk_take_rest(void *self)
{
	struct disk_state *state = self;
	int fd = bpf_map__fd(state->programs->maps.pending);
	struct request_pending pending;
	uint64_t number = 0;
	bool more = !bpf_map_get_next_key(fd, NULL, &number);

	for (; more; more = !bpf_map_get_next_key(fd, &number, &number))
		if (!bpf_map_lookup_elem(fd, &number, &pending) && pending.event.type)
			bpf_source_take(
				&state->driver.source, (struct bytes){(const char *)&pending.event,
							       sizeof(pending.event)});
}

/* Requests with deferred stacks are in the map `pending`: disk_take_rest takes them. */
static void disk_ended(void *self)
{
	struct disk_state *state = self;

	bpf_source_collect(&state->driver.source, state->programs->bss->deferred);
	state->driver.source.left.len = 0;
}

/* Note how many requests are those of kernel threads (writeback). */
static void note_kernel_requests(struct session *s, const struct disk_state *state, uint64_t others)
{
	struct buffer requests = {0}, bytes = {0};

	units_grouped(&requests, (int64_t)(others ? others : state->kernel_requests));
	units_human(&bytes, (int64_t)state->kernel_bytes, BYTES("bytes"));
	if (others)
		profile_note(&s->profile,
			"kernel threads also made %s write requests (writeback) that are not "
			"recorded: record them with -a",
			requests.at);
	else if (state->kernel_requests)
		profile_note(&s->profile,
			"%s of the requests, %s, come from kernel threads (writeback) and have no "
			"user stack",
			requests.at, bytes.at);
	buffer_release(&requests);
	buffer_release(&bytes);
}

static void disk_account(void *self)
{
	struct disk_state *state = self;
	struct session *s = state->driver.session;
	static const char *const programs[] = {"on_create", "on_issue", "on_complete", NULL};
	uint64_t missed = driver_missed(&state->driver, programs);
	struct request_counts c;
	struct buffer merged = {0};

	bpf_source_counts(&state->driver.source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	driver_account(&state->driver, 0, c.requests + c.no_memory + missed,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"map full", c.map_full},
			{"no memory", c.no_memory}, {"BPF recursion", missed}, {0}});
	if (c.merged) {
		units_grouped(&merged, (int64_t)c.merged);
		buffer_text(&merged, " requests, attributed to those who made the other requests");
		profile_set_meta(&s->profile, BYTES("merged"), buffer_bytes(&merged));
	}
	note_kernel_requests(s, state, c.others);
	buffer_release(&merged);
}

static void disk_release(void *self)
{
	struct disk_state *state = self;

	disk_bpf__destroy(state->programs);
	vector_release(&state->devices);
}

static const struct mode_events events = {
	.state_size = sizeof(struct disk_state),
	.attaching = "cannot attach to block device requests",
	.records = {record_size, record_time, add_request},
	.open = disk_open,
	.describe = disk_describe,
	.ended = disk_ended,
	.take_rest = disk_take_rest,
	.account = disk_account,
	.release = disk_release,
};
#endif

extern const struct recorder recorder_disk;
const struct recorder recorder_disk = {.mode = &words, DRIVEN_BY(&events)};
