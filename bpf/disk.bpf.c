/* disk.bpf.c: what is asked of block devices, by whom, and how long does it take?
 *
 * The kernel makes a request for a bio, whose caller's stack is taken then. Others may be merged
 * into it before it is issued, perhaps by a thread of the kernel, so it is known by its bio until
 * then, and by its own address until it ends. It may end before or after its maker is back in user
 * space, which is when all of the stack is known if a page of that was absent (bpf/later.h): then
 * the second of both tells it. */
#include "bpf/later.h"
#include "bpf/targets.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define BIOS_MOST 32 /* of a request that are looked at */

/* What a bio or request says that it is; those below are all that is not written. */
#define OPERATION_MASK	       0xff
#define OPERATION_READ	       0
#define OPERATION_DISCARD      3
#define OPERATION_SECURE_ERASE 5

const volatile __u32 kinds = ~0u; /* bits by enum request_kind */

struct thread {
	struct mark mark;
};

MODE_TABLES(struct thread, struct request_counts)

/* A request that has not ended. */
struct request_state {
	__u64 made;   /* ns; 0: it has ended */
	__u64 issued; /* ns; 0: not yet */
	__u32 chunk, device, bytes;
	__u32 pid, tid;
	__u64 number; /* of `awaited`; 0: it is not */
	__u16 cpu;
	__u8 kind;
	bool lost; /* the ring had no room for its stack */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_MOST); /* the recorder decides */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* address of its first bio; once it is issued, of the request */
	__type(value, struct request_state);
} requests SEC(".maps");

__u64 last_number;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_MOST); /* the recorder decides */
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* a number */
	__type(value, struct request_awaited);
} awaited SEC(".maps");

static __always_inline void marked(struct task_struct *task)
{
}

/* ---- Told ---- */

static __always_inline void tell(struct told_request *told, bool lost)
{
	struct request_counts *c = counted();

	if (c && (lost || bpf_ringbuf_output(&ring, told, sizeof(*told), ring_wakeup())))
		count(&c->ring_full, 1);
}

/* A request has ended (`told`), or become a part of another one (NULL); or its stack is known
 * (`chunk`; 0: as well as it was). Whoever comes second tells it. */
static __always_inline void meet(__u64 number, const struct told_request *told, __u32 chunk)
{
	struct request_awaited *whole = bpf_map_lookup_elem(&awaited, &number);

	if (!whole)
		return;
	if (told)
		whole->told = *told;
	if (chunk)
		whole->chunk = chunk;
	if (!__sync_lock_test_and_set(&whole->met, 1))
		return;
	if (whole->chunk)
		whole->told.chunk = whole->chunk;
	if (whole->told.told)
		tell(&whole->told, false);
	bpf_map_delete_elem(&awaited, &number);
}

static __always_inline void later_tell(union later_told *told, __u32 chunk)
{
	meet(told->request.number, NULL, chunk);
}

/* ---- Made ---- */

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
	struct request_counts *c = task->flags & TASK_KERNEL_THREAD ? counted() : NULL;

	if (c)
		count(&c->others, 1);
}

static __always_inline void miss(const struct request_state *state)
{
	struct request_counts *c = counted();

	if (state->number)
		meet(state->number, NULL, 0);
	if (!c)
		return;
	count(&c->requests, 1);
	count(&c->map_full, 1);
}

/* Its stack, or a part of it, until the rest is known. */
static __always_inline void take_stack(
	void *ctx, struct task_struct *task, struct request_state *state)
{
	struct stack_room *room = stack_room(ROOM_SAMPLED);
	struct request_awaited none = {0};
	struct later_request later = {0};

	if (!room)
		return;
	stack_take_in(room, ctx, task, asked.kernel_frames);
	state->chunk = room->id;
	state->lost = room->lost;
	if (state->lost || !page_due(room))
		return;
	later.number = __sync_fetch_and_add(&last_number, 1) + 1;
	if (bpf_map_update_elem(&awaited, &later.number, &none, BPF_NOEXIST))
		return;
	if (later_keep(room, task, &later, sizeof(later)))
		state->number = later.number;
	else
		bpf_map_delete_elem(&awaited, &later.number);
}

SEC("tp_btf/block_getrq")
int BPF_PROG(on_make, struct bio *bio)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *task = bpf_get_current_task_btf();
	struct request_state state;
	__u64 key = (__u64)bio;
	__u8 kind = request_kind(bio);

	if (!(kinds >> kind & 1) || !wanted_cpu(cpu))
		return 0;
	if (!is_recorded(task)) {
		count_other(task);
		return 0;
	}
	state = (struct request_state){.made = bpf_ktime_get_ns(),
		.device = bio->bi_bdev->bd_dev,
		.pid = process_number(task),
		.tid = thread_number(task),
		.cpu = (__u16)cpu,
		.kind = kind};
	take_stack(ctx, task, &state);
	if (bpf_map_update_elem(&requests, &key, &state, BPF_ANY))
		miss(&state);
	return 0;
}

/* ---- Merged, issued ---- */

/* One that is not issued yet, by any of its bios: in front of the first there may be others by now.
 */
static __always_inline struct request_state *find(struct request *request, __u64 *ret_key)
{
	struct bio *bio = BPF_CORE_READ(request, bio), *last = BPF_CORE_READ(request, biotail);
	struct request_state *found;

	for (int i = 0; i < BIOS_MOST && bio; i++) {
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
	struct request_counts *c = counted();
	struct request_state *state;
	__u64 key;

	state = find(request, &key);
	if (!state)
		return 0;
	if (state->number)
		meet(state->number, NULL, 0);
	bpf_map_delete_elem(&requests, &key);
	if (c)
		count(&c->merged, 1);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
	__u64 key, address = (__u64)request;
	struct request_state *made = find(request, &key), state;

	if (!made)
		return 0; /* or it is issued again */
	state = *made;
	bpf_map_delete_elem(&requests, &key);
	state.issued = bpf_ktime_get_ns();
	if (state.kind != REQUEST_DISCARD)
		state.bytes = request->__data_len;
	if (bpf_map_update_elem(&requests, &address, &state, BPF_ANY))
		miss(&state);
	return 0;
}

/* ---- Ended ---- */

static __always_inline void end(const struct request_state *state, __u64 now)
{
	struct request_counts *c = counted();
	__u64 issued = state->issued ? state->issued : state->made;
	struct told_request told = {.told = TOLD_REQUEST,
		.kind = state->kind,
		.cpu = state->cpu,
		.chunk = state->chunk,
		.made = state->made,
		.queued = issued - state->made,
		.took = now - issued,
		.bytes = state->bytes,
		.device = state->device,
		.pid = state->pid,
		.tid = state->tid};

	if (!c)
		return;
	count(&c->requests, 1);
	if (state->number)
		meet(state->number, &told, 0);
	else
		tell(&told, state->lost);
}

/* A flush is issued by the kernel, for all who have asked for it: what they asked ends unissued. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes)
{
	__u64 now = bpf_ktime_get_ns(), key = (__u64)request;
	struct request_state *state = bpf_map_lookup_elem(&requests, &key);

	if (bytes < request->__data_len)
		return 0; /* a part */
	if (!state || !state->made) {
		key = (__u64)BPF_CORE_READ(request, bio);
		state = bpf_map_lookup_elem(&requests, &key);
	}
	if (!state || !state->made)
		return 0;
	end(state, now);
	state->made = 0; /* should it stay */
	bpf_map_delete_elem(&requests, &key);
	return 0;
}
