/* runs.h: for how long, and where, are threads on the CPU? (--mode wall)
 *
 * How long a thread runs is known exactly, from the switches. Where it runs is known whenever a
 * timer interrupts it: such a sample stands for all the time that the thread ran since the last
 * one. */
#ifndef KILN_BPF_RUNS_H
#define KILN_BPF_RUNS_H

#include "bpf/deferred.h"
#include "bpf/off_thread.h"
#include "bpf/ticks.h"

#define NO_CPU 0xffff

const volatile bool on_cpu; /* time on the CPU is emitted, too */

static __always_inline void run_begin(struct thread *t, __u64 now)
{
	if (on_cpu && is_recorded_cpu(bpf_get_smp_processor_id()))
		t->run_start = now;
}

static __always_inline void run_end(struct thread *t, __u64 now)
{
	if (!on_cpu || !t->run_start)
		return;
	t->ran += now - t->run_start;
	t->cpu_time += now - t->run_start;
	t->run_start = 0;
}

/* The group is emitted here, as not every run has a stack, with which that would be done. */
static __always_inline void describe_run(
	struct task_struct *task, const struct thread *t, __u64 now, struct event_run *ret)
{
	if (config.emit_groups)
		emit_group(task);
	*ret = (struct event_run){.type = EVENT_RUN,
		.kind = t->sampled ? RUN_SAMPLED : RUN_UNSAMPLED,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.chunk = t->run_chunk,
		.end = now,
		.duration = t->ran,
		.pid = recorder_pid(task),
		.tid = recorder_tid(task)};
}

/* False: it is lost, which is counted. */
static __always_inline bool output_run(struct event_run *run, bool lost)
{
	struct wait_counts *c = counters();

	lost = lost || !ring_emit(run, sizeof(*run));
	if (c) {
		count(&c->parts, 1);
		count(&c->ring_full, lost);
	}
	return !lost;
}

/* Emit the run up to now. If the ring is full, its time is added to the next one. */
static __always_inline void emit_run(
	struct task_struct *task, struct thread *t, __u64 now, bool lost)
{
	struct event_run run;

	describe_run(task, t, now, &run);
	if (output_run(&run, lost))
		t->ran = 0;
}

/* How long has a thread run since its last switch or sample, by the scheduler's account? */
static __always_inline __u64 cpu_time_since(struct task_struct *task, struct thread *t, __u64 limit)
{
	__u64 used = task->se.sum_exec_runtime - t->cpu_time;

	if ((__s64)used < 0)
		return 0;
	return used < limit ? used : limit;
}

/* A thread is switched to, and was not seen to leave: kernels do not report every switch. It was
 * off the CPU for the time that the scheduler has not charged it for. */
static __always_inline void missed_switch_out(struct task_struct *task, struct thread *t, __u64 now)
{
	__u64 whole = now - t->run_start, ran;
	struct event_run off;

	if (!on_cpu || !t->run_start)
		return;
	ran = cpu_time_since(task, t, whole);
	t->ran += ran;
	describe_run(task, t, now, &off);
	off.kind = RUN_OFF_CPU;
	off.chunk = 0;
	off.duration = whole - ran;
	output_run(&off, false);
}

/* Defer the run until its stack is all in memory (bpf/deferred.h). */
static __always_inline bool run_defer(
	struct stack_scratch *scratch, struct task_struct *task, struct thread *t, __u64 now)
{
	struct wait_counts *c = counters();
	struct event_run run;

	if (!c || !needs_page(scratch))
		return false;
	describe_run(task, t, now, &run);
	if (!event_defer(scratch, task, &run, sizeof(run), true))
		return false;
	count(&c->parts, 1);
	t->ran = 0;
	return true;
}

/* A command is recorded from its exec on. Its first run begins with the first program that sees the
 * exec: on a tick within execve(2), or on the tracepoint at its end. */
static __always_inline void begin_first_run(struct task_struct *task, struct thread *t, __u64 now)
{
	if (is_before_exec(&t->mark, task))
		return;
	t->off_cpu = false;
	run_begin(t, now);
	t->cpu_time = task->se.sum_exec_runtime;
}

SEC("perf_event")
int on_tick(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_CURRENT);
	__u64 now = bpf_ktime_get_ns();
	struct thread *t;

	if (!task->pid || !scratch)
		return 0;
	t = thread_of(task);
	if (!t)
		return 0;
	if (t->mark.before_exec) {
		begin_first_run(task, t, now);
		return 0;
	}
	if (t->off_cpu || tick_skipped(&t->ticks))
		return 0;
	run_end(t, now);
	run_begin(t, now);
	if (!t->ran)
		return 0;
	stack_take_as(scratch, ctx, task, config.kernel_frames, NULL, NULL);
	if (!scratch->lost) {
		t->run_chunk = scratch->id;
		t->sampled = true;
	}
	if (scratch->lost || !run_defer(scratch, task, t, now))
		emit_run(task, t, now, scratch->lost);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_begin, struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (t && t->mark.before_exec)
		begin_first_run(task, t, bpf_ktime_get_ns());
	return 0;
}

/* The stack is also that of what the thread runs until its next sample. `known`: the chunk that the
 * run had. */
static __always_inline void emit_deferred_run(struct event_run *run, __u32 known)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct wait_counts *c = counters();

	if (t && t->run_chunk == known)
		t->run_chunk = run->chunk;
	if (!c || ring_emit(run, sizeof(*run)))
		return;
	count(&c->ring_full, 1);
	if (t)
		__sync_fetch_and_add(&t->ran, run->duration);
}

/* At the end of the recording: threads that have run since their last sample, and may still run. */
SEC("iter/task")
int still_running(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wait_counts *c = counters();
	__u64 now = bpf_ktime_get_ns();
	struct event_run run;
	struct thread *t;

	if (!task || !c)
		return 0;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!t)
		return 0;
	run_end(t, now);
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
