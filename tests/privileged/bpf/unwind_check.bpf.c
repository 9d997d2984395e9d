/* unwind_check.bpf.c: user stacks as bpf/unwind.h takes them, with what they were taken from. */
#include "tests/privileged/bpf/unwind_check.h"
#include "bpf/copies.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile __u64 copy_every = 16; /* samples */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} ring SEC(".maps");

/* Stacks that user space walks because they cannot be walked here yet. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct user_stack);
} scratch SEC(".maps");

/* Processes that are looked at, by tgid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* Samples by how long their walk took, in steps of WALK_STEP. */
__u64 walks[WALK_STEPS];
__u64 samples, frames, walk_ns, lost, handed_over, ends[USER_STACK_ENDS];

/* The registers, and the stack from the page of its pointer to the first that is absent. */
static __always_inline void copy_stack(struct taken *t)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 regs = bpf_task_pt_regs(task);

	t->copied = 0;
	bpf_probe_read_kernel(t->regs, sizeof(t->regs), (const void *)regs);
	for (__u32 i = 0; i < TAKEN_PAGES; i++) {
		__u64 at = (t->regs[TAKEN_SP] & -TAKEN_PAGE) + i * TAKEN_PAGE;

		if (bpf_probe_read_user(t->bytes + i * TAKEN_PAGE, TAKEN_PAGE, (const void *)at))
			break;
		t->copied += TAKEN_PAGE;
	}
}

static __always_inline void tell(const struct user_stack *s, __u64 ns)
{
	struct taken *t = bpf_ringbuf_reserve(&ring, sizeof(*t), 0);

	if (!t) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	t->ns = ns;
	t->pid_tgid = bpf_get_current_pid_tgid();
	bpf_probe_read_kernel(&t->stack, sizeof(t->stack), s);
	copy_stack(t);
	bpf_ringbuf_submit(t, 0);
}

/* False: there is no room for it. */
static __always_inline bool hand_over(const struct user_stack *s, __u32 tgid, __u32 pages)
{
	struct event_copy *told = bpf_ringbuf_reserve(&copies, COPY_SIZE(pages), 0);

	if (!told)
		return false;
	copy_take(told, bpf_get_current_task_btf(), s, pages);
	told->space = tgid;
	bpf_ringbuf_submit(told, 0);
	return true;
}

static __always_inline bool copied(const struct user_stack *s, __u32 tgid)
{
	if (!needs_copy(s) || !copy_allowed(tgid))
		return false;
	return copy_large(s) ? hand_over(s, tgid, COPY_LARGE) : hand_over(s, tgid, COPY_SMALL);
}

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *context)
{
	__u32 zero = 0, tgid = bpf_get_current_pid_tgid() >> 32;
	struct user_stack *s = bpf_map_lookup_elem(&scratch, &zero);
	__u64 before, ns;

	if (!s || !bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	before = bpf_ktime_get_ns();
	user_stack_take(s, 0, (__u32)(bpf_get_current_pid_tgid() >> 32));
	ns = bpf_ktime_get_ns() - before;
	__sync_fetch_and_add(&walk_ns, ns);
	ns /= WALK_STEP;
	if (ns >= WALK_STEPS)
		ns = WALK_STEPS - 1;
	asm volatile("" : "+r"(ns)); /* the verifier sees the mask only */
	__sync_fetch_and_add(&walks[ns & (WALK_STEPS - 1)], 1);
	if (copied(s, tgid)) {
		__sync_fetch_and_add(&handed_over, 1);
	} else {
		__sync_fetch_and_add(&frames, s->count);
		if (s->end < USER_STACK_ENDS)
			__sync_fetch_and_add(&ends[s->end], 1);
	}
	if (__sync_fetch_and_add(&samples, 1) % copy_every == 0)
		tell(s, ns);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = parent->tgid, new = child->tgid;
	__u8 *followed = bpf_map_lookup_elem(&targets, &tgid), yes = 1;

	unwind_forked(tgid, new);
	if (followed)
		bpf_map_update_elem(&targets, &new, &yes, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	unwind_executed(task->tgid);
	return 0;
}
