/* mem.c: where is memory allocated, and which of it is not freed? Every call of malloc and its
 * like.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/units.h"
#include "bpf/shared.h"
#include "mem.skel.h"
#include "recorders/allocators.h"
#include "recorders/bpf_source.h"
#include "recorders/bpf_support.h"
#include "recorders/recorders.h"
#include "recorders/tally.h"
#include "recorders/uprobes.h"

#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU)

/* What a thread was called when it allocated. */
struct allocating_thread {
	int32_t pid, tid;
	thread_id thread;
};

/* What is told of blocks. */
struct block_tally {
	struct tally tally;
	uint64_t delivered;
};

struct mem_state {
	struct mem_bpf *programs;
	struct bpf_source source;
	struct uprobes uprobes;
	struct probe_files files;
	size_t looked_at; /* rows of the session's binaries */
	uint64_t late;	  /* allocators found while they ran */
	struct block_tally allocated, live;
	VECTOR(struct allocating_thread) threads;
	struct id_map by_thread;
	struct buffer keys, blocks; /* that live at the end: struct block_key, struct block... */
	size_t living;		    /* ... so many */
	uint64_t stackless;	    /* of them: without their stack */
};

/* ---- Setting up ---- */

static uint32_t blocks_most(const struct record_options *o)
{
	uint64_t fitting = o->ring_bytes / (sizeof(struct block) + sizeof(struct block_key));

	return fitting && fitting < BLOCKS_MOST ? (uint32_t)fitting : BLOCKS_MOST;
}

static bool open_programs(struct mem_state *state, const struct session *s, struct error *err)
{
	state->programs = mem_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "opening the programs for the kernel");
	bpf_source_ask(&state->source, s, "", &state->programs->rodata->asked);
	state->programs->rodata->asked.kernel_frames = false; /* there are none */
	state->programs->rodata->wait_for_pages = bpf_source_waits_for_pages(
		&state->source, s, state->programs->progs.on_allocate, NULL);
	if (state->programs->rodata->wait_for_pages)
		bpf_program__set_flags(state->programs->progs.on_allocate, BPF_F_SLEEPABLE);
	bpf_map__set_max_entries(state->programs->maps.blocks, blocks_most(s->options));
	state->source.programs = state->programs->skeleton;
	return true;
}

static void open_tallies(struct mem_state *state, struct session *s)
{
	tally_open(&state->allocated.tally, s, &state->source,
		&(struct tally_kinds){.kind = BYTES("allocated"),
			.unit = BYTES("bytes"),
			.count = BYTES("allocations"),
			.event = BYTES("allocations")});
	tally_open(&state->live.tally, s, &state->source,
		&(struct tally_kinds){.kind = BYTES("live"),
			.unit = BYTES("bytes"),
			.count = BYTES("blocks"),
			.event = BYTES("blocks that were not freed")});
}

/* ---- Allocators ---- */

/* The return first: a thread that is between the two has not begun. */
static bool add_function(void *context, const struct allocator_function *function)
{
	struct mem_state *state = context;
	struct uprobe uprobe = {.offset = function->offset};
	struct error ignored = {0};

	snprintf(uprobe.path, sizeof(uprobe.path), "%s", function->path);
	if (function->kind == ALLOC_FREE) {
		uprobe.program = state->programs->progs.on_free;
		uprobe.cookie = (uint64_t)function->code << 32 | function->into;
		return uprobes_add(&state->uprobes, &uprobe, &ignored);
	}
	uprobe.program = state->programs->progs.on_allocated;
	uprobe.at_return = true;
	if (!uprobes_add(&state->uprobes, &uprobe, &ignored))
		return false;
	uprobe.program = state->programs->progs.on_allocate;
	uprobe.at_return = false;
	uprobe.cookie = function->kind;
	return uprobes_add(&state->uprobes, &uprobe, &ignored);
}

static bool begin(struct mem_state *state, struct session *s, struct error *err)
{
	probe_files_mapped(&state->files, s);
	allocators_find(&state->files, 0, add_function, state);
	state->looked_at = s->binaries.rows.len;
	return uprobes_begin(&state->uprobes, s, err);
}

/* Processes go on to map binaries; some have an allocator of their own. */
static void look_for_allocators(struct mem_state *state, struct session *s)
{
	for (; state->looked_at < s->binaries.rows.len; state->looked_at++) {
		const struct binary *binary = &s->binaries.rows.items[state->looked_at];
		size_t first = state->files.list.len, before = state->uprobes.list.len;

		if (!binary->image || binary->kind != MAPPING_FILE)
			continue;
		probe_files_add(&state->files, binary->root, binary->path);
		allocators_find(&state->files, first, add_function, state);
		state->late += state->uprobes.list.len > before;
	}
}

/* ---- Records ---- */

/* The row of a thread, or 0; *ret_at is where to enter it. */
static uint32_t find_thread(struct mem_state *state, int32_t pid, int32_t tid, size_t *ret_at)
{
	uint64_t hash = hash_pair((uint32_t)pid, (uint32_t)tid);
	uint32_t row;

	*ret_at = id_map_first(&state->by_thread, hash);
	while ((row = id_map_candidate(&state->by_thread, hash, ret_at)))
		if (state->threads.items[row].pid == pid && state->threads.items[row].tid == tid)
			return row;
	return 0;
}

static void remember_thread(struct mem_state *state, int32_t pid, int32_t tid, thread_id thread)
{
	size_t at;
	uint32_t row = find_thread(state, pid, tid, &at);

	if (row) {
		state->threads.items[row].thread = thread;
		return;
	}
	id_map_put(&state->by_thread, hash_pair((uint32_t)pid, (uint32_t)tid), at,
		(uint32_t)state->threads.len);
	vector_push(&state->threads, ((struct allocating_thread){pid, tid, thread}));
}

static void add_sample(struct mem_state *state, struct block_tally *to, thread_id thread,
	const struct block *block)
{
	struct sample sample = {
		.has = SAMPLE_PARTS, .time = block->time, .cpu = block->cpu, .thread = thread};

	sample.stack = bpf_source_stack(&state->source, thread, block->chunk);
	tally_add(&to->tally, &sample, (int64_t)block->size, 1);
	to->delivered++;
}

static bool add_allocation(void *context, const void *record)
{
	struct mem_state *state = context;
	const struct told_alloc *told = record;
	int32_t pid = (int32_t)told->pid, tid = (int32_t)told->block.tid;
	thread_id thread = processes_thread(state->source.sampler.processes, pid, tid);

	remember_thread(state, pid, tid, thread);
	add_sample(state, &state->allocated, thread, &told->block);
	return true;
}

static size_t record_size(uint8_t told)
{
	return told == TOLD_ALLOC ? sizeof(struct told_alloc) : 0;
}

static uint64_t record_time(const void *record)
{
	return ((const struct told_alloc *)record)->block.time;
}

static const struct bpf_records alloc_records = {record_size, record_time, add_allocation};

/* ---- What lives at the end ---- */

static void add_live(struct mem_state *state)
{
	const struct block_key *keys = (const void *)state->keys.at;
	const struct block *blocks = (const void *)state->blocks.at;

	for (size_t i = 0; i < state->living; i++) {
		const struct block *block = &blocks[i];
		int32_t pid = (int32_t)keys[i].pid, tid = (int32_t)block->tid;
		size_t at;
		uint32_t row = find_thread(state, pid, tid, &at);

		if (block->lost) {
			state->stackless++;
			continue;
		}
		add_sample(state, &state->live,
			row ? state->threads.items[row].thread
			    : processes_thread(state->source.sampler.processes, pid, tid),
			block);
	}
	state->living = 0;
}

/* ---- The recorder ---- */

extern const struct recorder recorder_count; /* which does it with --cheap */

static bool mem_open(struct session *s, struct error *err)
{
	struct mem_state *state;

	if (s->options->cheap)
		return recorder_count.open(s, err);
	state = memory_new(1, sizeof(*state));
	s->recorder_state = state;
	bpf_source_init(&state->source, &alloc_records, state);
	vector_push(&state->threads, ((struct allocating_thread){0}));
	if (!bpf_source_possible(s, err) || !open_programs(state, s, err) ||
		!bpf_source_open(&state->source, s, err))
		return false;
	open_tallies(state, s);
	return true;
}

static bool mem_enable(struct session *s, struct error *err)
{
	struct mem_state *state = s->recorder_state;

	if (s->options->cheap)
		return recorder_count.enable(s, err);
	return bpf_source_enable(&state->source, s, "attaching to the kernel", err) &&
	       begin(state, s, err);
}

/* Allocators may be mapped at any time. */
static capabilities mem_keeps(const struct session *s)
{
	return s->options->cheap ? recorder_count.keeps(s) : capabilities_for_programs(true);
}

static bool mem_drain(struct session *s, bool last, struct error *err)
{
	struct mem_state *state = s->recorder_state;

	if (s->options->cheap)
		return recorder_count.drain(s, last, err);
	bpf_source_drain(&state->source, last);
	if (last) {
		bpf_source_track(&state->source, UINT64_MAX);
		add_live(state);
	} else {
		look_for_allocators(state, s);
	}
	tally_settle(&state->allocated.tally);
	tally_settle(&state->live.tally);
	s->counts.delivered = state->allocated.delivered;
	session_count_stacks(s, &state->source.sampler);
	return uprobes_follow(&state->uprobes, s, err);
}

static void mem_stop(struct session *s)
{
	struct mem_state *state = s->recorder_state;

	if (s->options->cheap) {
		recorder_count.stop(s);
		return;
	}
	if (state->programs && state->programs->bss)
		state->programs->bss->stopped = true; /* taking probes away takes its time */
	uprobes_end(&state->uprobes);
	bpf_source_disable(&state->source);
	state->living = bpf_read_map(bpf_map__fd(state->programs->maps.blocks),
		sizeof(struct block_key), sizeof(struct block), &state->keys, &state->blocks);
}

static void tell_frees(
	struct session *s, const struct mem_state *state, const struct alloc_counts *c)
{
	struct buffer text = {0};

	units_grouped(&text, (int64_t)c->frees);
	buffer_text(&text, " blocks");
	profile_set_meta(&s->profile, BYTES("freed"), buffer_bytes(&text));
	text.len = 0;
	units_grouped(&text, (int64_t)c->unknown_frees);
	buffer_text(&text, " blocks of before the recording, or of a parent process");
	if (c->own_frees) {
		buffer_text(&text, "; the allocator freed ");
		units_grouped(&text, (int64_t)c->own_frees);
		buffer_text(&text, " by itself");
	}
	profile_set_meta(&s->profile, BYTES("freed as well"), buffer_bytes(&text));
	buffer_release(&text);
	if (c->replaced)
		profile_note(&s->profile,
			"%llu blocks were freed without free or the like: their addresses were "
			"given again",
			(unsigned long long)c->replaced);
	if (state->late)
		profile_note(&s->profile,
			"%llu allocators were found while they ran: what was allocated in the "
			"first moments of their processes is not in this profile",
			(unsigned long long)state->late);
}

static void mem_account(struct session *s)
{
	struct mem_state *state = s->recorder_state;
	struct bpf_source *source = &state->source;
	uint64_t missed = bpf_source_missed(source, "on_allocate") +
			  bpf_source_missed(source, "on_allocated");
	struct alloc_counts c;

	if (s->options->cheap) {
		recorder_count.account(s);
		return;
	}
	bpf_source_counts(source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	s->counts.delivered = state->live.delivered;
	bpf_source_account(s, state->live.tally.stream, state->live.tally.streams,
		state->live.delivered + state->stackless + c.map_full,
		(struct bpf_loss[]){{"no stack", state->stackless}, {"map full", c.map_full}, {0}});
	s->counts.delivered = state->allocated.delivered;
	bpf_source_account(s, state->allocated.tally.stream, state->allocated.tally.streams,
		c.allocations + c.unknown + missed,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"no room on the CPU", c.crowded},
			{"no memory", c.unknown}, {"BPF recursion", missed}, {0}});
	tell_frees(s, state, &c);
	uprobes_note(&state->uprobes, &s->profile);
}

static void mem_close(struct session *s)
{
	struct mem_state *state = s->recorder_state;

	if (s->options->cheap) {
		recorder_count.close(s);
		return;
	}
	if (!state)
		return;
	uprobes_release(&state->uprobes);
	probe_files_release(&state->files);
	mem_bpf__destroy(state->programs);
	tally_release(&state->allocated.tally);
	tally_release(&state->live.tally);
	bpf_source_release(&state->source);
	vector_release(&state->threads);
	id_map_release(&state->by_thread);
	buffer_release(&state->keys);
	buffer_release(&state->blocks);
	free(state);
	s->recorder_state = NULL;
}

extern const struct recorder recorder_mem;
const struct recorder recorder_mem = {
	.mode = &mode_mem,
	.open = mem_open,
	.enable = mem_enable,
	.keeps = mem_keeps,
	.drain = mem_drain,
	.stop = mem_stop,
	.account = mem_account,
	.close = mem_close,
};
