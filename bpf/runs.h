/* runs.h: for how long, and where, are threads on the CPU? (--mode wall)
 *
 * When threads run is known exactly, and where they do wherever a timer interrupts them: such a
 * sample stands for all the time that the thread ran since the one before. */
#ifndef KILN_BPF_RUNS_H
#define KILN_BPF_RUNS_H

#include "bpf/off_thread.h"
#include "bpf/ticks.h"

#define NO_CPU 0xffff

const volatile bool on_cpu; /* time on the CPU is told, too */

static __always_inline void run_begins(struct thread *t, __u64 now)
{
	if (on_cpu && wanted_cpu(bpf_get_smp_processor_id()))
		t->ran_since = now;
}

static __always_inline void run_ends(struct thread *t, __u64 now)
{
	if (!on_cpu || !t->ran_since)
		return;
	t->ran += now - t->ran_since;
	t->used += now - t->ran_since;
	t->ran_since = 0;
}

/* Not every run or wait has a stack, with which its group would be told. */
static __always_inline void describe_run(
	struct task_struct *task, const struct thread *t, __u64 now, struct told_run *ret)
{
	if (asked.tell_groups)
		tell_group(task);
	*ret = (struct told_run){.told = TOLD_RUN,
		.kind = t->met ? RUN_MET : RUN_UNMET,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.chunk = t->ran_chunk,
		.time = now,
		.ran = t->ran,
		.pid = process_number(task),
		.tid = thread_number(task)};
}

static __always_inline bool output_run(struct told_run *run, bool lost)
{
	struct wait_counts *c = counted();

	lost = lost || bpf_ringbuf_output(&ring, run, sizeof(*run), ring_wakeup());
	if (c) {
		count(&c->parts, 1);
		count(&c->ring_full, lost);
	}
	return !lost;
}

/* When it cannot be told, its time is that of the next one. */
static __always_inline void tell_run(
	struct task_struct *task, struct thread *t, __u64 now, bool lost)
{
	struct told_run run;

	describe_run(task, t, now, &run);
	if (output_run(&run, lost))
		t->ran = 0;
}

/* How long has it run since the last switch or sample, by the scheduler's own account? */
static __always_inline __u64 used_since(struct task_struct *task, struct thread *t, __u64 most)
{
	__u64 used = task->se.sum_exec_runtime - t->used;

	if ((__s64)used < 0)
		return 0;
	return used < most ? used : most;
}

/* It comes back, and was not seen to leave: for the rest of the time it was away. */
static __always_inline void left_unseen(struct task_struct *task, struct thread *t, __u64 now)
{
	__u64 whole = now - t->ran_since, ran;
	struct told_run away;

	if (!on_cpu || !t->ran_since)
		return;
	ran = used_since(task, t, whole);
	t->ran += ran;
	describe_run(task, t, now, &away);
	away.kind = RUN_AWAY;
	away.chunk = 0;
	away.ran = whole - ran;
	output_run(&away, false);
}

/* Told when its stack is all there, see bpf/later.h. */
static __always_inline bool keep_run(
	struct stack_room *room, struct task_struct *task, struct thread *t, __u64 now)
{
	struct wait_counts *c = counted();
	struct told_run run;

	if (!c || !page_due(room))
		return false;
	describe_run(task, t, now, &run);
	if (!later_keep(room, task, &run, sizeof(run)))
		return false;
	count(&c->parts, 1);
	t->ran = 0;
	return true;
}

/* The command is itself from its exec on, and runs: its run begins with whichever event is the
 * first to see that, a tick within execve(2) or the tracepoint at its end. */
static __always_inline void begin_first_run(struct task_struct *task, struct thread *t, __u64 now)
{
	if (too_early(&t->mark, task))
		return;
	t->off = false;
	run_begins(t, now);
	t->used = task->se.sum_exec_runtime;
}

SEC("perf_event")
int on_tick(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_room *room = stack_room(ROOM_SAMPLED);
	__u64 now = bpf_ktime_get_ns();
	struct thread *t;

	if (!task->pid || !room)
		return 0;
	t = thread_of(task);
	if (!t)
		return 0;
	if (t->mark.early) {
		begin_first_run(task, t, now);
		return 0;
	}
	if (t->off || tick_passed_over(&t->ticks))
		return 0;
	run_ends(t, now);
	run_begins(t, now);
	if (!t->ran)
		return 0;
	stack_take_as(room, ctx, task, asked.kernel_frames, NULL, NULL);
	if (!room->lost) {
		t->ran_chunk = room->id;
		t->met = true;
	}
	if (room->lost || !keep_run(room, task, t, now))
		tell_run(task, t, now, room->lost);
	return 0;
}

/* The command becomes itself. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_begin, struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (t && t->mark.early)
		begin_first_run(task, t, bpf_ktime_get_ns());
	return 0;
}

/* What the thread runs until its next sample has this stack as well. */
static __always_inline void later_tell_run(struct told_run *run, __u32 known)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct wait_counts *c = counted();

	if (t && t->ran_chunk == known)
		t->ran_chunk = run->chunk;
	if (!c || !bpf_ringbuf_output(&ring, (void *)run, sizeof(*run), ring_wakeup()))
		return;
	count(&c->ring_full, 1);
	if (t)
		__sync_fetch_and_add(&t->ran, run->ran);
}

/* Who has run since the last sample of it, and maybe still does. */
SEC("iter/task")
int still_running(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wait_counts *c = counted();
	__u64 now = bpf_ktime_get_ns();
	struct told_run run;
	struct thread *t;

	if (!task || !c)
		return 0;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!t)
		return 0;
	run_ends(t, now);
	if (!t->ran)
		return 0;
	describe_run(task, t, now, &run);
	run.cpu = NO_CPU;
	count(&c->parts, 1);
	bpf_seq_write(ctx->meta->seq, &run, sizeof(run));
	t->ran = 0;
	return 0;
}

#endif
