/* count.bpf.c: who comes by tracepoints, functions and static probes, and with what? */
#define STACK_ROOMS   6
#define ROOM_LATER    5
#define PROBE_CALLERS 1
#include "bpf/later.h"
#include "bpf/targets.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile struct hit_value values[HIT_VALUES_MOST]; /* the first is none */

const volatile struct hit_plumbing plumbing[HIT_EVENTS_MOST];

/* A thread that is recorded. */
struct thread {
	struct mark mark;
};

MODE_TABLES(struct thread, struct hit_counts)

static __always_inline void marked(struct task_struct *task)
{
}

static __always_inline __s64 widened(__u64 value, __u8 size, bool is_signed)
{
	__u32 unused = 64 - 8 * (__u32)size & 63;

	return is_signed ? (__s64)(value << unused) >> unused : (__s64)(value << unused >> unused);
}

/* A program's context is not to be read at a place that is not known to the verifier; as a number
 * it is an address like others. */
static __always_inline bool read_context(void *ctx, __u32 offset, __u32 size, __u64 *ret)
{
	void *start = ctx, *address = NULL;

	bpf_probe_read_kernel(&address, sizeof(address), &start);
	return !bpf_probe_read_kernel(ret, size & 15, address + offset);
}

enum value_found { VALUE_NONE, VALUE_ABSENT, VALUE_FOUND };

static __always_inline enum value_found value_of(
	void *ctx, struct task_struct *task, __u32 number, __s64 *ret)
{
	const volatile struct hit_value *v = &values[number & (HIT_VALUES_MOST - 1)];
	__u64 found[2] = {0}; /* as far as the verifier knows, 15 bytes are read */

	*ret = 1;
	if (v->from == HIT_NOTHING)
		return VALUE_FOUND;
	*ret = v->add;
	if (v->from == HIT_CONSTANT)
		return VALUE_FOUND;
	if (!read_context(ctx, v->offset, v->from == HIT_MEMORY ? 8 : v->size, found))
		return VALUE_ABSENT;
	if (v->from == HIT_MEMORY &&
		bpf_probe_read_user(found, v->size & 15, (const void *)(*found + v->add)))
		return VALUE_ABSENT;
	*ret = widened(*found, v->size, v->is_signed);
	if (v->from != HIT_GROWTH)
		return VALUE_FOUND;
	*ret -= (__s64)BPF_CORE_READ(task, mm, brk);
	return *ret > 0 ? VALUE_FOUND : VALUE_NONE;
}

/* Counts are added to by one instruction: a program may be preempted by another one. */
static __always_inline void tell(struct told_hit *hit, bool lost)
{
	struct hit_counts *c = counted();

	if (c && (lost || bpf_ringbuf_output(&ring, hit, sizeof(*hit), ring_wakeup())))
		count(&c->ring_full[hit->event & (HIT_EVENTS_MOST - 1)], 1);
}

static __always_inline void later_tell(union later_told *told, __u32 chunk)
{
	if (chunk)
		told->hit.chunk = chunk;
	tell(&told->hit, false);
}

static __always_inline void count_crowded(const struct told_hit *hit)
{
	struct hit_counts *c = counted();

	if (c)
		count(&c->crowded[hit->event & (HIT_EVENTS_MOST - 1)], 1);
}

/* Does who comes by count, and with what? */
static __always_inline bool hit_of(void *ctx, struct task_struct *task, struct told_hit *ret)
{
	struct hit_counts *c = counted();
	enum value_found found;
	__u64 cookie;
	__s64 value;
	__u32 event;

	if (!c || !is_recorded(task) || !wanted_cpu(bpf_get_smp_processor_id()))
		return false;
	cookie = bpf_get_attach_cookie(ctx);
	event = cookie & (HIT_EVENTS_MOST - 1);
	found = value_of(ctx, task, (__u32)(cookie >> 8), &value);
	if (found == VALUE_NONE)
		return false;
	count(&c->hits[event], 1);
	if (found == VALUE_ABSENT) {
		count(&c->unread[event], 1);
		return false;
	}
	*ret = (struct told_hit){.told = TOLD_HIT,
		.event = (__u8)event,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.value = value,
		.pid = process_number(task),
		.tid = thread_number(task)};
	return true;
}

/* Wherever in the kernel that is. */
static __always_inline void come_by(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_room *room;
	struct told_hit hit;
	__u32 event;

	if (!hit_of(ctx, task, &hit))
		return;
	room = stack_room_enter();
	if (!room) {
		count_crowded(&hit);
		return;
	}
	event = hit.event & (HIT_EVENTS_MOST - 1);
	room->probe_start = plumbing[event].start;
	room->probe_size = plumbing[event].size;
	room->probe_caller = plumbing[event].caller;
	room->probe_caller_size = plumbing[event].caller_size;
	stack_take_in(room, ctx, task, asked.kernel_frames);
	hit.chunk = room->id;
	if (room->lost || !later_keep(room, task, &hit, sizeof(hit)))
		tell(&hit, room->lost);
	stack_room_leave(room);
}

/* 0 would hide the event from everybody else who counts it, such as perf. */
SEC("tp")
int on_tracepoint(void *ctx)
{
	come_by(ctx);
	return 1;
}

SEC("kprobe")
int on_kernel_function(void *ctx)
{
	come_by(ctx);
	return 0;
}

/* What is in the kernel then is the probe itself. May sleep if `wait_for_pages`. */
SEC("uprobe")
int on_function(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_room *room;
	struct told_hit hit;

	if (!hit_of(ctx, task, &hit))
		return 0;
	room = stack_enter_whole(ctx, task);
	if (!room) {
		count_crowded(&hit);
		return 0;
	}
	hit.chunk = room->id;
	tell(&hit, room->lost);
	stack_room_leave(room);
	return 0;
}
