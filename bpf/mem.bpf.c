/* mem.bpf.c: who allocates memory, how much, and what was not given back?
 *
 * A thread is in at most one allocation: what an allocator calls of itself has its stack pointer
 * at or below that of the first call, whose return is where the stack pointer is above it. Blocks
 * that live are in a table: put there when their address has come back, taken out before their
 * memory may be somebody else's. */
#define STACK_ROOMS 6
#include "bpf/pages.h"
#include "bpf/targets.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

bool stopped; /* nothing changes any more */

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	__u64 sp;	  /* where the allocation began; 0: in none */
	__u64 where;	  /* posix_memalign: where the address will be */
	__u64 old;	  /* realloc: the block... */
	struct block was; /* ... that was taken out; of size 0 when it was not known */
	struct block block;
	__u8 kind;  /* enum alloc_kind */
	bool known; /* `was` is one */
};

MODE_TABLES(struct thread, struct alloc_counts)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BLOCKS_MOST); /* the recorder decides */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct block_key);
	__type(value, struct block);
} blocks SEC(".maps");

static __always_inline void marked(struct task_struct *task)
{
}

static __always_inline struct block_key key_of(struct task_struct *task, __u64 address)
{
	return (struct block_key){.address = address,
		.start_time = task->group_leader->start_time,
		.pid = process_number(task),
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

static __always_inline __u64 size_asked(const __u64 *ctx, __u8 kind)
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

/* A library that hands blocks out frees them again when a thread ends that has kept some of the
 * freed ones for itself. */
static __always_inline bool is_from_library(__u64 *ctx)
{
	__u64 code = bpf_get_attach_cookie(ctx), caller = caller_of(ctx);

	return caller - (ADDRESS(ctx) - (__u32)code) < code >> 32;
}

/* Before its memory is given back. */
static __always_inline void take_out(
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

static __always_inline void put(
	struct task_struct *task, __u64 address, const struct block *block, struct alloc_counts *c)
{
	struct block_key key = key_of(task, address);

	if (!bpf_map_update_elem(&blocks, &key, block, BPF_NOEXIST))
		return;
	/* Who freed the one that was there did so unseen, or there is no room. */
	if (bpf_map_update_elem(&blocks, &key, block, BPF_EXIST))
		count(&c->map_full, 1);
	else
		count(&c->replaced, 1);
}

/* ---- Calls ---- */

/* A block that is to be another one is gone as soon as that is tried: another thread may get its
 * memory before this one hears of it. */
static __always_inline void begin_again(struct thread *t, struct task_struct *task, __u64 address)
{
	struct block_key key = key_of(task, address);
	struct block *known = bpf_map_lookup_elem(&blocks, &key);

	t->old = address;
	t->known = known;
	if (!known)
		return;
	t->was = *known;
	bpf_map_delete_elem(&blocks, &key);
}

/* May sleep if `wait_for_pages`. */
SEC("uprobe")
int on_allocate(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 sp = STACK_POINTER(ctx);
	struct alloc_counts *c = counted();
	struct thread *t = (struct thread *)mark_wanted(task);
	struct stack_room *room;

	if (stopped || !t || !c || too_early(&t->mark, task) || (t->sp && sp <= t->sp))
		return 0;
	t->sp = 0;
	if (!wanted_cpu(bpf_get_smp_processor_id()))
		return 0;
	t->kind = (__u8)bpf_get_attach_cookie(ctx);
	t->where = t->kind == ALLOC_POSIX ? ARGUMENT_0(ctx) : 0;
	t->block = (struct block){.size = size_asked(ctx, t->kind),
		.time = bpf_ktime_get_ns(),
		.tid = thread_number(task),
		.kind = t->kind,
		.cpu = (__u16)bpf_get_smp_processor_id()};
	t->old = 0;
	if ((t->kind == ALLOC_REALLOC || t->kind == ALLOC_REALLOCARRAY) && ARGUMENT_0(ctx))
		begin_again(t, task, ARGUMENT_0(ctx));
	room = stack_enter_whole(ctx, task);
	if (room) {
		t->block.chunk = room->id;
		t->block.lost = room->lost ? BLOCK_RING_FULL : BLOCK_WHOLE;
		stack_room_leave(room);
	} else {
		t->block.lost = BLOCK_NO_ROOM;
	}
	t->sp = sp;
	return 0;
}

static __always_inline void tell(struct task_struct *task, struct thread *t, struct alloc_counts *c)
{
	struct told_alloc told = {
		.told = TOLD_ALLOC, .pid = process_number(task), .block = t->block};

	count(&c->allocations, 1);
	if (t->block.lost == BLOCK_NO_ROOM)
		count(&c->crowded, 1);
	else if (t->block.lost || bpf_ringbuf_output(&ring, &told, sizeof(told), ring_wakeup()))
		count(&c->ring_full, 1);
}

/* The address of the new block; 0: there is none. */
static __always_inline __u64 address_of(const __u64 *ctx, const struct thread *t)
{
	__u64 address = RESULT(ctx);

	if (t->kind != ALLOC_POSIX)
		return address;
	if ((__u32)address || bpf_probe_read_user(&address, sizeof(address), (void *)t->where))
		return 0;
	return address;
}

/* Nothing came of it, so the old block is what it was; unless that was to be freed. */
static __always_inline void fail(struct task_struct *task, struct thread *t, struct alloc_counts *c)
{
	if (!t->old)
		return;
	if (!t->block.size && t->known)
		count(&c->frees, 1);
	else if (!t->block.size)
		count(&c->unknown_frees, 1);
	else if (t->known)
		put(task, t->old, &t->was, c);
}

SEC("uretprobe")
int on_allocated(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct alloc_counts *c = counted();
	__u64 address;

	if (stopped || !t || !c || !t->sp || STACK_POINTER(ctx) != t->sp + POPPED)
		return 0;
	t->sp = 0;
	address = address_of(ctx, t);
	if (!address) {
		fail(task, t, c);
		return 0;
	}
	if (t->old && t->known)
		count(&c->frees, 1);
	else if (t->old)
		count(&c->unknown_frees, 1);
	tell(task, t, c);
	put(task, address, &t->block, c);
	return 0;
}

/* What an allocator frees of its own while it allocates is no block of anybody. */
SEC("uprobe")
int on_free(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 address = ARGUMENT_0(ctx), sp = STACK_POINTER(ctx);
	struct alloc_counts *c = counted();
	struct thread *t = (struct thread *)mark_wanted(task);

	if (stopped || !t || !c || !address || too_early(&t->mark, task) || (t->sp && sp <= t->sp))
		return 0;
	take_out(ctx, task, address, c);
	return 0;
}
