/* off.c: where do threads wait? Every time off the CPU, from the scheduler's own events. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/units.h"
#include "bpf/shared.h"
#include "off.skel.h"
#include "recorders/bpf_ring.h"
#include "recorders/bpf_support.h"
#include "recorders/chunks.h"
#include "recorders/perf_source.h"
#include "recorders/recorders.h"
#include "recorders/sampler.h"
#include "recorders/unwind_feed.h"
#include "recorders/waits.h"

#define DELAY	     ((uint64_t)10000000) /* ns: see MERGE_DELAY of cpu.c */
#define RING_BYTES   ((uint64_t)8 << 20)
#define RING_MOST    ((uint64_t)1 << 30)
#define CROWDED	     25	   /* percent: then the recorder is woken up */
#define LEAST_OF_ALL 10000 /* ns, of the whole system */
#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

struct off_state {
	struct off_bpf *programs;
	struct bpf_ring ring;
	struct perf_source source; /* what happens to processes */
	struct sampler sampler;
	struct chunk_table chunks;
	struct unwind_feed feed; /* of tables for user stacks... */
	bool by_tables;		 /* ... if they are wanted */
	uint64_t least;
	uint32_t samples, stream; /* the next one counts */
	location_id kinds[WAIT_KINDS];
	struct buffer waiting; /* told_wait of those that still do at the end */
	struct wait_counts counts;
	uint64_t delivered;
	uint64_t missed;    /* runs of a program, because it ran already */
	uint64_t malformed; /* records that are none: never from a kernel */
};

/* ---- Setting up ---- */

static uint64_t ring_bytes(const struct record_options *o)
{
	uint64_t asked = o->ring_bytes ? o->ring_bytes : RING_BYTES, size;

	for (size = (uint64_t)getpagesize(); size < asked && size < RING_MOST;)
		size <<= 1;
	return size;
}

static void set_constants(struct off_state *state, const struct session *s)
{
	const struct record_options *o = s->options;
	struct off_bpf__rodata *constants = state->programs->rodata;
	struct kernel_symbol origin;

	state->least = o->least ? o->least : o->system_wide ? LEAST_OF_ALL : 0;
	constants->everything = o->system_wide;
	constants->least = state->least;
	if (o->most)
		constants->most = o->most;
	if (o->wait_kinds)
		constants->kinds = o->wait_kinds;
	constants->crowded = ring_bytes(o) * CROWDED / 100;
	constants->until_exec = session_records_command(s);
	constants->by_cpu = o->cpus.list.len > 0;
	constants->user_frames = !o->kernel_only;
	constants->kernel_frames = !o->user_only;
	state->by_tables = !o->kernel_only && o->stacks == STACKS_TABLES && arch_native();
	constants->user_tables = state->by_tables;
	if (s->kernel && kernel_find_named(s->kernel, BYTES("__schedule"), &origin)) {
		constants->origin_start = origin.start;
		constants->origin_end = origin.end;
	}
	for (size_t i = 0; i < o->cpus.list.len; i++) {
		uint32_t cpu = (uint32_t)o->cpus.list.items[i] % BPF_CPUS_MOST;

		constants->cpus[cpu / 64] |= 1ull << cpu % 64;
	}
}

static bool load(struct off_state *state, const struct session *s, struct error *err)
{
	int code;

	state->programs = off_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "opening the programs for the kernel");
	set_constants(state, s);
	bpf_map__set_max_entries(state->programs->maps.ring, (uint32_t)ring_bytes(s->options));
	bpf_program__set_autoattach(state->programs->progs.mark, false);
	bpf_program__set_autoattach(state->programs->progs.still_waiting, false);
	code = off_bpf__load(state->programs);
	return !code || bpf_error(err, code, "loading programs into the kernel");
}

static bool add_target(struct off_state *state, int32_t id, bool process, struct error *err)
{
	uint32_t key = (uint32_t)id;
	uint8_t value = process;
	int code = bpf_map__update_elem(
		state->programs->maps.targets, &key, sizeof(key), &value, sizeof(value), BPF_ANY);

	return !code || bpf_error(err, code, "naming the targets");
}

/* Threads are marked where the kernel keeps them; from then on their children are by themselves. */
static bool mark_targets(struct off_state *state, const struct session *s, struct error *err)
{
	const struct record_options *o = s->options;
	struct buffer failed = {0};
	bool ok = true;

	for (size_t i = 0; i < o->tids.list.len; i++)
		ok = ok && add_target(state, o->tids.list.items[i], false, err);
	for (size_t i = 0; i < o->pids.list.len; i++)
		ok = ok && add_target(state, o->pids.list.items[i], true, err);
	if (session_records_command(s))
		ok = ok && add_target(state, s->command.pid, true, err);
	ok = ok && bpf_iterate(state->programs->progs.mark, &failed, err);
	if (ok && failed.len)
		ok = error_set(
			err, ERR_IO, "the kernel has no memory to mark thread %s", failed.at);
	buffer_release(&failed);
	return ok;
}

static void add_streams(struct off_state *state, struct session *s)
{
	struct profile *p = &s->profile;
	uint32_t count;

	state->samples = profile_add_samples(p);
	state->stream =
		profile_add_stream(p, state->samples, BYTES("off"), BYTES("ns"), BYTES("waits"));
	count = profile_add_stream(
		p, state->samples, BYTES("waits"), BYTES("count"), BYTES("waits"));
	p->streams.items[count].row.period = 1;
	p->streams.items[state->stream].row.wall_offset = s->wall_offset;
	p->streams.items[count].row.wall_offset = s->wall_offset;
	for (unsigned i = 0; i < WAIT_KINDS; i++)
		state->kinds[i] = profile_location_named(
			p, profile_frame_named(p, bytes_of(wait_kind_frame(i)), FRAME_META));
}

/* ---- The tables in the kernel ---- */

/* Addresses of a process mean something else: its chunks are no longer those that were told. */
static void forget_space(void *context, int32_t pid)
{
	struct off_state *state = context;
	uint32_t key = (uint32_t)pid;

	bpf_map__delete_elem(state->programs->maps.spaces, &key, sizeof(key), 0);
}

/* Chunks that are told again later get new numbers; the old ones stay known here. */
static void empty_chunks(struct off_state *state)
{
	int fd = bpf_map__fd(state->programs->maps.chunks);
	struct chunk at, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &next);

	for (uint32_t i = 0; more && i < 2 * CHUNKS_MOST; i++) {
		at = next;
		more = !bpf_map_get_next_key(fd, &at, &next);
		bpf_map_delete_elem(fd, &at);
	}
	state->chunks.told = 0;
}

static bool off_open(struct session *s, struct error *err)
{
	struct off_state *state = memory_new(1, sizeof(*state));
	struct error hidden = {0};
	unsigned parts = STACK_USER | STACK_KERNEL;

	s->recorder_state = state;
	state->source.tracking_only = true;
	state->source.cgroup.fd = -1;
	if (!bpf_support(err))
		return false;
	s->kernel = kernel_open(&hidden);
	if (!s->kernel)
		session_notice(s, "%s", hidden.text);
	if (!load(state, s, err))
		return false;
	state->source.tracking_wakes = state->by_tables;
	if (!perf_source_open(&state->source, s, err) ||
		(state->by_tables && !unwind_feed_open(&state->feed, state->programs->obj,
					     &state->source.merge, &s->processes, err)) ||
		!bpf_ring_map(&state->ring, bpf_map__fd(state->programs->maps.ring),
			ring_bytes(s->options), err))
		return false;
	sampler_init(&state->sampler, &s->profile, &s->processes, s->kernel, parts);
	chunk_table_init(&state->chunks, &state->sampler.stacks);
	add_streams(state, s);
	s->processes.remapped = forget_space;
	s->processes.remapped_context = state;
	for (size_t i = 0; i < state->source.merge.rings.len; i++)
		if (!session_watch(s, state->source.merge.rings.items[i].fd, err))
			return false;
	return session_watch_wakeups(s, bpf_map__fd(state->programs->maps.ring), err);
}

/* Tables take their time: they are made before anything is recorded. */
static void make_tables(struct off_state *state, struct session *s)
{
	if (!state->by_tables)
		return;
	if (session_records_command(s))
		unwind_tables_prepare(&state->feed.tables, s->options->command[0]);
	unwind_feed_begin(&state->feed);
}

static void tell_processes(struct off_state *state)
{
	uint64_t now = monotonic_ns();

	perf_merge_update(&state->source.merge);
	if (state->by_tables)
		unwind_feed_update(&state->feed, now);
}

static bool off_enable(struct session *s, struct error *err)
{
	struct off_state *state = s->recorder_state;
	int code;

	if (!session_records_command(s) && !perf_source_enable(&state->source))
		return error_errno(err, "enabling the events");
	session_read_processes(s);
	make_tables(state, s);
	code = off_bpf__attach(state->programs);
	if (code)
		return bpf_error(err, code, "attaching to the scheduler");
	tell_processes(state);
	return mark_targets(state, s, err);
}

/* ---- Draining ---- */

/* What happened to processes up to a time. */
static void track(struct off_state *state, uint64_t until)
{
	struct perf_merge *merge = &state->source.merge;
	struct perf_ring *ring;
	struct bytes record;

	while (perf_merge_next(merge, until, &record, &ring)) {
		sampler_record(&state->sampler, record, ring->layout);
		perf_merge_done(ring);
	}
}

static void add_part(
	struct off_state *state, struct sample *sample, unsigned kind, stack_id stack, uint64_t ns)
{
	struct profile *p = state->sampler.profile;

	if (!ns || !(state->programs->rodata->kinds >> kind & 1))
		return;
	sample->duration = ns;
	sample->stack = profile_stack(p, stack, state->kinds[kind]);
	profile_add_sample(p, state->samples, sample);
	vector_push(&p->streams.items[state->stream].value, (int64_t)ns);
	state->delivered++;
}

static void add_wait(struct off_state *state, const struct told_wait *wait)
{
	struct sample sample = {.has = SAMPLE_PARTS, .time = wait->since, .cpu = wait->cpu};
	stack_id stack;

	sample.thread =
		processes_thread(state->sampler.processes, (int32_t)wait->pid, (int32_t)wait->tid);
	stack = stacks_root(&state->sampler.stacks, sample.thread);
	if (!chunk_table_stack(&state->chunks, stack, wait->chunk, &stack))
		state->malformed++;
	add_part(state, &sample, wait->kind, stack, wait->kept);
	sample.time += wait->kept;
	add_part(state, &sample, WAIT_QUEUE, stack, wait->queued);
}

/* A record of the ring, whatever it is; all but waits begin as `space` does. */
union told_any {
	struct told_space space;
	struct told_chunk chunk;
	struct told_wait wait;
};

static size_t told_size(uint8_t told)
{
	static const size_t sizes[] = {[TOLD_SPACE] = sizeof(struct told_space),
		[TOLD_CHUNK] = sizeof(struct told_chunk),
		[TOLD_WAIT] = sizeof(struct told_wait),
		[TOLD_COPY] = sizeof(struct told_copy)};

	return told < sizeof(sizes) / sizeof(*sizes) ? sizes[told] : 0;
}

static uint64_t told_time(const union told_any *any)
{
	const struct told_wait *wait = &any->wait;

	return wait->told == TOLD_WAIT ? wait->since + wait->kept + wait->queued : any->space.time;
}

/* False: it is too young, what happened to processes before may not have come yet. */
static bool take(struct off_state *state, struct bytes record, uint64_t until)
{
	size_t size = record.len ? told_size((uint8_t)*record.at) : 0;
	union told_any any = {0};

	if (!size || record.len < size) {
		state->malformed++;
		return true;
	}
	memcpy(&any, record.at, size < sizeof(any) ? size : sizeof(any));
	if (told_time(&any) > until)
		return false;
	track(state, told_time(&any));
	if (any.wait.told == TOLD_SPACE)
		chunk_table_space(&state->chunks, &any.space);
	else if (any.wait.told == TOLD_CHUNK)
		chunk_table_add(&state->chunks, &any.chunk);
	else if (any.wait.told == TOLD_COPY)
		chunk_table_walk(&state->chunks, (const struct told_copy *)(const void *)record.at);
	else if (any.wait.kind < WAIT_KINDS)
		add_wait(state, &any.wait);
	return true;
}

static void take_waiting(struct off_state *state)
{
	struct bytes rest = buffer_bytes(&state->waiting);

	for (; rest.len >= sizeof(struct told_wait);
		rest.at += sizeof(struct told_wait), rest.len -= sizeof(struct told_wait))
		take(state, (struct bytes){rest.at, sizeof(struct told_wait)}, UINT64_MAX);
	state->waiting.len = 0;
}

static bool off_drain(struct session *s, bool last, struct error *err)
{
	struct off_state *state = s->recorder_state;
	uint64_t now = monotonic_ns(), until = now - DELAY;
	struct bytes record;

	(void)err;
	if (bpf_ring_update(&state->ring) >= CROWDED || last)
		until = UINT64_MAX;
	perf_merge_update(&state->source.merge);
	if (state->by_tables && !last)
		unwind_feed_update(&state->feed, now);
	while (bpf_ring_next(&state->ring, &record) && take(state, record, until))
		bpf_ring_done(&state->ring);
	if (last)
		take_waiting(state);
	track(state, until);
	if (state->chunks.told > CHUNKS_MOST / 4 * 3)
		empty_chunks(state);
	s->counts.delivered = state->delivered;
	return true;
}

/* ---- The end ---- */

/* How often a program could not run because it was just running on that CPU. */
static uint64_t missed_runs(const struct off_bpf *programs)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(programs->progs.on_switch), &info, &len))
		return 0;
	return info.recursion_misses;
}

static void add_counts(struct off_state *state)
{
	struct wait_counts *each, *all = &state->counts;
	int cpus = libbpf_num_possible_cpus();
	uint32_t first = 0;

	if (cpus <= 0)
		return;
	each = memory_new((size_t)cpus, sizeof(*each));
	if (!bpf_map__lookup_elem(state->programs->maps.counts, &first, sizeof(first), each,
		    (size_t)cpus * sizeof(*each), 0))
		for (int i = 0; i < cpus; i++) {
			all->parts += each[i].parts;
			all->ring_full += each[i].ring_full;
			all->unseen += each[i].unseen;
			all->unknown += each[i].unknown;
			all->short_waits += each[i].short_waits;
			all->short_ns += each[i].short_ns;
			all->long_waits += each[i].long_waits;
			all->long_ns += each[i].long_ns;
		}
	free(each);
	state->missed = missed_runs(state->programs);
}

static void off_stop(struct session *s)
{
	struct off_state *state = s->recorder_state;
	struct error failed = {0};

	off_bpf__detach(state->programs);
	perf_source_disable(&state->source);
	if (s->started &&
		!bpf_iterate(state->programs->progs.still_waiting, &state->waiting, &failed))
		profile_note(&s->profile, "waits that had not ended are missing: %s", failed.text);
	add_counts(state);
}

static void tell_left_out(struct session *s, const char *key, uint64_t waits, uint64_t ns)
{
	struct buffer text = {0};

	units_grouped(&text, (int64_t)waits);
	buffer_text(&text, " waits left out, ");
	units_human(&text, (int64_t)ns, BYTES("ns"));
	buffer_text(&text, " in all");
	profile_set_meta(&s->profile, bytes_of(key), buffer_bytes(&text));
	buffer_release(&text);
}

/* "below 10.0 µs": "7,008 waits left out, 39.5 ms in all". */
static void tell_limits(struct session *s, const struct off_state *state)
{
	const struct wait_counts *c = &state->counts;
	struct buffer key = {0};

	if (state->least) {
		buffer_text(&key, "below ");
		units_human(&key, (int64_t)state->least, BYTES("ns"));
		tell_left_out(s, key.at, c->short_waits, c->short_ns);
	}
	key.len = 0;
	if (s->options->most) {
		buffer_text(&key, "beyond ");
		units_human(&key, (int64_t)s->options->most, BYTES("ns"));
		tell_left_out(s, key.at, c->long_waits, c->long_ns);
	}
	buffer_release(&key);
}

static void off_account(struct session *s)
{
	struct off_state *state = s->recorder_state;
	const struct wait_counts *c = &state->counts;

	for (uint32_t i = state->stream; i <= state->stream + 1; i++) {
		struct stream_row *row = &s->profile.streams.items[i].row;

		row->delivered = state->delivered;
		row->expected = c->parts + c->unknown + state->missed;
		if (c->ring_full)
			profile_add_loss(&s->profile, i, BYTES("ring full"), c->ring_full);
		if (c->unseen)
			profile_add_loss(&s->profile, i, BYTES("switch not seen"), c->unseen);
		if (c->unknown)
			profile_add_loss(&s->profile, i, BYTES("no memory"), c->unknown);
		if (state->missed)
			profile_add_loss(&s->profile, i, BYTES("BPF recursion"), state->missed);
	}
	s->counts.lost = c->ring_full + c->unseen + c->unknown + state->missed;
	tell_limits(s, state);
}

static void off_close(struct session *s)
{
	struct off_state *state = s->recorder_state;

	if (!state)
		return;
	bpf_ring_release(&state->ring);
	off_bpf__destroy(state->programs);
	chunk_table_release(&state->chunks);
	unwind_feed_release(&state->feed);
	sampler_release(&state->sampler);
	perf_source_release(&state->source);
	buffer_release(&state->waiting);
	free(state);
	s->recorder_state = NULL;
}

extern const struct recorder recorder_off;
const struct recorder recorder_off = {
	.name = "off",
	.about = OFF_ABOUT,
	.none = OFF_NONE,
	.options = off_options,
	.title = OFF_TITLE,
	.check = off_check,
	.open = off_open,
	.enable = off_enable,
	.drain = off_drain,
	.stop = off_stop,
	.account = off_account,
	.close = off_close,
};
