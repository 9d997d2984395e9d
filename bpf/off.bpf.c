/* off.bpf.c: how long, and why, are threads off the CPU? (--mode off; with --mode wall they are
 * recorded on the CPU as well, see bpf/runs.h.)
 *
 * A wait begins when the scheduler switches away from a thread: its reason and, mostly, its stack
 * are noted then. It ends when the scheduler switches to the thread again, which emits the event.
 * Where most waits are too short to be recorded, or not all of a stack was in memory, the stack is
 * taken only then, as the first thing that the thread does (on_switch_done).
 *
 * Threads that wait already when the recording starts are found by the iterator that marks threads;
 * threads that still wait when it ends are emitted by another iterator. Kernels do not report every
 * switch: a thread that leaves, and was not seen to come back, had a wait whose end is unknown; it
 * is counted as unseen, so that it shows as lost. */
#include "bpf/shared/off.h"
#include "bpf/calls.h"
#include "bpf/deferred.h"
#include "bpf/mode.h"
#include "bpf/off_thread.h"
#include "bpf/runs.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile __u64 min_duration, max_duration = ~0ull; /* of a wait that is recorded, ns */
const volatile __u8 states[WAIT_PLACES]; /* by place: bits by enum wait_kind that are recorded */
const volatile __u8 states_io;		 /* ... of waits for input and output in any place */
const volatile struct code_range wakeup_function; /* as config.tracepoint, for on_waking */
const volatile bool wakers;
const volatile bool stacks_deferred; /* stacks are taken when a wait has ended: on_switch_done */

/* Of each CPU: is the stack of the thread that it has switched to to be taken? */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} returning SEC(".maps");

/* ---- Off the CPU ---- */

static __always_inline bool is_selected(__u8 kind, __u16 in)
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

static __always_inline __u32 parts_of(const struct event_wait *wait)
{
	return (wait->blocked && is_selected(wait->kind, wait->in)) +
	       (wait->queued && is_selected(WAIT_QUEUE, 0));
}

/* The wait of a thread up to `now`, and how many parts of it are recorded; false: none. */
static __always_inline bool wait_until(struct task_struct *task, const struct thread *t, __u64 now,
	struct event_wait *ret, __u32 *ret_parts)
{
	__u64 whole = now - t->wait_start, blocked = whole;
	struct wait_counts *c = counters();

	if (!c)
		return false;
	if (whole < min_duration) {
		count(&c->short_waits, 1);
		count(&c->short_ns, whole);
		return false;
	}
	if (whole > max_duration) {
		count(&c->long_waits, 1);
		count(&c->long_ns, whole);
		return false;
	}
	if (t->kind != WAIT_PREEMPTED && t->woken)
		blocked = t->woken - t->wait_start;
	*ret = (struct event_wait){.type = EVENT_WAIT,
		.kind = t->kind,
		.cpu = t->cpu,
		.chunk = t->chunk,
		.start = t->wait_start,
		.blocked = blocked,
		.queued = whole - blocked,
		.pid = recorder_pid(task),
		.tid = recorder_tid(task),
		.in = t->in};
	if (wakers) {
		ret->waker_chunk = t->waker_chunk;
		ret->waker_pid = t->waker_pid;
		ret->waker_tid = t->waker_tid;
	}
	*ret_parts = parts_of(ret);
	if (*ret_parts && config.emit_groups)
		emit_group(task);
	return *ret_parts;
}

/* At the end of the recording, waits end while the iterator lists waiting threads: the program that
 * takes a wait emits it. */
static __always_inline bool take(struct thread *t, const struct event_wait *wait)
{
	__u64 start = wait->start;

	return start && __sync_val_compare_and_swap(&t->wait_start, start, 0) == start;
}

/* `scratch`: its stack, of which a page may be absent, if it has just been taken; or NULL. */
static __always_inline void emit_wait(struct task_struct *task, struct stack_scratch *scratch,
	struct thread *t, const struct event_wait *wait, __u32 parts)
{
	struct wait_counts *c = counters();

	if (!c || !take(t, wait))
		return;
	count(&c->parts, parts);
	if (scratch && !t->lost && event_defer(scratch, task, wait, sizeof(*wait), false))
		return;
	if (t->lost || !ring_emit(wait, sizeof(*wait)))
		count(&c->ring_full, parts);
}

/* A wait that has ended, and is recorded. */
static __always_inline void emit_ended(
	struct task_struct *task, struct stack_scratch *scratch, struct thread *t)
{
	struct event_wait wait;
	__u32 parts;

	if (t->wait_start && wait_until(task, t, t->wait_end, &wait, &parts))
		emit_wait(task, scratch, t, &wait, parts);
	t->wait_start = t->wait_end = 0;
}

/* There was a part, but its length is not known. */
static __always_inline void count_unseen(__u8 kind, __u16 in)
{
	struct wait_counts *c = is_selected(kind, in) ? counters() : NULL;

	if (!c)
		return;
	count(&c->parts, 1);
	count(&c->unseen, 1);
}

/* A thread leaves, and was not seen to come back. Until it was woken up, it did wait. With
 * `on_cpu`, the scheduler's account says how long it has run since. */
static __always_inline void missed_switch_in(struct task_struct *task, struct thread *t, __u64 now)
{
	struct event_wait wait;
	__u32 parts;
	__u64 ran;

	if (!t->wait_start)
		return;
	if (on_cpu) {
		ran = cpu_time_since(task, t, now - t->wait_start);
		t->ran += ran;
		if (t->woken > now - ran)
			t->woken = now - ran;
		if (wait_until(task, t, now - ran, &wait, &parts))
			emit_wait(NULL, NULL, t, &wait, parts);
		t->wait_start = 0;
		return;
	}
	if (t->woken)
		count_unseen(WAIT_QUEUE, 0);
	else
		count_unseen(t->kind, t->in);
	if (t->woken && wait_until(task, t, t->woken, &wait, &parts))
		emit_wait(NULL, NULL, t, &wait, parts);
	t->wait_start = 0;
}

static __always_inline void take_stack(void *ctx, struct task_struct *task, struct thread *t)
{
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_CURRENT);

	if (!scratch)
		return;
	stack_take_as(scratch, ctx, task, config.kernel_frames, &config.tracepoint, &t->memo);
	t->chunk = scratch->id;
	t->lost = scratch->lost;
	t->page_absent = needs_page(scratch);
}

static __always_inline void switch_out(
	void *ctx, struct task_struct *task, bool preempt, __u32 state, __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct thread *t;

	if (!task->pid)
		return;
	t = thread_of(task);
	if (!t)
		return;
	if (t->wait_end)
		emit_ended(task, NULL, t); /* on_switch_done did not run */
	if (t->off_cpu)
		missed_switch_in(task, t, now);
	t->off_cpu = true;
	run_end(t, now);
	if (on_cpu)
		t->cpu_time = task->se.sum_exec_runtime;
	if (state & TASK_ENDED && t->ran)
		emit_run(task, t, now, false);
	if (state & TASK_ENDED || is_before_exec(&t->mark, task) || !is_recorded_cpu(cpu))
		return;
	set_kind(t, task, kind_of(preempt, state));
	if (!is_selected(t->kind, t->in) &&
		(t->kind == WAIT_PREEMPTED || !is_selected(WAIT_QUEUE, 0)))
		return;
	t->lost = t->no_stack = t->earlier_wait = t->page_absent = false;
	t->chunk = 0;
	if (!stacks_deferred)
		take_stack(ctx, task, t);
	t->woken = 0;
	t->cpu = (__u16)cpu;
	t->wait_start = now;
}

/* Is the stack of a wait taken when it has ended: because stacks are, or because not all of it was
 * known? */
static __always_inline bool stack_on_return(const struct thread *t)
{
	return stacks_deferred ? !t->no_stack
			       : wait_for_pages && (t->earlier_wait || t->page_absent);
}

/* A wait has ended. */
static __always_inline void end_wait(struct task_struct *task, struct thread *t, __u64 now)
{
	struct event_wait wait;
	__u32 first = 0, parts, *waits;

	if (!t->wait_start)
		return;
	waits = stack_on_return(t) ? bpf_map_lookup_elem(&returning, &first) : NULL;
	if (!wait_until(task, t, now, &wait, &parts)) {
		t->wait_start = 0;
	} else if (waits) {
		t->wait_end = now;
		*waits = 1;
	} else {
		emit_wait(NULL, NULL, t, &wait, parts);
		t->wait_start = 0;
	}
}

static __always_inline void switch_in(struct task_struct *task, __u64 now)
{
	struct thread *t;
	bool elsewhere;

	if (!task->pid)
		return;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!t || t->mark.before_exec)
		return;
	elsewhere = config.group_count && !is_in_groups(task);
	if (!t->off_cpu && !elsewhere && on_cpu)
		missed_switch_out(task, t, now);
	else if (!t->off_cpu && !config.by_cpu && !elsewhere)
		count_unseen(
			WAIT_PREEMPTED, 0); /* it was not seen to leave, so the reason is unknown */
	end_wait(task, t, now);
	t->off_cpu = elsewhere; /* then it is not seen to leave either */
	if (!on_cpu)
		return;
	t->run_start = 0;
	if (!elsewhere)
		run_begin(t, now);
	t->cpu_time = task->se.sum_exec_runtime;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	unsigned int state)
{
	__u64 now = bpf_ktime_get_ns();

	switch_out(ctx, prev, preempt, state, now);
	switch_in(next, now);
	return 0;
}

/* The thread that was switched to is the current one: its user memory can be read, and it is known
 * that its wait is recorded. Linux has this tracepoint since 6.17. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_switch_done)
{
	__u32 first = 0, *waits = bpf_map_lookup_elem(&returning, &first);
	struct task_struct *task;
	struct stack_scratch *scratch;
	struct thread *t;

	if (!waits || !*waits)
		return 0;
	*waits = 0;
	task = bpf_get_current_task_btf();
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	scratch = stack_scratch_get(SCRATCH_RETURN);
	if (!t || !t->wait_end || !scratch)
		return 0;
	stack_take_as(scratch, ctx, task, config.kernel_frames, &config.tracepoint, &t->memo);
	t->chunk = scratch->id;
	t->lost |= scratch->lost;
	t->earlier_wait = t->page_absent = false;
	emit_ended(task, scratch, t);
	return 0;
}

static __always_inline void emit_deferred_wait(struct event_wait *wait)
{
	struct wait_counts *c = counters();

	if (c && !ring_emit(wait, sizeof(*wait)))
		count(&c->ring_full, parts_of(wait));
}

static __always_inline void emit_deferred(const __u64 *event, __u32 chunk)
{
	struct event_wait wait;
	struct event_run run;
	__u32 known;

	if (*(const __u8 *)event == EVENT_RUN) {
		__builtin_memcpy(&run, event, sizeof(run));
		known = run.chunk;
		if (chunk)
			run.chunk = chunk;
		emit_deferred_run(&run, known);
	} else {
		__builtin_memcpy(&wait, event, sizeof(wait));
		if (chunk)
			wait.chunk = chunk;
		emit_deferred_wait(&wait);
	}
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (t && t->wait_start && !t->woken && !t->wait_end)
		t->woken = bpf_ktime_get_ns();
	return 0;
}

/* The stack of the waker. Its kernel frames tell whether an interrupt did it. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct task_struct *waker;
	bool lost = false;

	if (!t || !t->wait_start || t->woken || t->wait_end || t->waker_chunk)
		return 0;
	waker = bpf_get_current_task_btf();
	t->waker_chunk = stack_take_from(ctx, waker, true, &wakeup_function, NULL, &lost);
	t->waker_pid = recorder_pid(waker);
	t->waker_tid = recorder_tid(waker);
	t->lost |= lost;
	return 0;
}

/* ---- The start ---- */

/* A new thread waits for its first CPU. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_new, struct task_struct *task)
{
	struct thread *t = thread_of(task);

	if (!t || t->mark.before_exec)
		return 0;
	t->wait_start = t->woken = bpf_ktime_get_ns();
	set_kind(t, task, WAIT_QUEUE);
	t->off_cpu = t->no_stack = true;
	t->chunk = 0;
	t->lost = false;
	t->cpu = (__u16)bpf_get_smp_processor_id();
	return 0;
}

/* The wait of a thread that is off the CPU already begins with the recording. */
static __always_inline void begin_waiting(struct task_struct *task, struct thread *t)
{
	__u32 state = task->__state;

	if (state & TASK_ENDED || t->wait_start)
		return;
	set_kind(t, task, state ? kind_of(false, state) : WAIT_QUEUE);
	t->chunk = stacks_deferred ? 0 : stack_take_other(task, &t->lost);
	t->cpu = NO_CPU;
	t->wait_start = bpf_ktime_get_ns();
	t->woken = state ? 0 : t->wait_start;
	t->off_cpu = !task->on_cpu;
	t->earlier_wait = true;
	if (!t->off_cpu)
		t->wait_start = 0;
}

static __always_inline void on_marked(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!t)
		return;
	t->off_cpu = !task->on_cpu;
	if (config.wait_for_exec || config.by_cpu)
		return;
	if (t->off_cpu)
		begin_waiting(task, t);
	else
		run_begin(t, bpf_ktime_get_ns());
}

/* ---- The end ---- */

/* A thread that still waits: an event, as if it ran now. If there is no room, the iterator visits
 * the thread again. */
static __always_inline void emit_waiting(
	struct bpf_iter__task *ctx, struct thread *t, struct event_wait *wait, __u32 parts)
{
	struct wait_counts *c = counters();

	if (!c || !take(t, wait))
		return;
	if (!t->lost && bpf_seq_write(ctx->meta->seq, wait, sizeof(*wait))) {
		t->wait_start = wait->start;
		return;
	}
	count(&c->parts, parts);
	if (t->lost)
		count(&c->ring_full, parts);
	t->wait_end = 0;
}

/* NULL: it does not wait, or is not recorded. */
static __always_inline struct thread *waiting_thread(struct task_struct *task)
{
	struct thread *t = task ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	return t && t->wait_start ? t : NULL;
}

SEC("iter/task")
int still_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = waiting_thread(task);
	struct event_wait wait;
	__u32 parts;

	if (!t)
		return 0;
	if (wait_until(task, t, bpf_ktime_get_ns(), &wait, &parts))
		emit_waiting(ctx, t, &wait, parts);
	else
		t->wait_start = 0;
	return 0;
}

__u32 waiting_retry; /* threads whose stacks the ring had no room for: to be visited again */

/* A thread that waited already at the start was marked by a program that may not sleep, so that of
 * its user stack only the innermost address is known. While it still waits, all of it can be
 * copied. */
SEC("iter.s/task")
int waited_earlier(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = waiting_thread(task);
	__u32 known, chunk;
	bool lost = false;

	if (!t || !t->earlier_wait)
		return 0;
	if (!copy_fits()) {
		waiting_retry++;
		return 0;
	}
	known = t->chunk;
	chunk = stack_take_waiting(task, &lost);
	if (lost) {
		waiting_retry++;
		return 0;
	}
	t->earlier_wait = false;
	/* Unless it has left again meanwhile, with another stack. */
	if (chunk)
		__sync_val_compare_and_swap(&t->chunk, known, chunk);
	return 0;
}

/* Threads that still wait, where stacks have not been taken yet. */
SEC("iter.s/task")
int still_waiting_deferred(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = waiting_thread(task);
	struct event_wait wait;
	__u32 parts;

	if (!t)
		return 0;
	if (!wait_until(task, t, t->wait_end ? t->wait_end : bpf_ktime_get_ns(), &wait, &parts)) {
		t->wait_start = 0;
		return 0;
	}
	if (!copy_fits()) {
		waiting_retry++;
		return 0;
	}
	if (!t->no_stack && !t->chunk)
		t->chunk = stack_take_waiting(task, &t->lost);
	wait.chunk = t->chunk;
	emit_waiting(ctx, t, &wait, parts);
	return 0;
}
