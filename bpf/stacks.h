/* stacks.h: taking a stack, and emitting the parts of it that are new.
 *
 * A stack is emitted as a chain of chunks of up to 15 frames, cut from its outermost frame inwards,
 * so that stacks share the chunks of their common callers. Each chunk has a number, which stands
 * for the whole stack from its root up to the chunk: an event refers to its stack by the number of
 * the last chunk. A chunk is emitted before the first event that uses its number, and its number is
 * looked up in the map `chunks` from then on. The map is only a cache: where it has no room, or the
 * recorder has emptied it, a chunk is emitted again with a new number.
 *
 * The user half of a stack comes first, then the kernel half. The user half is walked with unwind
 * tables (unwind.h), by frame pointers, found again by a memo (memo.h), or copied for the recorder
 * to walk (copies.h). All of it is kept in a scratch area of the CPU, as a program's own stack has
 * 512 bytes. */
#ifndef KILN_BPF_STACKS_H
#define KILN_BPF_STACKS_H

#include "bpf/copies.h"
#include "bpf/frame_pointers.h"
#include "bpf/groups.h"
#include "bpf/memo.h"
#include "bpf/pids.h"
#include "bpf/ring.h"

#define SPACES_MAX	65536	/* processes: some 6 MB */
#define PROBE_FRAMES	8	/* between a tracepoint and its program, at most */
#define OUTER_CHUNKS	4	/* a power of two */
#define WAKEUP_INTERVAL 2000000 /* ns: between wakeups of the recorder because of new processes */

__u32 last_chunk, last_space; /* numbers given so far */
__u64 last_wakeup;	      /* of the recorder because of a new process, ns */

/* Do programs set scratch->probe_caller? Others save the verifier the steps for it. */
const volatile bool probe_callers;

/* ---- Scratch areas ---- */

/* A chunk whose number is known. */
struct known_chunk {
	struct chunk chunk;
	__u64 id;
};

/* A stack that is being taken. */
struct stack_scratch {
	struct user_stack user;
	__u64 kernel[KERNEL_STACK_MAX]; /* return addresses, innermost first */
	struct chunk chunk;
	__u32 skip;   /* kernel frames that are left out, innermost */
	__u32 left;   /* frames that are in no chunk yet: the innermost ones */
	__u32 id;     /* of the last chunk */
	__u32 number; /* of the scratch area */
	__u32 taken;  /* by a program that may be preempted */
	/* The kernel's function that calls our program, and its caller; both are left out. Sizes of
	 * 0: see config.tracepoint. */
	__u64 probe_start, probe_size;
	__u64 probe_caller, probe_caller_size;
	__u32 kernel_count; /* frames of the kernel, in the stack that was taken */
	bool walked;	    /* by tables: see user.end */
	bool lost;	    /* the ring had no room for a part of it */
	struct known_chunk outer[OUTER_CHUNKS]; /* of the last user stacks */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_MAX); /* the recorder sets it */
	__type(key, __u32);
	__type(value, struct stack_scratch);
} stack_scratches SEC(".maps");

static __always_inline struct stack_scratch *stack_scratch_get(__u32 number)
{
	struct stack_scratch *scratch = bpf_map_lookup_elem(&stack_scratches, &number);

	if (scratch) {
		scratch->id = 0;
		scratch->number = number;
		scratch->lost = scratch->walked = false;
		scratch->kernel_count = 0;
		scratch->probe_size = scratch->probe_caller_size = 0;
		scratch->chunk.parent = CHUNK_ROOT;
	}
	return scratch;
}

/* For a program that other programs of ours may preempt on the same CPU: take an area that is free;
 * the caller releases it. NULL: there is none. */
static __always_inline struct stack_scratch *stack_scratch_acquire(void)
{
	struct stack_scratch *scratch;

	/* `key` is a variable of its own: Linux 6.1 does not track the value of one whose address
	 * is taken. SCRATCH_DEFERRED is among the last. */
	for (__u64 i = 0; i < SCRATCH_MAX; i++) {
		__u32 key = SCRATCH_MAX - 1 - (__u32)i;

		scratch = bpf_map_lookup_elem(&stack_scratches, &key);
		if (scratch && !__sync_lock_test_and_set(&scratch->taken, 1))
			return stack_scratch_get(key);
	}
	return NULL;
}

static __always_inline void stack_scratch_release(struct stack_scratch *scratch)
{
	__sync_lock_test_and_set(&scratch->taken, 0);
}

/* ---- Address spaces ---- */

/* What a process runs. The recorder removes those whose process now maps other code. */
struct space {
	__u64 start_time;
	__u32 exec;
	__u32 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPACES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* recorder_pid() */
	__type(value, struct space);
} spaces SEC(".maps");

/* The number of what a process runs, which is emitted if it is new; 0: the ring is full. */
static __always_inline __u32 space_of(struct task_struct *task)
{
	__u32 pid = recorder_pid(task), exec = task->self_exec_id;
	__u64 start_time = task->group_leader->start_time;
	struct space *known = bpf_map_lookup_elem(&spaces, &pid), space;
	struct event_space *event;

	if (known && known->start_time == start_time && known->exec == exec)
		return known->id;
	event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	if (!event)
		return 0;
	space = (struct space){start_time, exec, __sync_fetch_and_add(&last_space, 1) + 1};
	*event = (struct event_space){
		.type = EVENT_SPACE, .id = space.id, .time = bpf_ktime_get_ns(), .pid = pid};
	bpf_ringbuf_submit(event, ring_wakeup());
	bpf_map_update_elem(&spaces, &pid, &space, BPF_ANY);
	return space.id;
}

/* The address at which a thread has left user space. */
static __always_inline __u64 user_address(struct task_struct *task)
{
#ifdef __TARGET_ARCH_x86
	return ((struct pt_regs *)bpf_task_pt_regs(task))->ip;
#else
	return 0;
#endif
}

/* ---- Chunks ---- */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CHUNKS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct chunk);
	__type(value, __u32);
} chunks SEC(".maps");

/* The number of scratch->chunk, which is emitted if it is new; 0: the ring is full. Two CPUs may
 * emit the same chunk at once: both numbers stand for it then. */
static __always_inline __u32 chunk_id(struct stack_scratch *scratch)
{
	__u32 *known = bpf_map_lookup_elem(&chunks, &scratch->chunk), id;
	struct event_chunk *event;

	if (known)
		return *known;
	event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	if (!event)
		return 0;
	id = __sync_fetch_and_add(&last_chunk, 1) + 1;
	event->type = EVENT_CHUNK;
	event->id = id;
	event->time = bpf_ktime_get_ns();
	event->chunk = scratch->chunk;
	bpf_ringbuf_submit(event, ring_wakeup());
	bpf_map_update_elem(&chunks, &scratch->chunk, &id, BPF_NOEXIST);
	return id;
}

/* Take the next chunk inwards; true: that was the last one. `less` is subtracted from each address.
 */
static __always_inline long take_chunk(struct stack_scratch *scratch, const __u64 *ip, __u32 mask,
	__u32 skip, __u64 less, __u64 kernel)
{
	__u32 left = scratch->left, last = skip + left - 1;

	for (__u32 i = 0; i < CHUNK_FRAMES; i++)
		scratch->chunk.ip[i] = (ip[(last - i) & mask] - less) & mask_below(i, left);
	scratch->id = chunk_id(scratch);
	scratch->lost = !scratch->id;
	scratch->chunk.parent = kernel | scratch->id;
	scratch->left = (left - CHUNK_FRAMES) & (__u32)mask_below(CHUNK_FRAMES, left);
	return scratch->lost || !scratch->left;
}

/* The outermost frames are mostly those of the last stack on this CPU: to compare them with that is
 * faster than to look them up. */
static __always_inline bool same_outer_chunk(
	struct stack_scratch *scratch, const struct known_chunk *known)
{
	__u64 differs = scratch->chunk.parent ^ known->chunk.parent;
	__u32 last = scratch->left - 1;

	for (__u32 i = 0; i < CHUNK_FRAMES; i++)
		differs |=
			scratch->user.ip[(last - i) & (USER_FRAMES_MAX - 1)] ^ known->chunk.ip[i];
	if (differs)
		return false;
	scratch->chunk.parent = scratch->id = (__u32)known->id;
	scratch->left -= CHUNK_FRAMES;
	return true;
}

static long take_user_chunk(__u32 i, void *context)
{
	struct stack_scratch *scratch = *(struct stack_scratch **)context;
	struct known_chunk *known = &scratch->outer[i & (OUTER_CHUNKS - 1)];
	__u64 parent = scratch->chunk.parent;
	bool outer = scratch->left > CHUNK_FRAMES;
	long end;

	if (outer && same_outer_chunk(scratch, known))
		return 0;
	end = take_chunk(scratch, scratch->user.ip, USER_FRAMES_MAX - 1, 0, 0, 0);
	if (outer && !end) {
		known->chunk = scratch->chunk;
		known->chunk.parent = parent;
		known->id = scratch->id;
	}
	return end;
}

static long take_kernel_chunk(__u32 i, void *context)
{
	struct stack_scratch *scratch = *(struct stack_scratch **)context;

	return take_chunk(
		scratch, scratch->kernel, KERNEL_STACK_MAX - 1, scratch->skip, 1, CHUNK_KERNEL);
}

/* ---- Copies ---- */

/* Copies may fill only a part of the ring: the rest is left for small events. */
static __always_inline bool copy_fits(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < config.wakeup_bytes * COPIES_SHARE;
}

/* A copy has the number of the chunk that the recorder will make of it. */
static __always_inline void copy_becomes_chunk(
	struct stack_scratch *scratch, struct event_copy *event, __u32 space)
{
	event->space = space;
	event->id = __sync_fetch_and_add(&last_chunk, 1) + 1;
	scratch->id = event->id;
	scratch->chunk.parent = event->id;
}

/* Is a stack that could not be walked here to be copied? Where only the ring is too full for that,
 * its end says so. */
static __always_inline bool copy_due(struct user_stack *s, struct task_struct *task)
{
	if (!config.by_tables || !needs_copy(s))
		return false;
	if (copy_fits())
		return s->end == USER_STACK_BAD_RULE || copy_allowed(recorder_pid(task));
	s->end = USER_STACK_NO_ROOM;
	return false;
}

/* A copy whose process is new wakes the recorder up, which then tells programs what the process
 * maps; but not for each process: to wake it for a thousand a second would take a tenth of their
 * time. */
static __always_inline __u64 copy_wakeup(const struct user_stack *s)
{
	__u64 now = bpf_ktime_get_ns();

	if (s->new_request)
		return BPF_RB_FORCE_WAKEUP;
	if ((s->space && s->end != USER_STACK_NO_MAPPING) || now - last_wakeup < WAKEUP_INTERVAL)
		return ring_wakeup();
	last_wakeup = now;
	return BPF_RB_FORCE_WAKEUP;
}

static __always_inline void copy_user(
	struct stack_scratch *scratch, struct task_struct *task, __u32 space, __u32 pages)
{
	struct event_copy *event = bpf_ringbuf_reserve(&ring, COPY_SIZE(pages), 0);

	scratch->lost = true; /* the verifier of Linux 6.1 only understands one test of `event` */
	if (!event)
		return;
	scratch->lost = false;
	copy_take(event, task, &scratch->user, pages);
	copy_becomes_chunk(scratch, event, space);
	bpf_ringbuf_submit(event, copy_wakeup(&scratch->user));
}

/* ---- The user half ---- */

/* Take the user half of the current thread's stack into the scratch area of that number. It is
 * global so that the verifier checks it once, and not for every path that leads here. */
__noinline int walk_user(__u32 number)
{
	struct stack_scratch *scratch = bpf_map_lookup_elem(&stack_scratches, &number);
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 space;
	bool copy;

	if (!scratch)
		return 0;
#ifdef __TARGET_ARCH_x86
	scratch->walked = config.by_tables;
	if (config.by_tables)
		user_stack_take(&scratch->user, number, recorder_pid(task));
	else
#endif
		user_stack_follow(&scratch->user);
	copy = copy_due(&scratch->user, task);
	scratch->chunk.parent = CHUNK_ROOT | (__u64)scratch->user.end << CHUNK_END_SHIFT;
	if (scratch->walked && scratch->user.guesses)
		scratch->chunk.parent |= CHUNK_GUESSED;
	if (!scratch->user.count)
		return 0;
	space = space_of(task);
	scratch->lost = !space;
	if (scratch->lost)
		return 0;
	if (copy) {
		if (ring_wakeup() == BPF_RB_NO_WAKEUP && copy_large(&scratch->user))
			copy_user(scratch, task, space, COPY_LARGE);
		else
			copy_user(scratch, task, space, COPY_SMALL);
		return 0;
	}
	scratch->chunk.parent |= space;
	scratch->left = scratch->user.count;
	bpf_loop(USER_FRAMES_MAX / CHUNK_FRAMES + 1, take_user_chunk, &scratch, 0);
	return 0;
}

/* The same, also global, for a thread that often has the stack of the last time; `memo` is the
 * thread's own. */
__noinline int walk_user_again(__u32 number, struct stack_memo *memo)
{
#ifdef __TARGET_ARCH_x86
	struct stack_scratch *scratch = bpf_map_lookup_elem(&stack_scratches, &number);
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	__u32 space;

	if (scratch && memo && config.by_tables && memo_begin(memo, regs)) {
		space = space_of(task);
		if (space && space == memo->space &&
			memo_holds(memo, &scratch->user, regs, recorder_pid(task))) {
			scratch->chunk.parent = scratch->id = memo->chunk;
			return 0;
		}
		walk_user(number);
		if (space && !scratch->lost)
			memo_learn(memo, &scratch->user, regs, space, scratch->id);
		return 0;
	}
#endif
	return walk_user(number);
}

/* ---- The kernel half ---- */

static __always_inline void take_kernel(struct stack_scratch *scratch, long size, __u32 skip)
{
	__u32 count = size > 0 ? (__u32)size / sizeof(*scratch->kernel) : 0;

	scratch->skip = skip;
	scratch->kernel_count = count;
	scratch->left = count - skip;
	scratch->chunk.parent |= CHUNK_KERNEL;
	if (scratch->left)
		bpf_loop(KERNEL_STACK_MAX / CHUNK_FRAMES + 1, take_kernel_chunk, &scratch, 0);
}

/* How many innermost frames are those of our program and of the tracepoint, in `function`, that
 * calls it? */
static __always_inline __u32 probe_frames(
	const struct stack_scratch *scratch, const volatile struct code_range *function)
{
	for (__u32 i = 0; i < PROBE_FRAMES; i++) {
		if (scratch->kernel[i] - scratch->probe_start < scratch->probe_size)
			return i + 1 +
			       (probe_callers && scratch->kernel[i + 1] - scratch->probe_caller <
							 scratch->probe_caller_size);
		if (scratch->kernel[i] - function->start < function->end - function->start)
			return i;
	}
	return 0;
}

/* ---- The stack of the current thread ---- */

/* Take it into a scratch area: scratch->id is its number then, or 0. The context is that of a
 * tracepoint in `function`, or (NULL) of an interrupt, which is in no frame. `memo`: the thread's
 * own, or NULL. */
static __always_inline void stack_take_as(struct stack_scratch *scratch, void *ctx,
	struct task_struct *task, bool kernel_frames, const volatile struct code_range *function,
	struct stack_memo *memo)
{
	long size;

	if (config.emit_groups)
		emit_group(task);
	/* A thread that is ending has no memory any more, and so no user stack. */
	if (config.user_frames && task->mm && !(task->flags & TASK_KERNEL_THREAD)) {
		if (memo)
			walk_user_again(scratch->number, memo);
		else
			walk_user(scratch->number);
	}
	if (kernel_frames && !scratch->lost) {
		size = bpf_get_stack(ctx, scratch->kernel, sizeof(scratch->kernel), 0);
		if (!function)
			scratch->kernel[0]++; /* the only one that is no return address */
		take_kernel(
			scratch, size, size > 0 && function ? probe_frames(scratch, function) : 0);
	}
}

static __always_inline void stack_take_in(
	struct stack_scratch *scratch, void *ctx, struct task_struct *task, bool kernel_frames)
{
	stack_take_as(scratch, ctx, task, kernel_frames, &config.tracepoint, NULL);
}

/* The same into the area for current threads, and its number; 0: it has none. *ret_lost: the ring
 * is full. */
static __always_inline __u32 stack_take_from(void *ctx, struct task_struct *task,
	bool kernel_frames, const volatile struct code_range *function, struct stack_memo *memo,
	bool *ret_lost)
{
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_CURRENT);

	if (!scratch)
		return 0;
	stack_take_as(scratch, ctx, task, kernel_frames, function, memo);
	*ret_lost = scratch->lost;
	return scratch->id;
}

/* ---- The stack of a thread that is off the CPU ---- */

/* Only the address at which it left user space is known. */
static __always_inline void take_user_left(struct stack_scratch *scratch, struct task_struct *task)
{
	__u64 early = CHUNK_ROOT | (__u64)CHUNK_END_EARLY << CHUNK_END_SHIFT;
	__u32 space;

	if (!config.user_frames || task->flags & TASK_KERNEL_THREAD)
		return;
	space = space_of(task);
	scratch->chunk.parent = early | space;
	scratch->lost = !space;
	scratch->user.ip[0] = user_address(task);
	scratch->left = 1;
	if (!scratch->lost)
		take_user_chunk(0, &scratch);
}

/* Without the frames of the scheduler, which the kernel leaves out. */
static __always_inline void take_kernel_left(
	struct stack_scratch *scratch, struct task_struct *task)
{
	if (config.kernel_frames && !scratch->lost)
		take_kernel(scratch,
			bpf_get_task_stack(task, scratch->kernel, sizeof(scratch->kernel), 0), 0);
}

static __always_inline struct stack_scratch *scratch_for_other(struct task_struct *task)
{
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_OTHER);

	if (scratch && config.emit_groups)
		emit_group(task);
	return scratch;
}

static __always_inline __u32 stack_take_other(struct task_struct *task, bool *ret_lost)
{
	struct stack_scratch *scratch = scratch_for_other(task);

	if (!scratch)
		return 0;
	take_user_left(scratch, task);
	take_kernel_left(scratch, task);
	*ret_lost = scratch->lost;
	return scratch->id;
}

/* Copy its user stack, for the recorder to walk. False: it is not to be had. */
static __always_inline bool copy_user_waiting(
	struct stack_scratch *scratch, struct task_struct *task)
{
	struct event_copy *event;
	__u32 space;

	if (!config.by_tables || !copy_waiting_begin(&scratch->user, task))
		return false;
	space = space_of(task);
	event = space ? bpf_ringbuf_reserve(&ring, COPY_SIZE(COPY_SMALL), 0) : NULL;
	if (!event)
		return false;
	if (!copy_take_waiting(event, task, &scratch->user, COPY_SMALL)) {
		bpf_ringbuf_discard(event, BPF_RB_NO_WAKEUP);
		return false;
	}
	copy_becomes_chunk(scratch, event, space);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return true;
}

/* With all of the user stack, by a program that may sleep. */
static __always_inline __u32 stack_take_waiting(struct task_struct *task, bool *ret_lost)
{
	struct stack_scratch *scratch = scratch_for_other(task);

	if (!scratch)
		return 0;
	if (!config.user_frames || !copy_user_waiting(scratch, task))
		take_user_left(scratch, task);
	take_kernel_left(scratch, task);
	*ret_lost |= scratch->lost;
	return scratch->id;
}

#endif
