/* count.bpf.c: hits of tracepoints, functions and static probes, each with a value. */
#include "bpf/shared/count.h"
#include "bpf/deferred.h"
#include "bpf/mode.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile struct hit_value values[HIT_VALUES_MAX]; /* the first is HIT_NOTHING */

const volatile struct hit_code left_out[HIT_EVENTS_MAX]; /* of stacks, by event */

/* A thread that is recorded. */
struct thread {
	struct mark mark;
};

MODE_MAPS(struct thread, struct hit_counts)

static __always_inline void on_marked(struct task_struct *task)
{
}

static __always_inline __s64 extend(__u64 value, __u8 size, bool is_signed)
{
	__u32 unused = 64 - 8 * (__u32)size & 63;

	return is_signed ? (__s64)(value << unused) >> unused : (__s64)(value << unused >> unused);
}

/* The verifier allows a program to read its context only at constant offsets. Here the offset is
 * not constant, so the address of the context is made a plain number. */
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
	const volatile struct hit_value *v = &values[number & (HIT_VALUES_MAX - 1)];
	__u64 found[2] = {0}; /* the verifier only knows that at most 15 bytes are read */

	*ret = 1;
	if (v->source == HIT_NOTHING)
		return VALUE_FOUND;
	*ret = v->add;
	if (v->source == HIT_CONSTANT)
		return VALUE_FOUND;
	if (!read_context(ctx, v->offset, v->source == HIT_MEMORY ? 8 : v->size, found))
		return VALUE_ABSENT;
	if (v->source == HIT_MEMORY &&
		bpf_probe_read_user(found, v->size & 15, (const void *)(*found + v->add)))
		return VALUE_ABSENT;
	*ret = extend(*found, v->size, v->is_signed);
	if (v->source != HIT_GROWTH)
		return VALUE_FOUND;
	*ret -= (__s64)BPF_CORE_READ(task, mm, brk);
	return *ret > 0 ? VALUE_FOUND : VALUE_NONE;
}

static __always_inline void emit(const struct event_hit *hit, bool lost)
{
	struct hit_counts *c = counters();

	if (c && (lost || !ring_emit(hit, sizeof(*hit))))
		count(&c->ring_full[hit->number & (HIT_EVENTS_MAX - 1)], 1);
}

static __always_inline void emit_deferred(const __u64 *event, __u32 chunk)
{
	struct event_hit hit;

	__builtin_memcpy(&hit, event, sizeof(hit));
	if (chunk)
		hit.chunk = chunk;
	emit(&hit, false);
}

static __always_inline void count_no_scratch(const struct event_hit *hit)
{
	struct hit_counts *c = counters();

	if (c)
		count(&c->no_scratch[hit->number & (HIT_EVENTS_MAX - 1)], 1);
}

/* Is this a hit of a recorded thread, and with which value? */
static __always_inline bool hit_of(void *ctx, struct task_struct *task, struct event_hit *ret)
{
	struct hit_counts *c = counters();
	enum value_found found;
	__u64 cookie;
	__s64 value;
	__u32 event;

	if (!c || !is_recorded(task) || !is_recorded_cpu(bpf_get_smp_processor_id()))
		return false;
	cookie = bpf_get_attach_cookie(ctx);
	event = cookie & (HIT_EVENTS_MAX - 1);
	found = value_of(ctx, task, (__u32)(cookie >> 8), &value);
	if (found == VALUE_NONE)
		return false;
	count(&c->hits[event], 1);
	if (found == VALUE_ABSENT) {
		count(&c->unread[event], 1);
		return false;
	}
	*ret = (struct event_hit){.type = EVENT_HIT,
		.number = (__u8)event,
		.cpu = (__u16)bpf_get_smp_processor_id(),
		.time = bpf_ktime_get_ns(),
		.value = value,
		.pid = recorder_pid(task),
		.tid = recorder_tid(task)};
	return true;
}

/* A hit in the kernel. */
static __always_inline void take_hit(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_scratch *scratch;
	struct event_hit hit;
	__u32 event;

	if (!hit_of(ctx, task, &hit))
		return;
	scratch = stack_scratch_acquire();
	if (!scratch) {
		count_no_scratch(&hit);
		return;
	}
	event = hit.number & (HIT_EVENTS_MAX - 1);
	scratch->probe_start = left_out[event].start;
	scratch->probe_size = left_out[event].size;
	scratch->probe_caller = left_out[event].caller;
	scratch->probe_caller_size = left_out[event].caller_size;
	stack_take_in(scratch, ctx, task, config.kernel_frames);
	hit.chunk = scratch->id;
	if (scratch->lost || !event_defer(scratch, task, &hit, sizeof(hit), false))
		emit(&hit, scratch->lost);
	stack_scratch_release(scratch);
}

/* Returning 0 would hide the event from other listeners, such as perf. */
SEC("tp")
int on_tracepoint(void *ctx)
{
	take_hit(ctx);
	return 1;
}

SEC("kprobe")
int on_kernel_function(void *ctx)
{
	take_hit(ctx);
	return 0;
}

/* Kernel frames are only those of the probe itself, and left out. May sleep if `wait_for_pages`. */
SEC("uprobe")
int on_function(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_scratch *scratch;
	struct event_hit hit;

	if (!hit_of(ctx, task, &hit))
		return 0;
	scratch = stack_take_paged(ctx, task);
	if (!scratch) {
		count_no_scratch(&hit);
		return 0;
	}
	hit.chunk = scratch->id;
	emit(&hit, scratch->lost);
	stack_scratch_release(scratch);
	return 0;
}
