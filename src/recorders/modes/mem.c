/* mem.c: where is memory allocated, and which of it is not freed? Every call of malloc and its
 * like. */
#include "recorders/modes/count.h"

#ifdef HAVE_BPF
#include "base/units.h"
#include "bpf/shared/mem.h"
#include "mem.skel.h"
#include "recorders/probes/allocators.h"
#include "recorders/probes/uprobes.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <stdio.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#endif

/* ---- What can be asked ---- */

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "cheap",
		.set = option_flag,
		.offset = AT(cheap),
		.help = "record where the kernel provides memory instead: page faults, mmap and "
			"brk, in bytes, at little cost"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->cheap;
}

static void shared(struct record_options *o)
{
	o->yes = false;
}

static bool check(const struct record_options *o, struct error *err)
{
	if (o->kernel_only)
		return error_set(err, ERR_USAGE,
			"--mode mem records allocations in user space: leave out -k");
	return o->yes || o->cheap || (!o->system_wide && !o->groups.list.len) ||
	       error_set(err, ERR_USAGE,
		       "--mode mem with -a or -G puts breakpoints on malloc and free into every "
		       "process (microseconds per call): add --yes to confirm");
}

static const char *heading(const struct record_options *o)
{
	return o->cheap ? "most page faults, brk and mmap (self)" : NULL;
}

static const struct mode words = {
	.name = "mem",
	.about = "allocated memory, and what was not freed",
	.none = "the target did not call malloc or a similar function; allocators with other "
		"function names are not seen",
	.top = "most memory allocated (self)",
	.heading = heading,
	.what = "allocation",
	.options = options,
	.title = "Memory (--mode mem)",
	.own = "--cheap",
	.used = used,
	.shared = shared,
	.check = check,
};

#ifdef HAVE_BPF
#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU)

/* The name that a thread had when it allocated. */
struct allocating_thread {
	int32_t pid, tid;
	thread_id thread;
};

/* Tallies: of blocks when they were allocated, and of those that live at the end. */
enum { ALLOCATED, LIVE };

struct mem_state {
	struct driver driver;
	struct mem_bpf *programs;
	struct uprobes uprobes;
	struct probe_files files;
	size_t looked_at; /* rows of the session's binaries */
	uint64_t late;	  /* allocators found while they ran */
	VECTOR(struct allocating_thread) threads;
	struct id_map by_thread;
	struct buffer keys, blocks; /* that live at the end: struct block_key, struct block... */
	size_t block_count;	    /* ... how many */
	uint64_t stackless;	    /* of them: without their stack */
};

/* ---- Setting up ---- */

static uint32_t blocks_most(const struct record_options *o)
{
	uint64_t fitting = o->ring_bytes / (sizeof(struct block) + sizeof(struct block_key));

	return fitting && fitting < BLOCKS_MAX ? (uint32_t)fitting : BLOCKS_MAX;
}

static bool mem_open(void *self, struct error *err)
{
	struct mem_state *state = self;
	struct session *s = state->driver.session;

	vector_push(&state->threads, ((struct allocating_thread){0}));
	state->programs = mem_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	bpf_source_fill_config(&state->driver.source, s, "", &state->programs->rodata->config);
	state->programs->rodata->config.kernel_frames = false; /* there are none */
	state->programs->rodata->wait_for_pages = bpf_source_waits_for_pages(
		&state->driver.source, s, state->programs->progs.on_allocate, NULL);
	if (state->programs->rodata->wait_for_pages)
		bpf_program__set_flags(state->programs->progs.on_allocate, BPF_F_SLEEPABLE);
	bpf_map__set_max_entries(state->programs->maps.blocks, blocks_most(s->options));
	state->driver.source.programs = state->programs->skeleton;
	return true;
}

static void mem_describe(void *self)
{
	struct mem_state *state = self;

	driver_add_tally(&state->driver, &(struct tally_kinds){.kind = BYTES("allocated"),
						 .unit = BYTES("bytes"),
						 .count = BYTES("allocations"),
						 .event = BYTES("allocations")});
	driver_add_tally(&state->driver, &(struct tally_kinds){.kind = BYTES("live"),
						 .unit = BYTES("bytes"),
						 .count = BYTES("blocks"),
						 .event = BYTES("blocks that were not freed"),
						 .beside = true});
}

/* ---- Allocators ---- */

/* Attach to the return first: then no thread in between has only the beginning of an allocation. */
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

static bool mem_attach(void *self, struct error *err)
{
	struct mem_state *state = self;
	struct session *s = state->driver.session;

	probe_files_mapped(&state->files, s);
	allocators_find(&state->files, 0, add_function, state);
	state->looked_at = s->binaries.rows.len;
	return uprobes_begin(&state->uprobes, s, err);
}

/* Processes may map more binaries later, some with an allocator. */
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
	id_map_insert_at(&state->by_thread, hash_pair((uint32_t)pid, (uint32_t)tid), at,
		(uint32_t)state->threads.len);
	vector_push(&state->threads, ((struct allocating_thread){pid, tid, thread}));
}

static void add_sample(
	struct mem_state *state, size_t tally, thread_id thread, const struct block *block)
{
	struct sample sample = {
		.has = SAMPLE_PARTS, .time = block->time, .cpu = block->cpu, .thread = thread};

	sample.stack = bpf_source_stack(&state->driver.source, thread, block->chunk);
	driver_add(&state->driver, tally, &sample, (int64_t)block->size, 1);
}

static bool add_allocation(void *context, const void *record)
{
	struct mem_state *state = context;
	const struct event_alloc *event = record;
	int32_t pid = (int32_t)event->pid, tid = (int32_t)event->block.tid;
	thread_id thread = processes_thread(&state->driver.session->processes, pid, tid);

	remember_thread(state, pid, tid, thread);
	add_sample(state, ALLOCATED, thread, &event->block);
	return true;
}

static size_t record_size(uint8_t type)
{
	return type == EVENT_ALLOC ? sizeof(struct event_alloc) : 0;
}

static uint64_t record_time(const void *record)
{
	return ((const struct event_alloc *)record)->block.time;
}

/* ---- What lives at the end ---- */

static void add_live(struct mem_state *state)
{
	const struct block_key *keys = (const void *)state->keys.at;
	const struct block *blocks = (const void *)state->blocks.at;

	for (size_t i = 0; i < state->block_count; i++) {
		const struct block *block = &blocks[i];
		int32_t pid = (int32_t)keys[i].pid, tid = (int32_t)block->tid;
		size_t at;
		uint32_t row = find_thread(state, pid, tid, &at);

		if (block->lost) {
			state->stackless++;
			continue;
		}
		add_sample(state, LIVE,
			row ? state->threads.items[row].thread
			    : processes_thread(&state->driver.session->processes, pid, tid),
			block);
	}
	state->block_count = 0;
}

/* ---- Events ---- */

/* Allocators may be mapped at any time. */
static capabilities mem_keeps(const void *self)
{
	(void)self;
	return capabilities_for_programs(true);
}

static bool mem_drained(void *self, bool last, struct error *err)
{
	struct mem_state *state = self;
	struct session *s = state->driver.session;

	if (last)
		add_live(state);
	else
		look_for_allocators(state, s);
	return uprobes_follow(&state->uprobes, s, err);
}

static void mem_ending(void *self)
{
	struct mem_state *state = self;

	if (state->programs && state->programs->bss)
		state->programs->bss->stopped = true; /* detaching probes takes time */
	uprobes_end(&state->uprobes);
}

static void mem_ended(void *self)
{
	struct mem_state *state = self;

	state->block_count = bpf_read_map(bpf_map__fd(state->programs->maps.blocks),
		sizeof(struct block_key), sizeof(struct block), &state->keys, &state->blocks);
}

static void note_frees(
	struct session *s, const struct mem_state *state, const struct alloc_counts *c)
{
	struct buffer text = {0};

	units_grouped(&text, (int64_t)c->frees);
	buffer_text(&text, " blocks");
	profile_set_meta(&s->profile, BYTES("freed"), buffer_bytes(&text));
	text.len = 0;
	units_grouped(&text, (int64_t)c->unknown_frees);
	buffer_text(&text, " blocks from before the recording, or from a parent process");
	if (c->own_frees) {
		buffer_text(&text, "; the allocator freed ");
		units_grouped(&text, (int64_t)c->own_frees);
		buffer_text(&text, " by itself");
	}
	profile_set_meta(&s->profile, BYTES("freed as well"), buffer_bytes(&text));
	buffer_release(&text);
	if (c->replaced)
		profile_note(&s->profile,
			"%llu blocks were freed without a call of free: their addresses were "
			"allocated again",
			(unsigned long long)c->replaced);
	if (state->late)
		profile_note(&s->profile,
			"%llu allocators were found only after their processes had started: their "
			"first allocations are missing",
			(unsigned long long)state->late);
}

static void mem_account(void *self)
{
	struct mem_state *state = self;
	struct session *s = state->driver.session;
	uint64_t missed = driver_missed(
		&state->driver, (const char *const[]){"on_allocate", "on_allocated", NULL});
	uint64_t live = state->driver.tallies.items[LIVE].delivered;
	struct alloc_counts c;

	bpf_source_counts(&state->driver.source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	driver_account(&state->driver, LIVE, live + state->stackless + c.map_full,
		(struct bpf_loss[]){{"no stack", state->stackless}, {"map full", c.map_full}, {0}});
	driver_account(&state->driver, ALLOCATED, c.allocations + c.no_memory + missed,
		(struct bpf_loss[]){{"ring full", c.ring_full},
			{"no room on the CPU", c.no_scratch}, {"no memory", c.no_memory},
			{"BPF recursion", missed}, {0}});
	note_frees(s, state, &c);
	uprobes_note(&state->uprobes, &s->profile);
}

static void mem_release(void *self)
{
	struct mem_state *state = self;

	uprobes_release(&state->uprobes);
	probe_files_release(&state->files);
	mem_bpf__destroy(state->programs);
	vector_release(&state->threads);
	id_map_release(&state->by_thread);
	buffer_release(&state->keys);
	buffer_release(&state->blocks);
}

/* --cheap counts memory from the kernel as --mode count does. */
static const struct mode_events *cheap(const struct record_options *o)
{
	return o->cheap ? &count_events : NULL;
}

static const struct mode_events events = {
	.state_size = sizeof(struct mem_state),
	.scratch_areas = SCRATCH_MAX,
	.attaching = "cannot attach to the kernel",
	.records = {record_size, record_time, add_allocation},
	.instead = cheap,
	.open = mem_open,
	.describe = mem_describe,
	.attach = mem_attach,
	.keeps = mem_keeps,
	.drained = mem_drained,
	.ending = mem_ending,
	.ended = mem_ended,
	.account = mem_account,
	.release = mem_release,
};
#endif

extern const struct recorder recorder_mem;
const struct recorder recorder_mem = {.mode = &words, DRIVEN_BY(&events)};
