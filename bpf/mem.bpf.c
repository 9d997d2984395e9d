/* mem.bpf.c: allocations of memory: by which stacks, how much, and what was not freed?
 *
 * A thread is in at most one allocation. Functions that an allocator calls of its own have a stack
 * pointer at or below that of the first call, and are ignored; the first call returns where the
 * stack pointer is above it. Blocks that live are in a map: they are added when the call returns
 * with their address, and removed before their memory can be given to another caller. */
#include "bpf/shared/mem.h"
#include "bpf/mode.h"
#include "bpf/pages.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

bool stopped; /* the recording is over: nothing changes any more */

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	__u64 sp;		/* where the allocation began; 0: it is in none */
	__u64 result;		/* posix_memalign: where the address will be */
	__u64 old;		/* realloc: the address of the old block... */
	struct block old_block; /* ... and that block, which was removed from `blocks` */
	struct block block;
	__u8 kind;	/* enum alloc_kind */
	bool old_known; /* `old_block` is set */
};

MODE_MAPS(struct thread, struct alloc_counts)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BLOCKS_MAX); /* the recorder decides */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct block_key);
	__type(value, struct block);
} blocks SEC(".maps");

static __always_inline void on_marked(struct task_struct *task)
{
}

static __always_inline struct block_key key_of(struct task_struct *task, __u64 address)
{
	return (struct block_key){.address = address,
		.start_time = task->group_leader->start_time,
		.pid = recorder_pid(task),
		.exec = task->self_exec_id};
}

/* ---- What differs between machines ---- */

#ifdef __TARGET_ARCH_x86
#define ARGUMENT_0(ctx)	   ((ctx)[14]) /* words of struct pt_regs: rdi, rsi, rdx, rax, rsp */
#define ARGUMENT_1(ctx)	   ((ctx)[13])
#define ARGUMENT_2(ctx)	   ((ctx)[12])
#define RESULT(ctx)	   ((ctx)[10])
#define STACK_POINTER(ctx) ((ctx)[19])
#define POPPED		   8 /* by a return */
#define ADDRESS(ctx)	   ((ctx)[16])
static __always_inline __u64 caller_of(const __u64 *ctx)
{
	__u64 caller = 0;

	bpf_probe_read_user(&caller, sizeof(caller), (const void *)STACK_POINTER(ctx));
	return caller;
}
#elif defined(__TARGET_ARCH_arm64)
#define ARGUMENT_0(ctx)	   ((ctx)[0])
#define ARGUMENT_1(ctx)	   ((ctx)[1])
#define ARGUMENT_2(ctx)	   ((ctx)[2])
#define RESULT(ctx)	   ((ctx)[0])
#define STACK_POINTER(ctx) ((ctx)[31])
#define POPPED		   0
#define ADDRESS(ctx)	   ((ctx)[32])
#define caller_of(ctx)	   ((ctx)[30])
#else
#define ADDRESS(ctx)	   0
#define caller_of(ctx)	   0
#define ARGUMENT_0(ctx)	   0
#define ARGUMENT_1(ctx)	   0
#define ARGUMENT_2(ctx)	   0
#define RESULT(ctx)	   0
#define STACK_POINTER(ctx) 0
#define POPPED		   0
#endif

static __always_inline __u64 requested_size(const __u64 *ctx, __u8 kind)
{
	switch (kind) {
	case ALLOC_CALLOC:
		return ARGUMENT_0(ctx) * ARGUMENT_1(ctx);
	case ALLOC_REALLOC:
	case ALLOC_ALIGNED:
		return ARGUMENT_1(ctx);
	case ALLOC_REALLOCARRAY:
		return ARGUMENT_1(ctx) * ARGUMENT_2(ctx);
	case ALLOC_POSIX:
		return ARGUMENT_2(ctx);
	default:
		return ARGUMENT_0(ctx);
	}
}

/* ---- Blocks ---- */

/* Does the library itself call free? An allocator that caches freed blocks for each thread frees
 * them when the thread ends. */
static __always_inline bool is_from_library(__u64 *ctx)
{
	__u64 code = bpf_get_attach_cookie(ctx), caller = caller_of(ctx);

	return caller - (ADDRESS(ctx) - (__u32)code) < code >> 32;
}

/* Before its memory is given back. */
static __always_inline void remove_block(
	__u64 *ctx, struct task_struct *task, __u64 address, struct alloc_counts *c)
{
	struct block_key key = key_of(task, address);

	if (!bpf_map_delete_elem(&blocks, &key))
		count(&c->frees, 1);
	else if (is_from_library(ctx))
		count(&c->own_frees, 1);
	else
		count(&c->unknown_frees, 1);
}

static __always_inline void add_block(
	struct task_struct *task, __u64 address, const struct block *block, struct alloc_counts *c)
{
	struct block_key key = key_of(task, address);

	if (!bpf_map_update_elem(&blocks, &key, block, BPF_NOEXIST))
		return;
	/* The block that was there was freed unseen; or there is no room. */
	if (bpf_map_update_elem(&blocks, &key, block, BPF_EXIST))
		count(&c->map_full, 1);
	else
		count(&c->replaced, 1);
}

/* ---- Calls ---- */

/* realloc: remove the old block before the call, as another thread may get its memory before the
 * call returns. */
static __always_inline void begin_realloc(struct thread *t, struct task_struct *task, __u64 address)
{
	struct block_key key = key_of(task, address);
	struct block *known = bpf_map_lookup_elem(&blocks, &key);

	t->old = address;
	t->old_known = known;
	if (!known)
		return;
	t->old_block = *known;
	bpf_map_delete_elem(&blocks, &key);
}

/* May sleep if `wait_for_pages`. */
SEC("uprobe")
int on_allocate(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp = STACK_POINTER(ctx);
	struct alloc_counts *c = counters();
	struct thread *t = (struct thread *)thread_mark(task);
	struct stack_scratch *scratch;

	if (stopped || !t || !c || is_before_exec(&t->mark, task) || (t->sp && sp <= t->sp))
		return 0;
	t->sp = 0;
	if (!is_recorded_cpu(bpf_get_smp_processor_id()))
		return 0;
	t->kind = (__u8)bpf_get_attach_cookie(ctx);
	t->result = t->kind == ALLOC_POSIX ? ARGUMENT_0(ctx) : 0;
	t->block = (struct block){.size = requested_size(ctx, t->kind),
		.time = bpf_ktime_get_ns(),
		.tid = recorder_tid(task),
		.kind = t->kind,
		.cpu = (__u16)bpf_get_smp_processor_id()};
	t->old = 0;
	if ((t->kind == ALLOC_REALLOC || t->kind == ALLOC_REALLOCARRAY) && ARGUMENT_0(ctx))
		begin_realloc(t, task, ARGUMENT_0(ctx));
	scratch = stack_take_paged(ctx, task);
	if (scratch) {
		t->block.chunk = scratch->id;
		t->block.lost = scratch->lost ? BLOCK_RING_FULL : BLOCK_WHOLE;
		stack_scratch_release(scratch);
	} else {
		t->block.lost = BLOCK_NO_SCRATCH;
	}
	t->sp = sp;
	return 0;
}

static __always_inline void emit(struct task_struct *task, struct thread *t, struct alloc_counts *c)
{
	struct event_alloc event = {
		.type = EVENT_ALLOC, .pid = recorder_pid(task), .block = t->block};

	count(&c->allocations, 1);
	if (t->block.lost == BLOCK_NO_SCRATCH)
		count(&c->no_scratch, 1);
	else if (t->block.lost || !ring_emit(&event, sizeof(event)))
		count(&c->ring_full, 1);
}

/* The address of the new block; 0: the call failed. */
static __always_inline __u64 address_of(const __u64 *ctx, const struct thread *t)
{
	__u64 address = RESULT(ctx);

	if (t->kind != ALLOC_POSIX)
		return address;
	if ((__u32)address || bpf_probe_read_user(&address, sizeof(address), (void *)t->result))
		return 0;
	return address;
}

/* A failed realloc leaves the old block as it was, unless it was to be freed (size 0). */
static __always_inline void fail(struct task_struct *task, struct thread *t, struct alloc_counts *c)
{
	if (!t->old)
		return;
	if (!t->block.size && t->old_known)
		count(&c->frees, 1);
	else if (!t->block.size)
		count(&c->unknown_frees, 1);
	else if (t->old_known)
		add_block(task, t->old, &t->old_block, c);
}

SEC("uretprobe")
int on_allocated(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct alloc_counts *c = counters();
	__u64 address;

	if (stopped || !t || !c || !t->sp || STACK_POINTER(ctx) != t->sp + POPPED)
		return 0;
	t->sp = 0;
	address = address_of(ctx, t);
	if (!address) {
		fail(task, t, c);
		return 0;
	}
	if (t->old && t->old_known)
		count(&c->frees, 1);
	else if (t->old)
		count(&c->unknown_frees, 1);
	emit(task, t, c);
	add_block(task, address, &t->block, c);
	return 0;
}

/* An allocator's frees during an allocation are not of blocks that it returned. */
SEC("uprobe")
int on_free(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 address = ARGUMENT_0(ctx), sp = STACK_POINTER(ctx);
	struct alloc_counts *c = counters();
	struct thread *t = (struct thread *)thread_mark(task);

	if (stopped || !t || !c || !address || is_before_exec(&t->mark, task) ||
		(t->sp && sp <= t->sp))
		return 0;
	remove_block(ctx, task, address, c);
	return 0;
}
