/* off.bpf.c: how long, and why, are threads off the CPU? (With --mode wall, where they are on it:
 * bpf/runs.h.) */
#define STACK_ROOMS 4
#define ROOM_LATER  3
#include "bpf/calls.h"
#include "bpf/runs.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* The room for stacks of threads whose wait has ended; interrupts may want the others meanwhile. */
#define ROOM_ARRIVING 2

const volatile __u64 least, most = ~0ull; /* ns that a wait has to last */
const volatile __u8 states[WAIT_PLACES];  /* bits by enum wait_kind, of where threads wait... */
const volatile __u8 states_io;		  /* ... for input and output, wherever that is */
const volatile struct origin waking;	  /* asked.origin, of what wakes threads up */
const volatile bool wakers;
const volatile bool late; /* stacks are taken when a wait has ended, see on_arrived */

/* Is the current thread's wait to be told, on each CPU? */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} arriving SEC(".maps");

/* ---- Off the CPU ---- */

static __always_inline bool wanted_state(__u8 kind, __u16 in)
{
	__u8 bits = states[in % WAIT_PLACES];

	if (in & WAIT_IN_IO)
		bits |= states_io;
	return bits >> kind & 1;
}

static __always_inline __u8 kind_of(bool preempt, __u32 state)
{
	if (preempt || !state)
		return WAIT_PREEMPTED;
	if (state & TASK_INTERRUPTIBLE)
		return WAIT_SLEEPING;
	if (state & TASK_STOPPED)
		return WAIT_STOPPED;
	if (state & (TASK_NOLOAD | TASK_PARKED))
		return WAIT_IDLE;
	return WAIT_DISK;
}

static __always_inline void set_kind(struct thread *t, struct task_struct *task, __u8 kind)
{
	t->kind = kind;
	t->in = kind == WAIT_SLEEPING || kind == WAIT_DISK ? waits_in(task) : 0;
	t->waker_chunk = 0;
}

static __always_inline __u32 parts_of(const struct told_wait *wait)
{
	return (wait->kept && wanted_state(wait->kind, wait->in)) +
	       (wait->queued && wanted_state(WAIT_QUEUE, 0));
}

/* The wait of a thread up to now; false when it is not asked for. */
static __always_inline bool wait_until(struct task_struct *task, const struct thread *t, __u64 now,
	struct told_wait *ret, __u32 *ret_parts)
{
	__u64 whole = now - t->since, kept = whole;
	struct wait_counts *c = counted();

	if (!c)
		return false;
	if (whole < least) {
		count(&c->short_waits, 1);
		count(&c->short_ns, whole);
		return false;
	}
	if (whole > most) {
		count(&c->long_waits, 1);
		count(&c->long_ns, whole);
		return false;
	}
	if (t->kind != WAIT_PREEMPTED && t->woken)
		kept = t->woken - t->since;
	*ret = (struct told_wait){.told = TOLD_WAIT,
		.kind = t->kind,
		.cpu = t->cpu,
		.chunk = t->chunk,
		.since = t->since,
		.kept = kept,
		.queued = whole - kept,
		.pid = process_number(task),
		.tid = thread_number(task),
		.in = t->in};
	if (wakers) {
		ret->waker_chunk = t->waker_chunk;
		ret->waker_pid = t->waker_pid;
		ret->waker_tid = t->waker_tid;
	}
	*ret_parts = parts_of(ret);
	if (*ret_parts && asked.tell_groups)
		tell_group(task);
	return *ret_parts;
}

/* At the end of the recording threads come back while others list who waits: a wait is told by who
 * takes it. */
static __always_inline bool take(struct thread *t, const struct told_wait *wait)
{
	__u64 since = wait->since;

	return since && __sync_val_compare_and_swap(&t->since, since, 0) == since;
}

/* `room`: with its stack, of which a page may have been absent; or NULL. */
static __always_inline void tell_from(struct task_struct *task, struct stack_room *room,
	struct thread *t, const struct told_wait *wait, __u32 parts)
{
	struct wait_counts *c = counted();

	if (!c || !take(t, wait))
		return;
	count(&c->parts, parts);
	if (room && !t->lost && later_keep(room, task, wait, sizeof(*wait)))
		return;
	if (t->lost || bpf_ringbuf_output(&ring, (void *)wait, sizeof(*wait), ring_wakeup()))
		count(&c->ring_full, parts);
}

static __always_inline void tell(struct thread *t, const struct told_wait *wait, __u32 parts)
{
	tell_from(NULL, NULL, t, wait, parts);
}

/* A wait that was found to be one to tell. */
static __always_inline void tell_ended(
	struct task_struct *task, struct stack_room *room, struct thread *t)
{
	struct told_wait wait;
	__u32 parts;

	if (t->since && wait_until(task, t, t->ended, &wait, &parts))
		tell_from(task, room, t, &wait, parts);
	t->since = t->ended = 0;
}

/* A part is known to be, but not how long it is. */
static __always_inline void miss(__u8 kind, __u16 in)
{
	struct wait_counts *c = wanted_state(kind, in) ? counted() : NULL;

	if (!c)
		return;
	count(&c->parts, 1);
	count(&c->unseen, 1);
}

/* It leaves, and was not seen to come back: kernels do not tell of every switch. Up to where it was
 * woken up, it did wait. */
static __always_inline void came_back_unseen(struct task_struct *task, struct thread *t, __u64 now)
{
	struct told_wait wait;
	__u32 parts;
	__u64 ran;

	if (!t->since)
		return;
	if (on_cpu) {
		ran = used_since(task, t, now - t->since);
		t->ran += ran;
		if (t->woken > now - ran)
			t->woken = now - ran;
		if (wait_until(task, t, now - ran, &wait, &parts))
			tell(t, &wait, parts);
		t->since = 0;
		return;
	}
	if (t->woken)
		miss(WAIT_QUEUE, 0);
	else
		miss(t->kind, t->in);
	if (t->woken && wait_until(task, t, t->woken, &wait, &parts))
		tell(t, &wait, parts);
	t->since = 0;
}

static __always_inline void take_leaving(void *ctx, struct task_struct *task, struct thread *t)
{
	struct stack_room *room = stack_room(ROOM_SAMPLED);

	if (!room)
		return;
	stack_take_as(room, ctx, task, asked.kernel_frames, &asked.origin, &t->memo);
	t->chunk = room->id;
	t->lost = room->lost;
	t->paged = page_due(room);
}

static __always_inline void leave(
	void *ctx, struct task_struct *task, bool preempt, __u32 state, __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct thread *t;

	if (!task->pid)
		return;
	t = thread_of(task);
	if (!t)
		return;
	if (t->ended)
		tell_ended(task, NULL, t); /* its arrival was not seen */
	if (t->off)
		came_back_unseen(task, t, now);
	t->off = true;
	run_ends(t, now);
	if (on_cpu)
		t->used = task->se.sum_exec_runtime;
	if (state & TASK_ENDED && t->ran)
		tell_run(task, t, now, false);
	if (state & TASK_ENDED || too_early(&t->mark, task) || !wanted_cpu(cpu))
		return;
	set_kind(t, task, kind_of(preempt, state));
	if (!wanted_state(t->kind, t->in) &&
		(t->kind == WAIT_PREEMPTED || !wanted_state(WAIT_QUEUE, 0)))
		return;
	t->lost = t->bare = t->before = t->paged = false;
	t->chunk = 0;
	if (!late)
		take_leaving(ctx, task, t);
	t->woken = 0;
	t->cpu = (__u16)cpu;
	t->since = now;
}

/* Is its stack taken when it is there again? Because it is only then, or not all of it was known.
 */
static __always_inline bool taken_there(const struct thread *t)
{
	return late ? !t->bare : wait_for_pages && (t->before || t->paged);
}

/* A wait has ended. */
static __always_inline void arrive(struct task_struct *task, struct thread *t, __u64 now)
{
	struct told_wait wait;
	__u32 first = 0, parts, *waits;

	if (!t->since)
		return;
	waits = taken_there(t) ? bpf_map_lookup_elem(&arriving, &first) : NULL;
	if (!wait_until(task, t, now, &wait, &parts)) {
		t->since = 0;
	} else if (waits) {
		t->ended = now;
		*waits = 1;
	} else {
		tell(t, &wait, parts);
		t->since = 0;
	}
}

static __always_inline void come_back(struct task_struct *task, __u64 now)
{
	struct thread *t;
	bool elsewhere;

	if (!task->pid)
		return;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!t || t->mark.early)
		return;
	elsewhere = asked.groups && !in_groups(task);
	if (!t->off && !elsewhere && on_cpu)
		left_unseen(task, t, now);
	else if (!t->off && !asked.by_cpu && !elsewhere)
		miss(WAIT_PREEMPTED, 0); /* or for anything else: it was not seen to leave */
	arrive(task, t, now);
	t->off = elsewhere; /* then it leaves unseen, too */
	if (!on_cpu)
		return;
	t->ran_since = 0;
	if (!elsewhere)
		run_begins(t, now);
	t->used = task->se.sum_exec_runtime;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	unsigned int state)
{
	__u64 now = bpf_ktime_get_ns();

	leave(ctx, prev, preempt, state, now);
	come_back(next, now);
	return 0;
}

/* The thread that a switch went to is the current one: from here on what it has in user space can
 * be read, and its wait is known to be one that is told. Linux has had this since 6.17. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_arrived)
{
	__u32 first = 0, *waits = bpf_map_lookup_elem(&arriving, &first);
	struct task_struct *task;
	struct stack_room *room;
	struct thread *t;

	if (!waits || !*waits)
		return 0;
	*waits = 0;
	task = bpf_get_current_task_btf();
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	room = stack_room(ROOM_ARRIVING);
	if (!t || !t->ended || !room)
		return 0;
	stack_take_as(room, ctx, task, asked.kernel_frames, &asked.origin, &t->memo);
	t->chunk = room->id;
	t->lost |= room->lost;
	t->before = t->paged = false;
	tell_ended(task, room, t);
	return 0;
}

static __always_inline void later_tell_wait(struct told_wait *wait)
{
	struct wait_counts *c = counted();

	if (c && bpf_ringbuf_output(&ring, (void *)wait, sizeof(*wait), ring_wakeup()))
		count(&c->ring_full, parts_of(wait));
}

static __always_inline void later_tell(union later_told *told, __u32 chunk)
{
	__u32 known = told->run.chunk;

	if (told->run.told == TOLD_RUN) {
		if (chunk)
			told->run.chunk = chunk;
		later_tell_run(&told->run, known);
	} else {
		if (chunk)
			told->wait.chunk = chunk;
		later_tell_wait(&told->wait);
	}
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (t && t->since && !t->woken && !t->ended)
		t->woken = bpf_ktime_get_ns();
	return 0;
}

/* Of whoever wakes it up; kernel frames tell whether that is an interrupt of it. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct task_struct *waker;
	bool lost = false;

	if (!t || !t->since || t->woken || t->ended || t->waker_chunk)
		return 0;
	waker = bpf_get_current_task_btf();
	t->waker_chunk = stack_take_from(ctx, waker, true, &waking, NULL, &lost);
	t->waker_pid = process_number(waker);
	t->waker_tid = thread_number(waker);
	t->lost |= lost;
	return 0;
}

/* ---- Who is recorded ---- */

/* A new thread waits for its first CPU. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_new, struct task_struct *task)
{
	struct thread *t = thread_of(task);

	if (!t || t->mark.early)
		return 0;
	t->since = t->woken = bpf_ktime_get_ns();
	set_kind(t, task, WAIT_QUEUE);
	t->off = t->bare = true;
	t->chunk = 0;
	t->lost = false;
	t->cpu = (__u16)bpf_get_smp_processor_id();
	return 0;
}

/* A thread that is off the CPU already: its wait begins with the recording. */
static __always_inline void begin_waiting(struct task_struct *task, struct thread *t)
{
	__u32 state = task->__state;

	if (state & TASK_ENDED || t->since)
		return;
	set_kind(t, task, state ? kind_of(false, state) : WAIT_QUEUE);
	t->chunk = late ? 0 : stack_take_other(task, &t->lost);
	t->cpu = NO_CPU;
	t->since = bpf_ktime_get_ns();
	t->woken = state ? 0 : t->since;
	t->off = !task->on_cpu;
	t->before = true;
	if (!t->off)
		t->since = 0;
}

static __always_inline void marked(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!t)
		return;
	t->off = !task->on_cpu;
	if (asked.until_exec || asked.by_cpu)
		return;
	if (t->off)
		begin_waiting(task, t);
	else
		run_begins(t, bpf_ktime_get_ns());
}

/* Who still waits: a row for each, as if it were to run now. Who does not fit is come by again. */
static __always_inline void tell_waiting(
	struct bpf_iter__task *ctx, struct thread *t, struct told_wait *wait, __u32 parts)
{
	struct wait_counts *c = counted();

	if (!c || !take(t, wait))
		return;
	if (!t->lost && bpf_seq_write(ctx->meta->seq, wait, sizeof(*wait))) {
		t->since = wait->since;
		return;
	}
	count(&c->parts, parts);
	if (t->lost)
		count(&c->ring_full, parts);
	t->ended = 0;
}

/* NULL: it does not wait, or is nobody's business. */
static __always_inline struct thread *waiting_thread(struct task_struct *task)
{
	struct thread *t = task ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	return t && t->since ? t : NULL;
}

SEC("iter/task")
int still_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = waiting_thread(task);
	struct told_wait wait;
	__u32 parts;

	if (!t)
		return 0;
	if (wait_until(task, t, bpf_ktime_get_ns(), &wait, &parts))
		tell_waiting(ctx, t, &wait, parts);
	else
		t->since = 0;
	return 0;
}

__u32 waiting_left; /* threads whose stacks the ring had no room for, to be come by again */

/* Who has waited since before the recording has been marked by a program that may not sleep, and so
 * with no more of its user stack than where it left. If it still waits it has all of it. */
SEC("iter.s/task")
int waited_before(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = waiting_thread(task);
	__u32 known, chunk;
	bool lost = false;

	if (!t || !t->before)
		return 0;
	if (!copy_fits()) {
		waiting_left++;
		return 0;
	}
	known = t->chunk;
	chunk = stack_take_waiting(task, &lost);
	if (lost) {
		waiting_left++;
		return 0;
	}
	t->before = false;
	/* Unless it has left again meanwhile, with another stack. */
	if (chunk)
		__sync_val_compare_and_swap(&t->chunk, known, chunk);
	return 0;
}

/* The same where their stacks have not been taken yet. */
SEC("iter.s/task")
int still_waiting_late(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = waiting_thread(task);
	struct told_wait wait;
	__u32 parts;

	if (!t)
		return 0;
	if (!wait_until(task, t, t->ended ? t->ended : bpf_ktime_get_ns(), &wait, &parts)) {
		t->since = 0;
		return 0;
	}
	if (!copy_fits()) {
		waiting_left++;
		return 0;
	}
	if (!t->bare && !t->chunk)
		t->chunk = stack_take_waiting(task, &t->lost);
	wait.chunk = t->chunk;
	tell_waiting(ctx, t, &wait, parts);
	return 0;
}
