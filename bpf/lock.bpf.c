/* lock.bpf.c: how long do threads wait for locks, those of programs and the kernel's own?
 *
 * The tracepoints of the kernel's locks run while the kernel holds locks, and programs such as
 * these take some themselves: a wait that begins while one of ours runs on the CPU is only counted,
 * as `nested`. Memory for what is kept of a thread is allocated only where the thread may sleep. */
#include "bpf/shared/lock.h"
#include "bpf/calls.h"
#include "bpf/deferred.h"
#include "bpf/mode.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile __u32 kinds = ~0u; /* bits by enum lock_kind; `calls` are enum lock_call */
const volatile __u64 probe_start, probe_size; /* of the kernel's function that calls programs */

/* ---- Threads and CPUs ---- */

struct wait {
	__u64 start; /* ns; 0: none */
	__u64 lock;  /* the address of a lock of the kernel */
	__u32 chunk;
	__u16 cpu;
	__u8 kind;
	bool lost;	  /* the ring had no room for its stack */
	bool page_absent; /* a page of its stack was not in memory */
};

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	struct wait futex, lock;
	bool interrupted; /* its call continues as restart_syscall(2) */
};

MODE_MAPS(struct thread, struct lock_counts)

#define NO_CPU	  0xffff
#define SPINS_MAX 4 /* at a time: by a thread, and by interrupts on top of it */

/* A thread that spins cannot leave the CPU: spins are kept by CPU. */
struct cpu {
	struct wait spins[SPINS_MAX];
	__u32 spinning;
	bool busy; /* a program of ours runs */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* Start a program on this CPU. NULL: it would run within another one of ours, which was interrupted
 * or waits for a lock itself. */
static __always_inline struct cpu *cpu_begin(struct task_struct *task)
{
	__u32 first = 0;
	struct cpu *cpu = bpf_map_lookup_elem(&cpus, &first);

	if (!cpu || cpu->busy || deferred_busy(task))
		return NULL;
	cpu->busy = true;
	asm volatile("" ::: "memory");
	return cpu;
}

static __always_inline void cpu_end(struct cpu *cpu)
{
	asm volatile("" ::: "memory");
	cpu->busy = false;
}

static __always_inline void count_nested(void)
{
	struct lock_counts *c = counters();

	if (c)
		count(&c->nested, 1);
}

static __always_inline void count_unseen(void)
{
	struct lock_counts *c = counters();

	if (c)
		count(&c->unseen, 1);
}

/* ---- Waits ---- */

static __always_inline struct stack_scratch *take_stack(
	void *ctx, struct task_struct *task, struct wait *wait)
{
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_CURRENT);

	if (!scratch)
		return NULL;
	scratch->probe_start = probe_start;
	scratch->probe_size = probe_size;
	stack_take_in(scratch, ctx, task, wait->kind != LOCK_FUTEX && config.kernel_frames);
	wait->chunk = scratch->id;
	wait->lost = scratch->lost;
	return scratch;
}

static __always_inline void begin(
	void *ctx, struct task_struct *task, struct wait *wait, __u8 kind, __u64 lock)
{
	__u64 now = bpf_ktime_get_ns();
	struct stack_scratch *scratch;

	wait->kind = kind;
	wait->lock = lock;
	wait->cpu = (__u16)bpf_get_smp_processor_id();
	scratch = take_stack(ctx, task, wait);
	if (!scratch)
		return;
	wait->page_absent = needs_page(scratch);
	wait->start = now;
}

static __always_inline struct event_lock lock_event(
	const struct wait *wait, struct task_struct *task, __u64 now)
{
	return (struct event_lock){.type = EVENT_LOCK,
		.kind = wait->kind,
		.cpu = wait->cpu,
		.chunk = wait->chunk,
		.start = wait->start,
		.duration = now - wait->start,
		.pid = recorder_pid(task),
		.tid = recorder_tid(task)};
}

/* At the end of the recording, threads get their locks while the iterator lists waiting threads:
 * the program that takes a wait emits it. */
static __always_inline bool take(struct wait *wait, __u64 start)
{
	return start && __sync_val_compare_and_swap(&wait->start, start, 0) == start;
}

static __always_inline void emit(const struct event_lock *event, bool lost)
{
	struct lock_counts *c = counters();

	if (c && (lost || !ring_emit(event, sizeof(*event))))
		count(&c->ring_full, 1);
}

static __always_inline void emit_deferred(const __u64 *words, __u32 chunk)
{
	struct event_lock event;

	__builtin_memcpy(&event, words, sizeof(event));
	if (chunk)
		event.chunk = chunk;
	emit(&event, false);
}

/* The wait has ended. A stack with an absent page is taken again, as only the present stack can be
 * deferred. */
static __always_inline void end(void *ctx, struct wait *wait, struct task_struct *task, __u64 now)
{
	struct stack_scratch *scratch = NULL;
	struct lock_counts *c = counters();
	struct event_lock event;

	if (wait->page_absent && !wait->lost)
		scratch = take_stack(ctx, task, wait);
	event = lock_event(wait, task, now);
	if (!take(wait, event.start) || !c)
		return;
	count(&c->waits, 1);
	if (!scratch || wait->lost || !event_defer(scratch, task, &event, sizeof(event), false))
		emit(&event, wait->lost);
}

/* ---- Programs' locks: futex(2) ---- */

#define FUTEX_OPERATION	      0x7f
#define FUTEX_WAIT	      0
#define FUTEX_LOCK_PI	      6
#define FUTEX_WAIT_BITSET     9
#define FUTEX_WAIT_REQUEUE_PI 11
#define FUTEX_LOCK_PI2	      13
#define ERROR_RESTART	      (-516) /* ERESTART_RESTARTBLOCK */
#define WAITING_OPERATIONS                                                                         \
	(1u << FUTEX_WAIT | 1u << FUTEX_LOCK_PI | 1u << FUTEX_WAIT_BITSET |                        \
		1u << FUTEX_WAIT_REQUEUE_PI | 1u << FUTEX_LOCK_PI2)

static __always_inline bool waits(__u8 call, __u64 operation)
{
	operation &= FUTEX_OPERATION;
	return call == LOCK_CALL_WAIT ||
	       (call == LOCK_CALL_FUTEX && operation < 32 && WAITING_OPERATIONS >> operation & 1);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	__u8 call = call_kind((__u64)number);
	struct task_struct *task;
	struct thread *t;
	struct cpu *cpu;

	if (!call || (call == LOCK_CALL_FUTEX && !waits(call, second_argument(regs))))
		return 0;
	task = bpf_get_current_task_btf();
	t = (struct thread *)thread_mark(task);
	if (!t)
		return 0;
	t->futex.start = 0;
	if (is_before_exec(&t->mark, task) || is_32bit(task) ||
		!is_recorded_cpu(bpf_get_smp_processor_id()) ||
		(call == LOCK_CALL_RESTART && !t->interrupted))
		return 0;
	cpu = cpu_begin(task);
	if (!cpu) {
		count_nested();
		return 0;
	}
	begin(ctx, task, &t->futex, LOCK_FUTEX, 0);
	cpu_end(cpu);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task;
	struct thread *t;
	struct cpu *cpu;
	__u64 now;

	if (!returning(regs))
		return 0;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!t || !t->futex.start)
		return 0;
	t->interrupted = result == ERROR_RESTART;
	cpu = cpu_begin(task);
	if (!cpu) {
		t->futex.start = 0;
		count_nested();
		return 0;
	}
	end(ctx, &t->futex, task, now);
	cpu_end(cpu);
	return 0;
}

/* ---- The kernel's locks ---- */

#define FLAG_SPIN   1 /* LCB_F_SPIN and so on */
#define FLAG_READ   2
#define FLAG_WRITE  4
#define FLAG_RT	    8
#define FLAG_PERCPU 16
#define FLAG_MUTEX  32

static __always_inline __u8 lock_kind(__u32 flags)
{
	if (flags & FLAG_MUTEX)
		return LOCK_MUTEX; /* even while it spins */
	if (flags & FLAG_RT)
		return LOCK_RT_MUTEX;
	if (flags & FLAG_PERCPU)
		return flags & FLAG_WRITE ? LOCK_PERCPU_WRITE : LOCK_PERCPU_READ;
	if (flags & FLAG_READ)
		return flags & FLAG_SPIN ? LOCK_RWLOCK_READ : LOCK_RWSEM_READ;
	if (flags & FLAG_WRITE)
		return flags & FLAG_SPIN ? LOCK_RWLOCK_WRITE : LOCK_RWSEM_WRITE;
	return flags & FLAG_SPIN ? LOCK_SPIN : LOCK_SEMAPHORE;
}

static __always_inline bool spins(__u8 kind)
{
	return kind == LOCK_SPIN || kind == LOCK_RWLOCK_READ || kind == LOCK_RWLOCK_WRITE;
}

static __always_inline void begin_spin(
	void *ctx, struct task_struct *task, struct cpu *cpu, __u8 kind, __u64 lock)
{
	__u32 at = cpu->spinning;

	if (!is_recorded(task))
		return;
	if (at >= SPINS_MAX) { /* their ends were not seen */
		for (at = 0; at < SPINS_MAX; at++)
			count_unseen();
		at = 0;
	}
	cpu->spinning = at + 1;
	begin(ctx, task, &cpu->spins[at & (SPINS_MAX - 1)], kind, lock);
}

static __always_inline void begin_sleep(void *ctx, struct task_struct *task, __u8 kind, __u64 lock)
{
	struct thread *t = (struct thread *)thread_mark(task);

	if (!t || is_before_exec(&t->mark, task))
		return;
	if (t->lock.start) {
		if (t->lock.lock == lock)
			return; /* it spun for a mutex, and sleeps now */
		count_unseen();
	}
	begin(ctx, task, &t->lock, kind, lock);
}

SEC("tp_btf/contention_begin")
int BPF_PROG(on_begin, void *lock, unsigned int flags)
{
	__u8 kind = lock_kind(flags);
	struct task_struct *task;
	struct cpu *cpu;

	if (!(kinds >> kind & 1) || !is_recorded_cpu(bpf_get_smp_processor_id()))
		return 0;
	task = bpf_get_current_task_btf();
	cpu = cpu_begin(task);
	if (!cpu) {
		if (is_recorded(task))
			count_nested();
		return 0;
	}
	if (spins(kind))
		begin_spin(ctx, task, cpu, kind, (__u64)lock);
	else
		begin_sleep(ctx, task, kind, (__u64)lock);
	cpu_end(cpu);
	return 0;
}

/* The innermost wait for a lock that this CPU spins for. The ends of waits above it were not seen.
 */
static __always_inline struct wait *find_spin(struct cpu *cpu, __u64 lock)
{
	for (int i = SPINS_MAX - 1; i >= 0; i--) {
		if ((__u32)i >= cpu->spinning || cpu->spins[i].lock != lock)
			continue;
		for (__u32 above = (__u32)i + 1; above < SPINS_MAX && above < cpu->spinning;
			above++)
			count_unseen();
		cpu->spinning = (__u32)i;
		return &cpu->spins[i];
	}
	return NULL;
}

SEC("tp_btf/contention_end")
int BPF_PROG(on_end, void *lock, int result)
{
	__u64 now = bpf_ktime_get_ns();
	struct task_struct *task = bpf_get_current_task_btf();
	struct cpu *cpu = cpu_begin(task);
	struct thread *t;
	struct wait *wait;

	if (!cpu)
		return 0;
	wait = find_spin(cpu, (__u64)lock);
	if (!wait) {
		t = bpf_task_storage_get(&threads, task, NULL, 0);
		if (t && t->lock.start && t->lock.lock == (__u64)lock)
			wait = &t->lock;
	}
	if (wait)
		end(ctx, wait, task, now);
	cpu_end(cpu);
	return 0;
}

/* ---- The start and the end ---- */

/* One that waits in futex(2) already. */
static __always_inline bool waits_already(struct task_struct *task)
{
#ifdef __TARGET_ARCH_x86
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u8 call = call_kind(regs->orig_ax);

	return task->__state && !(task->flags & TASK_KERNEL_THREAD) && !is_32bit(task) &&
	       waits(call, regs->si);
#else
	return false;
#endif
}

static __always_inline void on_marked(struct task_struct *task)
{
	struct thread *t;
	struct cpu *cpu;

	if (config.wait_for_exec || config.by_cpu || !waits_already(task))
		return;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	cpu = t ? cpu_begin(bpf_get_current_task_btf()) : NULL;
	if (!cpu)
		return;
	t->futex.kind = LOCK_FUTEX;
	t->futex.cpu = NO_CPU;
	t->futex.chunk = stack_take_other(task, &t->futex.lost);
	t->futex.start = bpf_ktime_get_ns();
	cpu_end(cpu);
}

/* False: there is no room for it, and the iterator visits the thread again. */
static __always_inline bool emit_waiting(
	struct bpf_iter__task *ctx, struct task_struct *task, struct wait *wait)
{
	struct event_lock event = lock_event(wait, task, bpf_ktime_get_ns());
	struct lock_counts *c = counters();

	if (!c || !take(wait, event.start))
		return true;
	if (!wait->lost && bpf_seq_write(ctx->meta->seq, &event, sizeof(event))) {
		wait->start = event.start;
		return false;
	}
	count(&c->waits, 1);
	count(&c->ring_full, wait->lost);
	return true;
}

/* Threads that still wait: an event for each, as if it got the lock now. */
SEC("iter/task")
int still_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = task ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	if (!t)
		return 0;
	if (emit_waiting(ctx, task, &t->futex))
		emit_waiting(ctx, task, &t->lock);
	return 0;
}
