/* source.c: what recorders with BPF programs have in common: configuring and loading the programs,
 * marking targets, taking events in order, stacks, and losses. */
#include "recorders/programs/source.h"

#include "base/clock.h"
#include "bpf/shared/unwind.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define DELAY	    ((uint64_t)10000000) /* ns: see MERGE_DELAY of cpu.c */
#define RING_BYTES  ((uint64_t)16 << 20)
#define RING_MAX    ((uint64_t)1 << 30)
#define SERVE_EVERY 32	    /* records */
#define WAKEUP	    25	    /* percent of the ring that wake the recorder up */
#define MARK_PAUSE  1000000 /* ns */
#define MARK_TRIES  50

#define FIRST_PID_NAMESPACE 0xEFFFFFFCu /* PROC_PID_INIT_INO of the kernel */

/* ---- Setting up ---- */

static struct bpf_map *map_named(const struct bpf_source *source, const char *name)
{
	return bpf_object__find_map_by_name(*source->programs->obj, name);
}

static uint64_t ring_bytes(const struct record_options *o)
{
	uint64_t requested = o->ring_bytes ? o->ring_bytes : RING_BYTES, size;

	for (size = (uint64_t)getpagesize(); size < requested && size < RING_MAX;)
		size <<= 1;
	return size;
}

void bpf_source_init(struct bpf_source *source, const struct bpf_records *records, void *context)
{
	source->processes.cgroup.fd = -1;
	source->records = records;
	source->context = context;
}

bool bpf_source_possible(struct session *s, struct error *err)
{
	if (!bpf_support(err))
		return false;
	session_open_kernel(s);
	return true;
}

struct code_range bpf_source_function(const struct session *s, const char *name)
{
	struct kernel_symbol symbol;

	if (!s->kernel || !kernel_find_named(s->kernel, bytes_of(name), &symbol))
		return (struct code_range){0};
	return (struct code_range){symbol.start, symbol.end};
}

/* Its inode; 0: it is the first one. */
static uint32_t own_pid_namespace(void)
{
	struct stat own;

	if (stat("/proc/self/ns/pid", &own) || own.st_ino == FIRST_PID_NAMESPACE)
		return 0;
	return (uint32_t)own.st_ino;
}

void bpf_source_fill_config(struct bpf_source *source, const struct session *s,
	const char *function, struct bpf_config *config)
{
	const struct record_options *o = s->options;

	source->by_tables = !o->kernel_only && o->stacks == STACKS_TABLES && arch_native();
	config->system_wide = o->system_wide;
	config->by_cpu = o->cpus.list.len > 0;
	config->group_count = (uint8_t)s->groups.list.len;
	config->cgroup_v1 = s->groups.legacy || (o->by_cgroup && s->cgroups.legacy);
	config->emit_groups = o->by_cgroup;
	config->pid_namespace = own_pid_namespace();
	for (size_t i = 0; i < s->groups.list.len; i++)
		config->groups[i] = s->groups.list.items[i].id;
	config->wait_for_exec = session_records_command(s);
	config->user_frames = !o->kernel_only;
	config->kernel_frames = !o->user_only;
	config->by_tables = source->by_tables;
	config->wakeup_bytes = ring_bytes(o) * WAKEUP / 100;
	config->tracepoint = bpf_source_function(s, function);
	for (size_t i = 0; i < o->cpus.list.len; i++) {
		uint32_t cpu = (uint32_t)o->cpus.list.items[i] % BPF_CPUS_MAX;

		config->cpus[cpu / 64] |= 1ull << cpu % 64;
	}
}

/* Stacks are taken in as many scratch areas at the same time as the mode's programs use. */
static void size_scratch(struct bpf_source *source)
{
	uint32_t areas = source->scratch_areas ? source->scratch_areas : SCRATCH_DEFERRED + 1;

	bpf_map__set_max_entries(map_named(source, "stack_scratches"), areas);
	bpf_map__set_max_entries(map_named(source, "unwind_cache"), areas);
}

static bool load(struct bpf_source *source, struct session *s, struct error *err)
{
	struct bpf_program *program;

	if (s->options->ring_bytes > RING_MAX)
		session_notice(s, "-m: a ring buffer has at most 1 GB; using 1 GB");
	bpf_map__set_max_entries(map_named(source, "ring"), (uint32_t)ring_bytes(s->options));
	size_scratch(source);
	if (own_pid_namespace())
		bpf_map__set_max_entries(map_named(source, "pid_cache"), PID_CACHE_MAX);
	if (s->options->by_cgroup)
		bpf_map__set_max_entries(map_named(source, "emitted_groups"), GROUP_THREADS_MAX);
	bpf_object__for_each_program(
		program, *source->programs->obj) if (bpf_program__expected_attach_type(program) ==
						     BPF_TRACE_ITER)
		bpf_program__set_autoattach(program, false);
	return bpf_load(source->programs, err);
}

/* A process maps other code: its addresses need new chunks, and so a new space. */
static void drop_space(void *context, int32_t pid)
{
	uint32_t key = (uint32_t)pid;

	bpf_map__delete_elem(map_named(context, "spaces"), &key, sizeof(key), 0);
}

bool bpf_source_open(struct bpf_source *source, struct session *s, struct error *err)
{
	struct perf_source *processes = &source->processes;

	if (!load(source, s, err))
		return false;
	if (s->options->max_overhead)
		source->stats = bpf_enable_stats(BPF_STATS_RUN_TIME) + 1;
	if (source->timer)
		processes->program = bpf_program__fd(
			bpf_object__find_program_by_name(*source->programs->obj, source->timer));
	processes->tracking_only = !source->timer;
	if (!perf_source_open(processes, s, err) ||
		(source->by_tables && !unwind_feed_open(&source->feed, *source->programs->obj,
					      &processes->merge, &s->processes, err)) ||
		!bpf_ring_map(&source->ring, bpf_map__fd(map_named(source, "ring")),
			ring_bytes(s->options), err))
		return false;
	sampler_init(
		&source->sampler, &s->profile, &s->processes, s->kernel, STACK_USER | STACK_KERNEL);
	source->sampler.cgroups = session_cgroups(s);
	chunk_table_init(&source->chunks, &source->sampler.stacks);
	if (own_pid_namespace())
		processes_read_name(
			&s->processes, PID_OUTSIDE, PID_OUTSIDE, BYTES("[other pid namespace]"));
	s->processes.remapped = drop_space;
	s->processes.remapped_context = source;
	if (source->by_tables && source->feed.tables.builder.made_fd >= 0 &&
		!session_watch(s, source->feed.tables.builder.made_fd, err))
		return false;
	for (size_t i = 0; i < processes->merge.rings.len; i++)
		if (!session_watch(s, processes->merge.rings.items[i].fd, err))
			return false;
	return session_watch_wakeups(s, bpf_map__fd(map_named(source, "ring")), err);
}

void bpf_source_release(struct bpf_source *source)
{
	if (source->stats > 0)
		close(source->stats - 1);
	bpf_ring_release(&source->ring);
	chunk_table_release(&source->chunks);
	unwind_feed_release(&source->feed);
	sampler_release(&source->sampler);
	buffer_release(&source->left);
	perf_source_release(&source->processes);
}

/* ---- Targets ---- */

static bool add_target(struct bpf_map *targets, int32_t id, bool process, struct error *err)
{
	uint32_t key = (uint32_t)id;
	uint8_t value = process;
	int code = bpf_map__update_elem(targets, &key, sizeof(key), &value, sizeof(value), BPF_ANY);

	return !code || bpf_error(err, code, "cannot pass the targets to the kernel");
}

/* Mark all threads that have no mark. The kernel refills its pool of memory for marks in the
 * background: threads for which it was empty are tried again after a pause. */
static bool mark_threads(struct bpf_source *source, struct error *err)
{
	struct timespec pause = {.tv_nsec = MARK_PAUSE};
	struct buffer failed = {0};
	struct bytes list, first;
	bool ok = true;

	for (unsigned tries = 0; ok && tries < MARK_TRIES && (!tries || failed.len); tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		failed.len = 0;
		ok = bpf_iterate(bpf_object__find_program_by_name(*source->programs->obj, "mark"),
			&failed, err);
	}
	list = buffer_bytes(&failed);
	if (ok && bytes_line(&list, &first))
		ok = error_set(err, ERR_IO, "the kernel has no memory to mark thread %.*s",
			(int)first.len, first.at);
	buffer_release(&failed);
	return ok;
}

/* Mark the threads of all targets; programs mark their children from then on. */
static bool mark_targets(struct bpf_source *source, const struct session *s, struct error *err)
{
	const struct record_options *o = s->options;
	struct bpf_map *targets = map_named(source, "targets");
	bool ok = true;

	for (size_t i = 0; i < o->tids.list.len; i++)
		ok = ok && add_target(targets, o->tids.list.items[i], false, err);
	for (size_t i = 0; i < o->pids.list.len; i++)
		ok = ok && add_target(targets, o->pids.list.items[i], true, err);
	if (session_records_command(s))
		ok = ok && add_target(targets, s->command.pid, true, err);
	return ok && mark_threads(source, err);
}

/* To make tables takes time: those of a command are made before it starts, so that none of its
 * stacks has to be copied. */
static void make_tables(struct bpf_source *source, struct session *s)
{
	if (!source->by_tables)
		return;
	if (session_records_command(s))
		unwind_tables_prepare(&source->feed.tables, s->options->command[0]);
	unwind_feed_begin(&source->feed, s->options->system_wide);
}

static void update_processes(struct bpf_source *source)
{
	uint64_t now = monotonic_ns();

	perf_merge_update(&source->processes.merge);
	if (source->by_tables)
		unwind_feed_update(&source->feed, now);
}

/* All processes are told of; the targets, their children, and whose stacks come up are known. */
static void close_processes(struct bpf_source *source, struct session *s)
{
	struct error ignored = {0};

	if (session_watches_all(s) || !source->processes.tracking_all)
		return;
	if (session_records_command(s))
		processes_read(&s->processes, s->command.pid, &ignored);
	s->processes.closed = source->feed.processes.closed = true;
}

bool bpf_source_enable(
	struct bpf_source *source, struct session *s, const char *doing, struct error *err)
{
	int code;

	if (!perf_source_by_exec(&source->processes, s) && !perf_source_enable(&source->processes))
		return error_errno(err, "cannot enable the events");
	session_read_processes(s);
	close_processes(source, s);
	make_tables(source, s);
	code = bpf_object__attach_skeleton(source->programs);
	if (code)
		return bpf_error(err, code, doing);
	update_processes(source);
	return mark_targets(source, s, err);
}

uint64_t bpf_source_spent(const struct bpf_source *source)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, *source->programs->obj)
	{
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		if (source->stats > 0 && bpf_program__fd(program) >= 0 &&
			!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len))
			sum += info.run_time_ns;
	}
	return sum;
}

/* Each binary's unwind table is a map of its own, which is made while recording. */
capabilities bpf_source_keeps(const struct session *s)
{
	(void)s;
	return capabilities_for_programs(false);
}

void bpf_source_disable(struct bpf_source *source)
{
	bpf_detach(source->programs);
	perf_source_disable(&source->processes);
	if (source->by_tables)
		unwind_tables_note(&source->feed.tables, source->sampler.profile);
}

/* ---- Draining ---- */

void bpf_source_track(struct bpf_source *source, uint64_t until)
{
	struct perf_merge *merge = &source->processes.merge;
	struct perf_ring *ring;
	struct bytes record;

	while (perf_merge_next(merge, until, &record, &ring)) {
		sampler_record(&source->sampler, record, ring->layout);
		perf_merge_done(ring);
	}
}

/* The bytes that an event has to have, at least; 0: there is no such event. */
static size_t event_size(const struct bpf_source *source, struct bytes record)
{
	static const size_t sizes[] = {[EVENT_SPACE] = sizeof(struct event_space),
		[EVENT_CHUNK] = sizeof(struct event_chunk),
		[EVENT_COPY] = sizeof(struct event_copy),
		[EVENT_GROUP] = sizeof(struct event_group)};
	uint8_t type = record.len ? (uint8_t)*record.at : 0;
	const void *any = record.at;

	if (type == EVENT_COPY && record.len >= sizes[type])
		return sizes[type] + ((const struct event_copy *)any)->copied;
	return type < sizeof(sizes) / sizeof(*sizes) && sizes[type] ? sizes[type]
								    : source->records->size(type);
}

/* The events of all modes (but EVENT_HIT) begin as struct event_space does. */
static uint64_t event_time(const struct bpf_source *source, const void *record)
{
	const struct event_space *any = record;

	return source->records->size(any->type) ? source->records->time(record) : any->time;
}

static void take_group(struct bpf_source *source, const struct event_group *event)
{
	if (source->sampler.cgroups)
		cgroup_labels_set_thread(source->sampler.cgroups, (int32_t)event->tid, event->id);
}

/* Take an event. False: it is later than `until`: what happened to processes before it may not have
 * come yet. */
static bool take(struct bpf_source *source, struct bytes record, uint64_t until)
{
	uint8_t type = record.len ? (uint8_t)*record.at : 0;
	size_t size = event_size(source, record);
	const void *any = record.at;
	uint64_t time;

	if (!size || record.len < size) {
		source->malformed++;
		return true;
	}
	time = event_time(source, any);
	if (time > until)
		return false;
	bpf_source_track(source, time);
	if (type == EVENT_SPACE)
		chunk_table_space(&source->chunks, any);
	else if (type == EVENT_CHUNK)
		chunk_table_add(&source->chunks, any);
	else if (type == EVENT_COPY)
		chunk_table_walk(&source->chunks, any);
	else if (type == EVENT_GROUP)
		take_group(source, any);
	else
		source->malformed += !source->records->take(source->context, any);
	return true;
}

void bpf_source_take(struct bpf_source *source, struct bytes record)
{
	take(source, record, UINT64_MAX);
}

/* Programs emit what they then meet again with new numbers; the old numbers stay valid here. */
void bpf_source_empty(struct bpf_source *source, const char *map, size_t key_size, size_t most)
{
	int fd = bpf_map__fd(map_named(source, map));
	char *at = memory_new(2, key_size), *next = at + key_size;
	bool more = !bpf_map_get_next_key(fd, NULL, next);

	for (size_t i = 0; more && i < 2 * most; i++) {
		memcpy(at, next, key_size);
		more = !bpf_map_get_next_key(fd, at, next);
		bpf_map_delete_elem(fd, at);
	}
	free(at);
}

void bpf_source_drain(struct bpf_source *source, bool last)
{
	uint64_t now = monotonic_ns(), until = now - DELAY;
	struct bytes record;

	if (bpf_ring_update(&source->ring) >= WAKEUP || last)
		until = UINT64_MAX;
	perf_merge_update(&source->processes.merge);
	if (source->by_tables && !last)
		unwind_feed_update(&source->feed, now);
	for (unsigned taken = 1;
		bpf_ring_next(&source->ring, &record) && take(source, record, until); taken++) {
		bpf_ring_done(&source->ring);
		/* Until programs have the tables that they request, they copy stacks. */
		if (source->by_tables && taken % SERVE_EVERY == 0)
			unwind_tables_serve(&source->feed.tables);
	}
	if (!last)
		bpf_source_track(source, until);
	if (source->chunks.added > CHUNKS_MAX / 4 * 3) {
		bpf_source_empty(source, "chunks", sizeof(struct chunk), CHUNKS_MAX);
		source->chunks.added = 0;
	}
}

/* Count how the walk of a stack's user half ended, if it has one. */
static void count_end(struct bpf_source *source, uint32_t chunk)
{
	struct sampler *s = &source->sampler;
	bool guessed;
	unsigned end;

	if (!chunk_table_end(&source->chunks, chunk, &end, &guessed))
		return;
	if (!source->by_tables) {
		s->chains++;
		return;
	}
	s->walked++;
	s->complete += end == UNWIND_COMPLETE;
	if (end < UNWIND_ENDS)
		s->stacks.ends[end]++;
	s->stacks.guessed += guessed;
}

stack_id bpf_source_stack_above(struct bpf_source *source, stack_id root, uint32_t chunk)
{
	if (!chunk_table_stack(&source->chunks, root, chunk, &root))
		source->malformed++;
	return root;
}

stack_id bpf_source_stack(struct bpf_source *source, thread_id thread, uint32_t chunk)
{
	stack_id root = chunk_table_root(&source->chunks, thread);

	count_end(source, chunk);
	return bpf_source_stack_above(source, root, chunk);
}

void bpf_source_label(struct bpf_source *source, struct sample *sample)
{
	const struct profile *p = source->sampler.profile;

	if (!source->sampler.cgroups)
		return;
	sample->has |= SAMPLE_LABELS;
	sample->labels =
		cgroup_labels_thread(source->sampler.cgroups, p->threads.items[sample->thread].tid);
}

/* ---- Deferred events ---- */

/* Has the kernel this function? If not, libbpf searches it in the kernel's modules when it loads
 * the programs, which takes CAP_SYS_ADMIN: libbpf 1.1 (Debian 12) fails without it. It does this
 * once for each object: so let it fail here, where that is no harm. */
static bool has_task_work(struct bpf_program *program)
{
	if (bpf_has_task_work())
		return true;
	bpf_program__set_attach_target(program, 0, TASK_WORK_FUNCTION);
	return false;
}

bool bpf_source_waits_for_pages(const struct bpf_source *source, const struct session *s,
	struct bpf_program *program, struct bpf_map *deferred_stacks)
{
	bool waits = has_task_work(program) && source->by_tables && !s->options->no_page_in;

	if (waits && deferred_stacks)
		bpf_map__set_max_entries(deferred_stacks, DEFERRED_MAX);
	return waits;
}

/* Threads that return from now on find no event. One that is being emitted is finished at once, as
 * its program cannot be preempted. */
void bpf_source_collect(struct bpf_source *source, struct deferred_event *deferred)
{
	const struct timespec pause = {.tv_nsec = 100000};

	for (size_t i = 0; i < DEFERRED_MAX; i++) {
		struct deferred_event *slot = &deferred[i];
		uint32_t state = DEFERRED_READY;

		if (__atomic_compare_exchange_n(&slot->state, &state, DEFERRED_FREE, false,
			    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			buffer_add(&source->left, slot->words, sizeof(slot->words));
		while (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != DEFERRED_FREE)
			nanosleep(&pause, NULL);
	}
}

void bpf_source_take_left(struct bpf_source *source)
{
	size_t size = sizeof(((struct deferred_event *)NULL)->words);

	for (size_t at = 0; at < source->left.len; at += size)
		take(source, (struct bytes){source->left.at + at, size}, UINT64_MAX);
	source->left.len = 0;
}

/* ---- The end ---- */

void bpf_source_counts(const struct bpf_source *source, uint64_t *ret_counts, size_t words)
{
	int cpus = libbpf_num_possible_cpus();
	uint32_t first = 0;
	uint64_t *each;

	memset(ret_counts, 0, words * sizeof(*ret_counts));
	if (cpus <= 0)
		return;
	each = memory_new((size_t)cpus, words * sizeof(*each));
	if (!bpf_map__lookup_elem(map_named(source, "counts"), &first, sizeof(first), each,
		    (size_t)cpus * words * sizeof(*each), 0))
		for (size_t i = 0; i < (size_t)cpus * words; i++)
			ret_counts[i % words] += each[i];
	free(each);
}

uint64_t bpf_source_missed(const struct bpf_source *source, const char *program)
{
	const struct bpf_program *found =
		bpf_object__find_program_by_name(*source->programs->obj, program);
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (!found || bpf_obj_get_info_by_fd(bpf_program__fd(found), &info, &len))
		return 0;
	return info.recursion_misses;
}

void bpf_source_account(struct session *s, uint32_t first, uint32_t count, uint64_t expected,
	const struct bpf_loss *losses)
{
	s->counts.lost = 0;
	for (const struct bpf_loss *loss = losses; loss->reason; loss++)
		s->counts.lost += loss->count;
	for (uint32_t i = first; i < first + count; i++) {
		struct stream_row *row = &s->profile.streams.items[i].row;

		row->delivered = s->counts.delivered;
		row->expected = expected;
		for (const struct bpf_loss *loss = losses; loss->reason; loss++)
			if (loss->count)
				profile_add_loss(
					&s->profile, i, bytes_of(loss->reason), loss->count);
	}
}
