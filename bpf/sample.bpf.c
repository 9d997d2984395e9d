/* sample.bpf.c: where are the CPUs, whenever a timer asks? */
#include "bpf/targets.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile bool untimed; /* samples are counted, not told */

/* A thread that is recorded: its timer knows that. */
struct thread {
	struct mark mark;
};

MODE_TABLES(struct thread, struct sample_counts)

static __always_inline void marked(struct task_struct *task)
{
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

SEC("perf_event")
int on_sample(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_counts *c = counted();
	struct told_sample sample = {.told = TOLD_SAMPLE,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.pid = (__u32)task->tgid,
		.tid = (__u32)task->pid};
	struct tally_key key = {.epoch = epoch, .pid = sample.pid, .tid = sample.tid};
	bool lost = false;

	if (!c)
		return 0;
	sample.chunk = key.chunk = stack_take_sampled(ctx, task, &lost);
	if (lost)
		c->ring_full++;
	else if (untimed)
		c->map_full += !tally(&key);
	else
		c->ring_full +=
			bpf_ringbuf_output(&ring, &sample, sizeof(sample), ring_wakeup()) != 0;
	return 0;
}
