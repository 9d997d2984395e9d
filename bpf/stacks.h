/* stacks.h: stacks, taken, compared, kept and told.
 *
 * A stack is a chain of chunks, cut from its outermost frame inwards, so that stacks share what
 * their callers have in common. Each chunk has a number, which stands for all of the stack up to
 * it. It is told before anything that uses its number. The table of chunks only saves telling
 * them again: where it has no room, or has been emptied, they just are. */
#ifndef KILN_BPF_STACKS_H
#define KILN_BPF_STACKS_H

#include "bpf/copies.h"
#include "bpf/frame_pointers.h"
#include "bpf/memo.h"

#define SPACES_MOST  65536   /* processes: some 6 MB */
#define PROBE_FRAMES 8	     /* of the way from a tracepoint to its program, at most */
#define OUTER_CHUNKS 4	     /* a power of two */
#define CALL_TIME    2000000 /* ns: the recorder is not called more often for news of processes */

#ifndef PROBE_CALLERS /* 1: who includes this sets room->probe_caller; to verify it takes steps */
#define PROBE_CALLERS 0
#endif

const volatile struct asked asked;

#include "bpf/numbers.h"

__u32 last_chunk, last_space; /* numbers given so far */
__u64 called;		      /* when the recorder last was, for news of processes: ns */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20); /* bytes; the recorder decides */
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CHUNKS_MOST);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct chunk);
	__type(value, __u32);
} chunks SEC(".maps");

/* What a process runs; user space removes those of which it maps other code. */
struct space {
	__u64 start_time;
	__u32 exec;
	__u32 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPACES_MOST);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* process_number() */
	__type(value, struct space);
} spaces SEC(".maps");

/* A chunk whose number is known. */
struct known_chunk {
	struct chunk chunk;
	__u64 id;
};

/* A stack that is being taken. */
struct stack_room {
	struct user_stack user;
	__u64 kernel[KERNEL_STACK_MOST]; /* return addresses, innermost first */
	struct chunk chunk;
	__u32 skip;   /* kernel frames that are left out, innermost */
	__u32 left;   /* frames that are in no chunk yet: the innermost ones */
	__u32 id;     /* of the last chunk */
	__u32 number; /* of the room */
	__u32 taken;  /* by a program that may be preempted */
	/* The kernel's function that only calls our programs, innermost; 0: see asked.origin.
	 */
	__u64 probe_start, probe_size;
	__u64 probe_caller, probe_caller_size;
	__u32 kernel_count; /* frames of the kernel, in the stack that was taken */
	bool walked;	    /* by tables: see user.end */
	bool lost;
	struct known_chunk outer[OUTER_CHUNKS]; /* of the last user stacks */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	/* For the current thread; and for others, which may be interrupted. */
	__uint(max_entries, STACK_ROOMS);
	__type(key, __u32);
	__type(value, struct stack_room);
} rooms SEC(".maps");

/* Flags for bpf_ringbuf_submit and bpf_ringbuf_output: the recorder comes by itself, unless there
 * is much to do. */
static __always_inline __u64 ring_wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= asked.crowded ? BPF_RB_FORCE_WAKEUP
									    : BPF_RB_NO_WAKEUP;
}

#include "bpf/groups.h"

/* 0: the ring is full. */
static __always_inline __u32 space_of(struct task_struct *task)
{
	__u32 pid = process_number(task), exec = task->self_exec_id;
	__u64 start_time = task->group_leader->start_time;
	struct space *known = bpf_map_lookup_elem(&spaces, &pid), space;
	struct told_space *told;

	if (known && known->start_time == start_time && known->exec == exec)
		return known->id;
	told = bpf_ringbuf_reserve(&ring, sizeof(*told), 0);
	if (!told)
		return 0;
	space = (struct space){start_time, exec, __sync_fetch_and_add(&last_space, 1) + 1};
	*told = (struct told_space){
		.told = TOLD_SPACE, .id = space.id, .time = bpf_ktime_get_ns(), .pid = pid};
	bpf_ringbuf_submit(told, ring_wakeup());
	bpf_map_update_elem(&spaces, &pid, &space, BPF_ANY);
	return space.id;
}

/* Where a thread has left user space. */
static __always_inline __u64 user_address(struct task_struct *task)
{
#ifdef __TARGET_ARCH_x86
	return ((struct pt_regs *)bpf_task_pt_regs(task))->ip;
#else
	return 0;
#endif
}

/* The number of room->chunk; 0: the ring is full. Two CPUs may tell the same at once: both numbers
 * stand for it then. */
static __always_inline __u32 chunk_id(struct stack_room *room)
{
	__u32 *known = bpf_map_lookup_elem(&chunks, &room->chunk), id;
	struct told_chunk *told;

	if (known)
		return *known;
	told = bpf_ringbuf_reserve(&ring, sizeof(*told), 0);
	if (!told)
		return 0;
	id = __sync_fetch_and_add(&last_chunk, 1) + 1;
	told->told = TOLD_CHUNK;
	told->id = id;
	told->time = bpf_ktime_get_ns();
	told->chunk = room->chunk;
	bpf_ringbuf_submit(told, ring_wakeup());
	bpf_map_update_elem(&chunks, &room->chunk, &id, BPF_NOEXIST);
	return id;
}

/* The next chunk inwards; true: that was the last one. `less` is taken off each address. */
static __always_inline long take_chunk(
	struct stack_room *room, const __u64 *ip, __u32 mask, __u32 skip, __u64 less, __u64 kernel)
{
	__u32 left = room->left, last = skip + left - 1;

	for (__u32 i = 0; i < CHUNK_FRAMES; i++)
		room->chunk.ip[i] = (ip[(last - i) & mask] - less) & mask_below(i, left);
	room->id = chunk_id(room);
	room->lost = !room->id;
	room->chunk.parent = kernel | room->id;
	room->left = (left - CHUNK_FRAMES) & (__u32)mask_below(CHUNK_FRAMES, left);
	return room->lost || !room->left;
}

/* What has called most is what it was the last time: to see that is quicker than to look it up. */
static __always_inline bool outer_chunk_again(
	struct stack_room *room, const struct known_chunk *known)
{
	__u64 differs = room->chunk.parent ^ known->chunk.parent;
	__u32 last = room->left - 1;

	for (__u32 i = 0; i < CHUNK_FRAMES; i++)
		differs |= room->user.ip[(last - i) & (USER_FRAMES_MOST - 1)] ^ known->chunk.ip[i];
	if (differs)
		return false;
	room->chunk.parent = room->id = (__u32)known->id;
	room->left -= CHUNK_FRAMES;
	return true;
}

static long take_user_chunk(__u32 i, void *context)
{
	struct stack_room *room = *(struct stack_room **)context;
	struct known_chunk *known = &room->outer[i & (OUTER_CHUNKS - 1)];
	__u64 parent = room->chunk.parent;
	bool outer = room->left > CHUNK_FRAMES;
	long end;

	if (outer && outer_chunk_again(room, known))
		return 0;
	end = take_chunk(room, room->user.ip, USER_FRAMES_MOST - 1, 0, 0, 0);
	if (outer && !end) {
		known->chunk = room->chunk;
		known->chunk.parent = parent;
		known->id = room->id;
	}
	return end;
}

static long take_kernel_chunk(__u32 i, void *context)
{
	struct stack_room *room = *(struct stack_room **)context;

	return take_chunk(room, room->kernel, KERNEL_STACK_MOST - 1, room->skip, 1, CHUNK_KERNEL);
}

/* Room is left for what is small: that is never taken by copies. */
static __always_inline bool copy_fits(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < asked.crowded * COPIES_SHARE;
}

/* What has been copied has the number of the chunk that it will be. */
static __always_inline void copy_is_chunk(
	struct stack_room *room, struct told_copy *told, __u32 space)
{
	told->space = space;
	told->id = __sync_fetch_and_add(&last_chunk, 1) + 1;
	room->id = told->id;
	room->chunk.parent = told->id;
}

/* Is the recorder to walk a stack that could not be walked here? Where only the ring is in the way
 * of that, the stack says so. */
static __always_inline bool copy_due(struct user_stack *s, struct task_struct *task)
{
	if (!asked.user_tables || !copy_wanted(s))
		return false;
	if (copy_fits())
		return s->end == USER_STACK_BAD_RULE || copy_allowed(process_number(task));
	s->end = USER_STACK_NO_ROOM;
	return false;
}

/* Who could not be walked for want of what its process maps calls the recorder, which has heard of
 * that or will: it is not woken up by what it hears, at which a thousand new processes a second
 * would spend a tenth of their time. */
static __always_inline __u64 copy_wakeup(const struct user_stack *s)
{
	__u64 now = bpf_ktime_get_ns();

	if (s->asks)
		return BPF_RB_FORCE_WAKEUP;
	if ((s->space && s->end != USER_STACK_NO_MAPPING) || now - called < CALL_TIME)
		return ring_wakeup();
	called = now;
	return BPF_RB_FORCE_WAKEUP;
}

/* The stack for user space to walk. */
static __always_inline void copy_user(
	struct stack_room *room, struct task_struct *task, __u32 space, __u32 pages)
{
	struct told_copy *told = bpf_ringbuf_reserve(&ring, COPY_SIZE(pages), 0);

	room->lost = true; /* verifiers of Linux 6.1 only understand one look at `told` */
	if (!told)
		return;
	room->lost = false;
	copy_take(told, task, &room->user, pages);
	copy_is_chunk(room, told, space);
	bpf_ringbuf_submit(told, copy_wakeup(&room->user));
}

/* The user half of the current thread, into the room of that number. The verifier looks at this
 * once, and not for every way that leads here, because it is global. */
__noinline int walk_user(__u32 number)
{
	struct stack_room *room = bpf_map_lookup_elem(&rooms, &number);
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 space;
	bool copy;

	if (!room)
		return 0;
#ifdef __TARGET_ARCH_x86
	room->walked = asked.user_tables;
	if (asked.user_tables)
		user_stack_take(&room->user, number, process_number(task));
	else
#endif
		user_stack_follow(&room->user);
	copy = copy_due(&room->user, task);
	room->chunk.parent = CHUNK_ROOT | (__u64)room->user.end << CHUNK_END_SHIFT;
	if (room->walked && room->user.guesses)
		room->chunk.parent |= CHUNK_GUESSED;
	if (!room->user.count)
		return 0;
	space = space_of(task);
	room->lost = !space;
	if (room->lost)
		return 0;
	if (copy) { /* the recorder walks them */
		if (ring_wakeup() == BPF_RB_NO_WAKEUP && copy_large(&room->user))
			copy_user(room, task, space, COPY_LARGE);
		else
			copy_user(room, task, space, COPY_SMALL);
		return 0;
	}
	room->chunk.parent |= space;
	room->left = room->user.count;
	bpf_loop(USER_FRAMES_MOST / CHUNK_FRAMES + 1, take_user_chunk, &room, 0);
	return 0;
}

/* The same, also global, of a thread that often has the stack of the last time; `memo`: its own. */
__noinline int walk_user_again(__u32 number, struct stack_memo *memo)
{
#ifdef __TARGET_ARCH_x86
	struct stack_room *room = bpf_map_lookup_elem(&rooms, &number);
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	__u32 space;

	if (room && memo && asked.user_tables && memo_begins(memo, regs)) {
		space = space_of(task);
		if (space && space == memo->told &&
			memo_holds(memo, &room->user, regs, process_number(task))) {
			room->chunk.parent = room->id = memo->chunk;
			return 0;
		}
		walk_user(number);
		if (space && !room->lost)
			memo_learn(memo, &room->user, regs, space, room->id);
		return 0;
	}
#endif
	return walk_user(number);
}

static __always_inline void take_kernel(struct stack_room *room, long size, __u32 skip)
{
	__u32 count = size > 0 ? (__u32)size / sizeof(*room->kernel) : 0;

	room->skip = skip;
	room->kernel_count = count;
	room->left = count - skip;
	room->chunk.parent |= CHUNK_KERNEL;
	if (room->left)
		bpf_loop(KERNEL_STACK_MOST / CHUNK_FRAMES + 1, take_kernel_chunk, &room, 0);
}

/* How many frames are those of the tracepoint, which is in this function, and our own. */
static __always_inline __u32 probe_frames(
	const struct stack_room *room, const volatile struct origin *origin)
{
	for (__u32 i = 0; i < PROBE_FRAMES; i++) {
		if (room->kernel[i] - room->probe_start < room->probe_size)
			return i + 1 +
			       (PROBE_CALLERS && room->kernel[i + 1] - room->probe_caller <
							 room->probe_caller_size);
		if (room->kernel[i] - origin->start < origin->end - origin->start)
			return i;
	}
	return 0;
}

static __always_inline struct stack_room *stack_room(__u32 which)
{
	struct stack_room *room = bpf_map_lookup_elem(&rooms, &which);

	if (room) {
		room->id = 0;
		room->number = which;
		room->lost = room->walked = false;
		room->kernel_count = 0;
		room->probe_size = room->probe_caller_size = 0;
		room->chunk.parent = CHUNK_ROOT;
	}
	return room;
}

/* Of a program that may be preempted by others on the same CPU: it has to find a room that is free,
 * and leave it. NULL: there is none. */
static __always_inline struct stack_room *stack_room_enter(void)
{
	struct stack_room *room;

	/* The key is apart: Linux 6.1 does not count with what has an address. */
	for (__u64 i = 0; i < STACK_ROOMS; i++) {
		__u32 key = (__u32)i;

		room = bpf_map_lookup_elem(&rooms, &key);
		if (room && !__sync_lock_test_and_set(&room->taken, 1))
			return stack_room(key);
	}
	return NULL;
}

static __always_inline void stack_room_leave(struct stack_room *room)
{
	__sync_lock_test_and_set(&room->taken, 0);
}

/* The stack of the current thread, into a room. The context is that of a tracepoint, or (`origin`
 * is NULL) of an interrupt, which is in no frame. `memo`: the thread's own, or NULL. */
static __always_inline void stack_take_as(struct stack_room *room, void *ctx,
	struct task_struct *task, bool kernel_frames, const volatile struct origin *origin,
	struct stack_memo *memo)
{
	long size;

	if (asked.tell_groups)
		tell_group(task);
	/* Who is ending has given its memory up, and with it what it did in user space. */
	if (asked.user_frames && task->mm && !(task->flags & TASK_KERNEL_THREAD)) {
		if (memo)
			walk_user_again(room->number, memo);
		else
			walk_user(room->number);
	}
	if (kernel_frames && !room->lost) {
		size = bpf_get_stack(ctx, room->kernel, sizeof(room->kernel), 0);
		if (!origin)
			room->kernel[0]++; /* the only one that is no return address */
		take_kernel(room, size, size > 0 && origin ? probe_frames(room, origin) : 0);
	}
}

static __always_inline void stack_take_in(
	struct stack_room *room, void *ctx, struct task_struct *task, bool kernel_frames)
{
	stack_take_as(room, ctx, task, kernel_frames, &asked.origin, NULL);
}

/* The number of the stack of the current thread, 0: it has none. *ret_lost: the ring is full. */
static __always_inline __u32 stack_take_from(void *ctx, struct task_struct *task,
	bool kernel_frames, const volatile struct origin *origin, struct stack_memo *memo,
	bool *ret_lost)
{
	struct stack_room *room = stack_room(0);

	if (!room)
		return 0;
	stack_take_as(room, ctx, task, kernel_frames, origin, memo);
	*ret_lost = room->lost;
	return room->id;
}

static __always_inline __u32 stack_take(void *ctx, struct task_struct *task, bool *ret_lost)
{
	return stack_take_from(ctx, task, asked.kernel_frames, &asked.origin, NULL, ret_lost);
}

/* The same of a thread that often has the stack of the last time. */
static __always_inline __u32 stack_take_again(
	void *ctx, struct task_struct *task, struct stack_memo *memo, bool *ret_lost)
{
	return stack_take_from(ctx, task, asked.kernel_frames, &asked.origin, memo, ret_lost);
}

/* ---- The same for a thread that is off the CPU ---- */

/* All that is known of user space is where it left. */
static __always_inline void take_user_left(struct stack_room *room, struct task_struct *task)
{
	__u64 early = CHUNK_ROOT | (__u64)CHUNK_END_EARLY << CHUNK_END_SHIFT;
	__u32 space;

	if (!asked.user_frames || task->flags & TASK_KERNEL_THREAD)
		return;
	space = space_of(task);
	room->chunk.parent = early | space;
	room->lost = !space;
	room->user.ip[0] = user_address(task);
	room->left = 1;
	if (!room->lost)
		take_user_chunk(0, &room);
}

/* Less what the kernel counts as its scheduler. */
static __always_inline void take_kernel_left(struct stack_room *room, struct task_struct *task)
{
	if (asked.kernel_frames && !room->lost)
		take_kernel(
			room, bpf_get_task_stack(task, room->kernel, sizeof(room->kernel), 0), 0);
}

/* For the stack of another thread than the current one. */
static __always_inline struct stack_room *room_for_other(struct task_struct *task)
{
	struct stack_room *room = stack_room(1);

	if (room && asked.tell_groups)
		tell_group(task);
	return room;
}

static __always_inline __u32 stack_take_other(struct task_struct *task, bool *ret_lost)
{
	struct stack_room *room = room_for_other(task);

	if (!room)
		return 0;
	take_user_left(room, task);
	take_kernel_left(room, task);
	*ret_lost = room->lost;
	return room->id;
}

/* What it has in user space, for the recorder to walk. False: there is nothing to be had. */
static __always_inline bool copy_user_waiting(struct stack_room *room, struct task_struct *task)
{
	struct told_copy *told;
	__u32 space;

	if (!asked.user_tables || !copy_waiting_begin(&room->user, task))
		return false;
	space = space_of(task);
	told = space ? bpf_ringbuf_reserve(&ring, COPY_SIZE(COPY_SMALL), 0) : NULL;
	if (!told)
		return false;
	if (!copy_take_waiting(told, task, &room->user, COPY_SMALL)) {
		bpf_ringbuf_discard(told, BPF_RB_NO_WAKEUP);
		return false;
	}
	copy_is_chunk(room, told, space);
	bpf_ringbuf_submit(told, BPF_RB_NO_WAKEUP);
	return true;
}

/* Whole, by a program that may sleep. */
static __always_inline __u32 stack_take_waiting(struct task_struct *task, bool *ret_lost)
{
	struct stack_room *room = room_for_other(task);

	if (!room)
		return 0;
	if (!asked.user_frames || !copy_user_waiting(room, task))
		take_user_left(room, task);
	take_kernel_left(room, task);
	*ret_lost |= room->lost;
	return room->id;
}

#endif
