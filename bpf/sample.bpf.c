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
__u64 tallied[2]; /* entries, in even and odd ones */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TALLIES_MOST);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tally_key);
	__type(value, __u64);
} tallies SEC(".maps");

/* False: there was no room for it. */
static __always_inline bool tally(const struct tally_key *key)
{
	__u64 *known = bpf_map_lookup_elem(&tallies, key), one = 1;

	if (!known) {
		if (!bpf_map_update_elem(&tallies, key, &one, BPF_NOEXIST)) {
			__sync_fetch_and_add(&tallied[key->epoch & 1], 1);
			return true;
		}
		known = bpf_map_lookup_elem(&tallies, key); /* from another CPU, just now */
	}
	if (known)
		__sync_fetch_and_add(known, 1);
	return known;
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
