/* io.c: where are files read and written? Every call that does, from the kernel's own events. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "bpf/shared.h"
#include "io.skel.h"
#include "recorders/bpf_source.h"
#include "recorders/bpf_support.h"
#include "recorders/recorders.h"
#include "recorders/tally.h"

#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

struct io_state {
	struct io_bpf *programs;
	struct bpf_source source;
	bool latency;
	struct tally tally;
	location_id kinds[CALL_KINDS];
	VECTOR(location_id) files; /* by number */
	uint64_t files_told;	   /* since the kernel's table was emptied */
	uint64_t delivered;
};

static const struct {
	uint8_t kind;
	uint16_t number;
} calls[] = {
	{CALL_READ, SYS_read},
	{CALL_READ, SYS_pread64},
	{CALL_READ, SYS_readv},
	{CALL_READ, SYS_preadv},
	{CALL_READ, SYS_preadv2},
	{CALL_WRITE, SYS_write},
	{CALL_WRITE, SYS_pwrite64},
	{CALL_WRITE, SYS_writev},
	{CALL_WRITE, SYS_pwritev},
	{CALL_WRITE, SYS_pwritev2},
	{CALL_SYNC, SYS_fsync},
	{CALL_SYNC, SYS_fdatasync},
};

static const char *const kind_frames[CALL_KINDS] = {
	[CALL_READ] = "[read]", [CALL_WRITE] = "[write]", [CALL_SYNC] = "[sync]"};

/* ---- Setting up ---- */

static bool wanted(const struct record_options *o, unsigned kind)
{
	return (!o->reads && !o->writes) || (kind == CALL_READ && o->reads) ||
	       (kind == CALL_WRITE && o->writes);
}

static bool open_programs(struct io_state *state, const struct session *s, struct error *err)
{
	const struct record_options *o = s->options;
	struct io_bpf__rodata *constants;

	state->programs = io_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "opening the programs for the kernel");
	constants = state->programs->rodata;
	bpf_source_ask(&state->source, s, "", &constants->asked);
	constants->asked.kernel_frames = false; /* they are the same in every call */
	constants->names = o->files;
	constants->wait_for_pages = bpf_source_waits_for_pages(
		&state->source, s, state->programs->progs.on_exit, state->programs->maps.laters);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (wanted(o, calls[i].kind))
			constants->calls[calls[i].number] = calls[i].kind;
	state->source.programs = state->programs->skeleton;
	return true;
}

static void add_streams(struct io_state *state, struct session *s)
{
	struct profile *p = &s->profile;

	tally_open(&state->tally, s, &state->source,
		&(struct tally_kinds){.kind = BYTES("io"),
			.unit = state->latency ? BYTES("ns") : BYTES("bytes"),
			.count = BYTES("calls"),
			.event = BYTES("calls")});
	for (unsigned i = CALL_READ; i < CALL_KINDS; i++)
		state->kinds[i] = profile_location_named(
			p, profile_frame_named(p, bytes_of(kind_frames[i]), FRAME_META));
	vector_push(&state->files, 0);
}

/* ---- Records ---- */

/* "/usr/lib/x": the names come from the file's own outwards. */
static void path_of(const struct told_file *told, struct buffer *path)
{
	size_t end = told->len;

	if (!told->whole)
		buffer_text(path, "...");
	while (end) {
		size_t at = end - 1; /* of the 0 behind a name */

		while (at && told->names[at - 1])
			at--;
		buffer_char(path, '/');
		buffer_add(path, told->names + at, end - 1 - at);
		end = at;
	}
}

static void add_file(struct io_state *state, const struct told_file *told)
{
	struct profile *p = state->source.sampler.profile;
	struct buffer path = {0};

	path_of(told, &path);
	while (state->files.len <= told->id)
		vector_push(&state->files, 0);
	state->files.items[told->id] =
		profile_location_named(p, profile_frame_named(p, buffer_bytes(&path), FRAME_META));
	state->files_told++;
	buffer_release(&path);
}

static bool add_call(struct io_state *state, const struct told_call *call)
{
	struct profile *p = state->source.sampler.profile;
	struct sample sample = {
		.has = SAMPLE_PARTS, .time = call->since, .cpu = call->cpu, .duration = call->took};

	if (call->kind >= CALL_KINDS || call->file >= state->files.len)
		return false;
	sample.thread = processes_thread(
		state->source.sampler.processes, (int32_t)call->pid, (int32_t)call->tid);
	sample.stack =
		profile_stack(p, bpf_source_stack(&state->source, sample.thread, call->chunk),
			state->kinds[call->kind]);
	if (call->file)
		sample.stack = profile_stack(p, sample.stack, state->files.items[call->file]);
	tally_add(&state->tally, &sample, (int64_t)(state->latency ? call->took : call->bytes), 1);
	state->delivered++;
	return true;
}

static size_t record_size(uint8_t told)
{
	return told == TOLD_CALL   ? sizeof(struct told_call)
	       : told == TOLD_FILE ? offsetof(struct told_file, names)
				   : 0;
}

static uint64_t record_time(const void *record)
{
	const struct told_call *call = record;
	const struct told_file *file = record;

	return call->told == TOLD_FILE ? file->time : call->since + call->took;
}

static bool take(void *context, const void *record)
{
	const struct told_file *file = record;

	if (file->told == TOLD_CALL)
		return add_call(context, record);
	add_file(context, file);
	return true;
}

static const struct bpf_records call_records = {record_size, record_time, take};

/* ---- The recorder ---- */

static bool io_open(struct session *s, struct error *err)
{
	struct io_state *state = memory_new(1, sizeof(*state));

	s->recorder_state = state;
	state->latency = s->options->latency;
	bpf_source_init(&state->source, &call_records, state);
	if (!bpf_source_possible(s, err) || !open_programs(state, s, err) ||
		!bpf_source_open(&state->source, s, err))
		return false;
	add_streams(state, s);
	return true;
}

static bool io_enable(struct session *s, struct error *err)
{
	struct io_state *state = s->recorder_state;

	return bpf_source_enable(&state->source, s, "attaching to the kernel's calls", err);
}

static bool io_drain(struct session *s, bool last, struct error *err)
{
	struct io_state *state = s->recorder_state;

	(void)err;
	bpf_source_drain(&state->source, last);
	if (last) {
		bpf_source_take_left(&state->source);
		bpf_source_track(&state->source, UINT64_MAX);
	}
	if (state->files_told > FILES_MOST / 4 * 3) {
		bpf_source_empty(&state->source, "files", sizeof(struct file_key), FILES_MOST);
		state->files_told = 0;
	}
	tally_settle(&state->tally);
	s->counts.delivered = state->delivered;
	session_count_stacks(s, &state->source.sampler);
	return true;
}

static void io_stop(struct session *s)
{
	struct io_state *state = s->recorder_state;

	bpf_source_disable(&state->source);
	bpf_source_collect(&state->source, state->programs->bss->later);
}

static void io_account(struct session *s)
{
	struct io_state *state = s->recorder_state;
	uint64_t missed = bpf_source_missed(&state->source, "on_enter") +
			  bpf_source_missed(&state->source, "on_exit");
	struct call_counts c;

	bpf_source_counts(&state->source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	bpf_source_account(s, state->tally.stream, state->tally.streams,
		c.calls + c.unknown + missed,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"no memory", c.unknown},
			{"BPF recursion", missed}, {0}});
}

static void io_close(struct session *s)
{
	struct io_state *state = s->recorder_state;

	if (!state)
		return;
	io_bpf__destroy(state->programs);
	tally_release(&state->tally);
	bpf_source_release(&state->source);
	vector_release(&state->files);
	free(state);
	s->recorder_state = NULL;
}

extern const struct recorder recorder_io;
const struct recorder recorder_io = {
	.mode = &mode_io,
	.open = io_open,
	.enable = io_enable,
	.keeps = bpf_source_keeps,
	.drain = io_drain,
	.stop = io_stop,
	.account = io_account,
	.close = io_close,
};
