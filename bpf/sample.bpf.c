/* sample.bpf.c: where are the CPUs, whenever a timer asks? */
#include "bpf/later.h"
#include "bpf/targets.h"
#include "bpf/ticks.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile bool untimed; /* samples are counted, not told */

/* A thread that is recorded: its timer knows that. */
struct thread {
	struct mark mark;
	__u32 ticks; /* see bpf/ticks.h */
};

MODE_TABLES(struct thread, struct sample_counts)

static __always_inline void marked(struct task_struct *task)
{
}

/* ---- Whose time is it? ---- */

bool of_command; /* events are those of the command's own control group: who is in it is marked */

/* Events of a control group begin while the kernel still is on its way from whoever ran before. */
static __always_inline bool switching(struct task_struct *task)
{
	return asked.groups ? !in_groups(task) : of_command && !mark_of(task, 0);
}

/* ---- Counting ---- */

__u32 epoch; /* what is counted now; the recorder begins a new one, then takes the old one out */
__u64 tallied[2];		 /* rows that even and odd ones took, or wanted to */
const volatile __u32 tally_room; /* rows of an epoch */

/* The recorder reads rows where they are: asking for all entries of a hash table, most of which are
 * empty, takes 0.6 ms. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TALLIES_MOST);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tally_row);
} tallies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TALLIES_MOST);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tally_key);
	__type(value, __u32); /* row */
} tally_numbers SEC(".maps");

static __always_inline struct tally_row *tally_known(const struct tally_key *key)
{
	__u32 *number = bpf_map_lookup_elem(&tally_numbers, key);

	return number ? bpf_map_lookup_elem(&tallies, number) : NULL;
}

/* A row stays unused when another CPU has made one just now. */
static __always_inline struct tally_row *tally_new(const struct tally_key *key)
{
	__u64 taken = __sync_fetch_and_add(&tallied[key->epoch & 1], 1);
	__u32 number = (key->epoch & 1) * tally_room + (__u32)taken;
	struct tally_row *row = taken < tally_room ? bpf_map_lookup_elem(&tallies, &number) : NULL;

	if (!row)
		return NULL;
	row->who = *key;
	return bpf_map_update_elem(&tally_numbers, key, &number, BPF_NOEXIST) ? tally_known(key)
									      : row;
}

/* False: there was no room for it. Who reads a count reads also whose it is: what returns the old
 * value is a barrier. */
static __always_inline bool tally(const struct tally_key *key)
{
	struct tally_row *row = tally_known(key);

	if (!row)
		row = tally_new(key);
	return row && __sync_fetch_and_add(&row->count, 1) + 1;
}

/* Counts are added to by one instruction: what is told later may be interrupted. */
static __always_inline void tell(const struct told_sample *sample)
{
	struct tally_key key = {
		.epoch = epoch, .pid = sample->pid, .tid = sample->tid, .chunk = sample->chunk};
	struct sample_counts *c = counted();

	if (!c)
		return;
	if (untimed)
		count(&c->map_full, !tally(&key));
	else if (bpf_ringbuf_output(&ring, (void *)sample, sizeof(*sample), ring_wakeup()))
		count(&c->ring_full, 1);
}

static __always_inline bool passed_over(struct task_struct *task, struct sample_counts *c)
{
	struct thread *t = every > 1 ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	if (!t || !tick_passed_over(&t->ticks))
		return false;
	count(&c->passed_over, 1);
	return true;
}

static __always_inline void later_tell(union later_told *told, __u32 chunk)
{
	if (chunk)
		told->sample.chunk = chunk;
	tell(&told->sample);
}

SEC("perf_event")
int on_sample(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_counts *c = counted();
	struct told_sample sample = {.told = TOLD_SAMPLE,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.pid = process_number(task),
		.tid = thread_number(task)};
	struct stack_room *room = stack_room(ROOM_SAMPLED);

	if (!c || !room || passed_over(task, c))
		return 0;
	if (switching(task)) {
		sample.pid = sample.tid = 0;
		sample.chunk = SAMPLE_SWITCHING;
		tell(&sample);
		return 0;
	}
	stack_take_as(room, ctx, task, asked.kernel_frames, NULL, NULL);
	sample.chunk = room->id;
	if (room->lost)
		count(&c->ring_full, 1);
	else if (!later_keep(room, task, &sample, sizeof(sample)))
		tell(&sample);
	return 0;
}
