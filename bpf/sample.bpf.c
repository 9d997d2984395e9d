/* sample.bpf.c: what do the CPUs do, whenever a timer fires? (--mode cpu) */
#include "bpf/shared/sample.h"
#include "bpf/deferred.h"
#include "bpf/mode.h"
#include "bpf/ticks.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile bool untimed; /* samples are counted instead of emitted */

/* A thread that is recorded. (All timers of the recording fire in such threads.) */
struct thread {
	struct mark mark;
	__u32 ticks; /* see bpf/ticks.h */
};

MODE_MAPS(struct thread, struct sample_counts)

static __always_inline void on_marked(struct task_struct *task)
{
}

/* ---- Which thread does a sample belong to? ---- */

bool of_command; /* timers are those of the command's own control group, whose threads are marked */

/* The timers of a control group start while the kernel is still switching from a thread that is not
 * in it. */
static __always_inline bool switching(struct task_struct *task)
{
	return config.group_count ? !is_in_groups(task) : of_command && !mark_of(task, 0);
}

/* ---- Counting ---- */

/* Counts are taken out by epochs: the recorder starts a new epoch, and takes out the rows of the
 * old one when no program uses them any more. */
__u32 epoch;
__u64 tallied[2];		 /* rows that even and odd epochs took, or wanted to */
const volatile __u32 tally_room; /* rows of an epoch */

/* Rows are in an array that the recorder maps, and a hash table finds them: to read all entries of
 * a hash table by system calls takes 0.6 ms even when most are empty. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TALLIES_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tally_row);
} tallies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TALLIES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tally_key);
	__type(value, __u32); /* row */
} tally_numbers SEC(".maps");

static __always_inline struct tally_row *tally_known(const struct tally_key *key)
{
	__u32 *number = bpf_map_lookup_elem(&tally_numbers, key);

	return number ? bpf_map_lookup_elem(&tallies, number) : NULL;
}

/* If another CPU has made a row for the key just now, this one stays unused. */
static __always_inline struct tally_row *tally_new(const struct tally_key *key)
{
	__u64 taken = __sync_fetch_and_add(&tallied[key->epoch & 1], 1);
	__u32 number = (key->epoch & 1) * tally_room + (__u32)taken;
	struct tally_row *row = taken < tally_room ? bpf_map_lookup_elem(&tallies, &number) : NULL;

	if (!row)
		return NULL;
	row->key = *key;
	return bpf_map_update_elem(&tally_numbers, key, &number, BPF_NOEXIST) ? tally_known(key)
									      : row;
}

/* Count a sample; false: there is no room. The recorder reads row->key after it has seen a count:
 * an atomic operation that returns the old value is a barrier, which makes that right. */
static __always_inline bool tally(const struct tally_key *key)
{
	struct tally_row *row = tally_known(key);

	if (!row)
		row = tally_new(key);
	return row && __sync_fetch_and_add(&row->count, 1) + 1;
}

static __always_inline void emit(const struct event_sample *sample)
{
	struct tally_key key = {
		.epoch = epoch, .pid = sample->pid, .tid = sample->tid, .chunk = sample->chunk};
	struct sample_counts *c = counters();

	if (!c)
		return;
	if (untimed)
		count(&c->map_full, !tally(&key));
	else if (!ring_emit(sample, sizeof(*sample)))
		count(&c->ring_full, 1);
}

static __always_inline bool skipped(struct task_struct *task, struct sample_counts *c)
{
	struct thread *t = every > 1 ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	if (!t || !tick_skipped(&t->ticks))
		return false;
	count(&c->skipped, 1);
	return true;
}

static __always_inline void emit_deferred(const __u64 *event, __u32 chunk)
{
	struct event_sample sample;

	__builtin_memcpy(&sample, event, sizeof(sample));
	if (chunk)
		sample.chunk = chunk;
	emit(&sample);
}

SEC("perf_event")
int on_sample(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_counts *c = counters();
	struct event_sample sample = {.type = EVENT_SAMPLE,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.pid = recorder_pid(task),
		.tid = recorder_tid(task)};
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_CURRENT);

	if (!c || !scratch || skipped(task, c))
		return 0;
	if (switching(task)) {
		sample.pid = sample.tid = 0;
		sample.chunk = SAMPLE_SWITCHING;
		emit(&sample);
		return 0;
	}
	stack_take_as(scratch, ctx, task, config.kernel_frames, NULL, NULL);
	sample.chunk = scratch->id;
	if (scratch->lost)
		count(&c->ring_full, 1);
	else if (!event_defer(scratch, task, &sample, sizeof(sample), false))
		emit(&sample);
	return 0;
}
