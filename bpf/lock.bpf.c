/* lock.bpf.c: how long do threads wait for locks, those of programs and the kernel's own?
 *
 * The kernel tells of its own locks while it holds them, and programs such as these take some: what
 * happens while one of ours runs on a CPU is counted, and nothing else is done. Memory for what is
 * kept of a thread is only asked for where threads may sleep. */
#define STACK_ROOMS 3
#define ROOM_LATER  2
#include "bpf/calls.h"
#include "bpf/later.h"
#include "bpf/targets.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile __u32 kinds = ~0u; /* bits by enum lock_kind; `calls` are enum lock_call */
const volatile __u64 probe_start, probe_size; /* of what calls programs, in the kernel */

/* ---- What is kept ---- */

struct wait {
	__u64 since; /* ns; 0: none */
	__u64 lock;  /* its address, of the kernel's own */
	__u32 chunk;
	__u16 cpu;
	__u8 kind;
	bool lost;  /* the ring had no room for its stack */
	bool paged; /* a page of its stack was absent */
};

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	struct wait futex, lock;
	bool interrupted; /* its call goes on with restart_syscall(2) */
};

MODE_TABLES(struct thread, struct lock_counts)

#define NO_CPU	   0xffff
#define SPINS_MOST 4 /* at a time: by a thread, and by interrupts in each other */

/* Who spins cannot leave the CPU. */
struct cpu {
	struct wait spins[SPINS_MOST];
	__u32 spinning;
	bool busy; /* with a program of ours */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* This CPU; NULL: a program of ours is interrupted, or wants a lock itself. */
static __always_inline struct cpu *cpu_begin(struct task_struct *task)
{
	__u32 first = 0;
	struct cpu *cpu = bpf_map_lookup_elem(&cpus, &first);

	if (!cpu || cpu->busy || later_busy(task))
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
	struct lock_counts *c = counted();

	if (c)
		count(&c->nested, 1);
}

static __always_inline void count_unseen(void)
{
	struct lock_counts *c = counted();

	if (c)
		count(&c->unseen, 1);
}

/* ---- Waits ---- */

static __always_inline struct stack_room *take_stack(
	void *ctx, struct task_struct *task, struct wait *wait)
{
	struct stack_room *room = stack_room(ROOM_SAMPLED);

	if (!room)
		return NULL;
	room->probe_start = probe_start;
	room->probe_size = probe_size;
	stack_take_in(room, ctx, task, wait->kind != LOCK_FUTEX && asked.kernel_frames);
	wait->chunk = room->id;
	wait->lost = room->lost;
	return room;
}

static __always_inline void begin(
	void *ctx, struct task_struct *task, struct wait *wait, __u8 kind, __u64 lock)
{
	__u64 now = bpf_ktime_get_ns();
	struct stack_room *room;

	wait->kind = kind;
	wait->lock = lock;
	wait->cpu = (__u16)bpf_get_smp_processor_id();
	room = take_stack(ctx, task, wait);
	if (!room)
		return;
	wait->paged = page_due(room);
	wait->since = now;
}

static __always_inline struct told_lock told_of(
	const struct wait *wait, struct task_struct *task, __u64 now)
{
	return (struct told_lock){.told = TOLD_LOCK,
		.kind = wait->kind,
		.cpu = wait->cpu,
		.chunk = wait->chunk,
		.since = wait->since,
		.took = now - wait->since,
		.pid = process_number(task),
		.tid = thread_number(task)};
}

/* At the end of the recording threads get their locks while others list who waits: a wait is told
 * by who takes it. */
static __always_inline bool take(struct wait *wait, __u64 since)
{
	return since && __sync_val_compare_and_swap(&wait->since, since, 0) == since;
}

static __always_inline void tell(struct told_lock *told, bool lost)
{
	struct lock_counts *c = counted();

	if (c && (lost || bpf_ringbuf_output(&ring, told, sizeof(*told), ring_wakeup())))
		count(&c->ring_full, 1);
}

static __always_inline void later_tell(union later_told *told, __u32 chunk)
{
	if (chunk)
		told->lock.chunk = chunk;
	tell(&told->lock, false);
}

/* A stack that is not all in memory is taken again, as it is kept from here on: the pages are not
 * fetched before. */
static __always_inline void end(void *ctx, struct wait *wait, struct task_struct *task, __u64 now)
{
	struct stack_room *room = NULL;
	struct lock_counts *c = counted();
	struct told_lock told;

	if (wait->paged && !wait->lost)
		room = take_stack(ctx, task, wait);
	told = told_of(wait, task, now);
	if (!take(wait, told.since) || !c)
		return;
	count(&c->waits, 1);
	if (!room || wait->lost || !later_keep(room, task, &told, sizeof(told)))
		tell(&told, wait->lost);
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
	t = (struct thread *)mark_wanted(task);
	if (!t)
		return 0;
	t->futex.since = 0;
	if (too_early(&t->mark, task) || is_32bit(task) ||
		!wanted_cpu(bpf_get_smp_processor_id()) ||
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
	if (!t || !t->futex.since)
		return 0;
	t->interrupted = result == ERROR_RESTART;
	cpu = cpu_begin(task);
	if (!cpu) {
		t->futex.since = 0;
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
	if (at >= SPINS_MOST) { /* their ends did not come */
		for (at = 0; at < SPINS_MOST; at++)
			count_unseen();
		at = 0;
	}
	cpu->spinning = at + 1;
	begin(ctx, task, &cpu->spins[at & (SPINS_MOST - 1)], kind, lock);
}

static __always_inline void begin_sleep(void *ctx, struct task_struct *task, __u8 kind, __u64 lock)
{
	struct thread *t = (struct thread *)mark_wanted(task);

	if (!t || too_early(&t->mark, task))
		return;
	if (t->lock.since) {
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

	if (!(kinds >> kind & 1) || !wanted_cpu(bpf_get_smp_processor_id()))
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

/* The innermost wait for a lock that this CPU spins for. Those above it have not ended, or it was
 * not told. */
static __always_inline struct wait *find_spin(struct cpu *cpu, __u64 lock)
{
	for (int i = SPINS_MOST - 1; i >= 0; i--) {
		if ((__u32)i >= cpu->spinning || cpu->spins[i].lock != lock)
			continue;
		for (__u32 above = (__u32)i + 1; above < SPINS_MOST && above < cpu->spinning;
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
		if (t && t->lock.since && t->lock.lock == (__u64)lock)
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

static __always_inline void marked(struct task_struct *task)
{
	struct thread *t;
	struct cpu *cpu;

	if (asked.until_exec || asked.by_cpu || !waits_already(task))
		return;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	cpu = t ? cpu_begin(bpf_get_current_task_btf()) : NULL;
	if (!cpu)
		return;
	t->futex.kind = LOCK_FUTEX;
	t->futex.cpu = NO_CPU;
	t->futex.chunk = stack_take_other(task, &t->futex.lost);
	t->futex.since = bpf_ktime_get_ns();
	cpu_end(cpu);
}

/* False: there is no room for it, and the thread is come by again. */
static __always_inline bool tell_waiting(
	struct bpf_iter__task *ctx, struct task_struct *task, struct wait *wait)
{
	struct told_lock told = told_of(wait, task, bpf_ktime_get_ns());
	struct lock_counts *c = counted();

	if (!c || !take(wait, told.since))
		return true;
	if (!wait->lost && bpf_seq_write(ctx->meta->seq, &told, sizeof(told))) {
		wait->since = told.since;
		return false;
	}
	count(&c->waits, 1);
	count(&c->ring_full, wait->lost);
	return true;
}

/* Who still waits: a row for each, as if it got the lock now. */
SEC("iter/task")
int still_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = task ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	if (!t)
		return 0;
	if (tell_waiting(ctx, task, &t->futex))
		tell_waiting(ctx, task, &t->lock);
	return 0;
}
