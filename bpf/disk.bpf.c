/* disk.bpf.c: requests to block devices: which threads make them, and how long do they take?
 *
 * The kernel creates a request for a bio: the stack of the caller is taken then. Until the request
 * is issued, perhaps by a kernel thread, others may be merged into it: so it is known by its bio
 * until then, and by its own address until it ends.
 *
 * If a page of the stack was absent, all of the stack is known when the thread is back in user
 * space (bpf/deferred.h), before or after the request ends. Such a request has an entry in
 * `pending`, and is emitted by the second of both. */
#include "bpf/shared/disk.h"
#include "bpf/deferred.h"
#include "bpf/mode.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define BIOS_MAX 32 /* of a request that are looked at */

/* The operation of a bio; all that are not here are writes. */
#define OPERATION_MASK	       0xff
#define OPERATION_READ	       0
#define OPERATION_DISCARD      3
#define OPERATION_SECURE_ERASE 5

const volatile __u32 kinds = ~0u; /* bits by enum request_kind */

struct thread {
	struct mark mark;
};

MODE_MAPS(struct thread, struct request_counts)

/* A request that has not ended. */
struct request_state {
	__u64 created; /* ns; 0: it has ended */
	__u64 issued;  /* ns; 0: not yet */
	__u32 chunk, device, bytes;
	__u32 pid, tid;
	__u64 number; /* its key in `pending`; 0: none */
	__u16 cpu;
	__u8 kind;
	bool lost; /* the ring had no room for its stack */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_MAX); /* the recorder decides */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* the address of its first bio or, once it is issued, of the request */
	__type(value, struct request_state);
} requests SEC(".maps");

__u64 last_number; /* given so far */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_MAX); /* the recorder decides */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* a number */
	__type(value, struct request_pending);
} pending SEC(".maps");

static __always_inline void on_marked(struct task_struct *task)
{
}

/* ---- Emitted ---- */

static __always_inline void emit(const struct event_request *event, bool lost)
{
	struct request_counts *c = counters();

	if (c && (lost || !ring_emit(event, sizeof(*event))))
		count(&c->ring_full, 1);
}

/* One of two has come for a pending request: its end (`event`, or NULL: it was merged into another
 * one), or its deferred stack (`chunk`; 0: no better one is known). The second of both emits it. */
static __always_inline void complete(__u64 number, const struct event_request *event, __u32 chunk)
{
	struct request_pending *request = bpf_map_lookup_elem(&pending, &number);

	if (!request)
		return;
	if (event)
		request->event = *event;
	if (chunk)
		request->chunk = chunk;
	if (!__sync_lock_test_and_set(&request->first_done, 1))
		return;
	if (request->chunk)
		request->event.chunk = request->chunk;
	if (request->event.type)
		emit(&request->event, false);
	bpf_map_delete_elem(&pending, &number);
}

static __always_inline void emit_deferred(const __u64 *words, __u32 chunk)
{
	struct event_request_stack event;

	__builtin_memcpy(&event, words, sizeof(event));
	complete(event.number, NULL, chunk);
}

/* ---- Created ---- */

static __always_inline __u8 request_kind(struct bio *bio)
{
	__u32 operation = bio->bi_opf & OPERATION_MASK;

	if (!bio->bi_iter.bi_size)
		return REQUEST_FLUSH;
	if (operation == OPERATION_DISCARD || operation == OPERATION_SECURE_ERASE)
		return REQUEST_DISCARD;
	return operation == OPERATION_READ ? REQUEST_READ : REQUEST_WRITE;
}

static __always_inline void count_other(struct task_struct *task)
{
	struct request_counts *c = task->flags & TASK_KERNEL_THREAD ? counters() : NULL;

	if (c)
		count(&c->others, 1);
}

/* There is no room for a request: it is lost. */
static __always_inline void lose(const struct request_state *state)
{
	struct request_counts *c = counters();

	if (state->number)
		complete(state->number, NULL, 0);
	if (!c)
		return;
	count(&c->requests, 1);
	count(&c->map_full, 1);
}

/* Take the stack of a request; if a page is absent, defer the rest of it. */
static __always_inline void take_stack(
	void *ctx, struct task_struct *task, struct request_state *state)
{
	struct stack_scratch *scratch = stack_scratch_get(SCRATCH_CURRENT);
	struct request_pending none = {0};
	struct event_request_stack event = {.type = EVENT_REQUEST_STACK};

	if (!scratch)
		return;
	stack_take_in(scratch, ctx, task, config.kernel_frames);
	state->chunk = scratch->id;
	state->lost = scratch->lost;
	if (state->lost || !needs_page(scratch))
		return;
	event.number = __sync_fetch_and_add(&last_number, 1) + 1;
	if (bpf_map_update_elem(&pending, &event.number, &none, BPF_NOEXIST))
		return;
	if (event_defer(scratch, task, &event, sizeof(event), false))
		state->number = event.number;
	else
		bpf_map_delete_elem(&pending, &event.number);
}

SEC("tp_btf/block_getrq")
int BPF_PROG(on_create, struct bio *bio)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *task = bpf_get_current_task_btf();
	struct request_state state;
	__u64 key = (__u64)bio;
	__u8 kind = request_kind(bio);

	if (!(kinds >> kind & 1) || !is_recorded_cpu(cpu))
		return 0;
	if (!is_recorded(task)) {
		count_other(task);
		return 0;
	}
	state = (struct request_state){.created = bpf_ktime_get_ns(),
		.device = bio->bi_bdev->bd_dev,
		.pid = recorder_pid(task),
		.tid = recorder_tid(task),
		.cpu = (__u16)cpu,
		.kind = kind};
	take_stack(ctx, task, &state);
	if (bpf_map_update_elem(&requests, &key, &state, BPF_ANY))
		lose(&state);
	return 0;
}

/* ---- Merged, issued ---- */

/* A request that is not issued yet, by any of its bios: others may have been put before its first
 * one.
 */
static __always_inline struct request_state *find(struct request *request, __u64 *ret_key)
{
	struct bio *bio = BPF_CORE_READ(request, bio), *last = BPF_CORE_READ(request, biotail);
	struct request_state *found;

	for (int i = 0; i < BIOS_MAX && bio; i++) {
		*ret_key = (__u64)bio;
		found = bpf_map_lookup_elem(&requests, ret_key);
		if (found || bio == last)
			return found;
		bio = BPF_CORE_READ(bio, bi_next);
	}
	return NULL;
}

SEC("tp_btf/block_rq_merge")
int BPF_PROG(on_merge, struct request *request)
{
	struct request_counts *c = counters();
	struct request_state *state;
	__u64 key;

	state = find(request, &key);
	if (!state)
		return 0;
	if (state->number)
		complete(state->number, NULL, 0);
	bpf_map_delete_elem(&requests, &key);
	if (c)
		count(&c->merged, 1);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
	__u64 key, address = (__u64)request;
	struct request_state *known = find(request, &key), state;

	if (!known)
		return 0; /* not recorded, or it is issued again */
	state = *known;
	bpf_map_delete_elem(&requests, &key);
	state.issued = bpf_ktime_get_ns();
	if (state.kind != REQUEST_DISCARD)
		state.bytes = request->__data_len;
	if (bpf_map_update_elem(&requests, &address, &state, BPF_ANY))
		lose(&state);
	return 0;
}

/* ---- Ended ---- */

static __always_inline void end(const struct request_state *state, __u64 now)
{
	struct request_counts *c = counters();
	__u64 issued = state->issued ? state->issued : state->created;
	struct event_request event = {.type = EVENT_REQUEST,
		.kind = state->kind,
		.cpu = state->cpu,
		.chunk = state->chunk,
		.created = state->created,
		.queued = issued - state->created,
		.served = now - issued,
		.bytes = state->bytes,
		.device = state->device,
		.pid = state->pid,
		.tid = state->tid};

	if (!c)
		return;
	count(&c->requests, 1);
	if (state->number)
		complete(state->number, &event, 0);
	else
		emit(&event, state->lost);
}

/* The kernel issues one flush for all requests for a flush that wait: these end without being
 * issued.
 */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes)
{
	__u64 now = bpf_ktime_get_ns(), key = (__u64)request;
	struct request_state *state = bpf_map_lookup_elem(&requests, &key);

	if (bytes < request->__data_len)
		return 0; /* a part of it has ended */
	if (!state || !state->created) {
		key = (__u64)BPF_CORE_READ(request, bio);
		state = bpf_map_lookup_elem(&requests, &key);
	}
	if (!state || !state->created)
		return 0;
	end(state, now);
	state->created = 0; /* in case it is not deleted */
	bpf_map_delete_elem(&requests, &key);
	return 0;
}
