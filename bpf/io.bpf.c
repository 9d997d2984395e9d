/* io.bpf.c: which calls read and write files, how much, and for how long? */
#include "bpf/calls.h"
#include "bpf/file_name.h"
#include "bpf/later.h"
#include "bpf/targets.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define MODE_KIND    0170000 /* S_IFMT */
#define MODE_REGULAR 0100000 /* S_IFREG */

const volatile bool names; /* files are told; `calls` are enum call_kind */

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	__u64 since; /* of the call that it is in, ns; 0: none */
	__u32 file;
	__u8 kind;
	bool lost; /* the ring had no room for the file */
};

MODE_TABLES(struct thread, struct call_counts)

static __always_inline void marked(struct task_struct *task)
{
}

/* ---- Calls ---- */

static __always_inline struct file *file_of(struct task_struct *task, __u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file = NULL;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

static __always_inline void begin(struct thread *t, struct task_struct *task, __u8 kind, __u32 fd)
{
	struct file *file = file_of(task, fd);
	struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;

	if (!inode || (BPF_CORE_READ(inode, i_mode) & MODE_KIND) != MODE_REGULAR)
		return;
	t->file = names ? file_id(file, inode) : 0;
	t->lost = names && !t->file;
	t->kind = kind;
	t->since = bpf_ktime_get_ns();
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	__u8 kind = call_kind((__u64)number);
	struct task_struct *task;
	struct thread *t;

	if (!kind)
		return 0;
	task = bpf_get_current_task_btf();
	t = (struct thread *)mark_wanted(task);
	if (!t)
		return 0;
	t->since = 0;
	if (too_early(&t->mark, task) || is_32bit(task))
		return 0;
	begin(t, task, kind, (__u32)first_argument(regs));
	return 0;
}

static __always_inline void tell(struct told_call *call, bool lost)
{
	struct call_counts *c = counted();

	if (c && (lost || bpf_ringbuf_output(&ring, call, sizeof(*call), ring_wakeup())))
		count(&c->ring_full, 1);
}

static __always_inline void later_tell(union later_told *told, __u32 chunk)
{
	if (chunk)
		told->call.chunk = chunk;
	tell(&told->call, false);
}

/* With its stack, unless that would be in vain. */
static __always_inline void tell_from(
	void *ctx, struct task_struct *task, struct told_call *call, bool lost)
{
	struct stack_room *room = lost ? NULL : stack_room(ROOM_SAMPLED);

	if (room) {
		stack_take_in(room, ctx, task, asked.kernel_frames);
		call->chunk = room->id;
		lost = room->lost;
		if (!lost && later_keep(room, task, call, sizeof(*call)))
			return;
	}
	tell(call, lost);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *task;
	struct told_call call;
	struct call_counts *c = counted();
	struct thread *t;
	__u64 now;

	if (!returning(regs))
		return 0;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!c || !t || !t->since)
		return 0;
	call = (struct told_call){.told = TOLD_CALL,
		.kind = t->kind,
		.cpu = (__u16)cpu,
		.since = t->since,
		.took = now - t->since,
		.bytes = result > 0 && t->kind != CALL_SYNC ? (__u32)result : 0,
		.file = t->file,
		.pid = process_number(task),
		.tid = thread_number(task)};
	t->since = 0;
	if (!wanted_cpu(cpu))
		return 0;
	count(&c->calls, 1);
	tell_from(ctx, task, &call, t->lost);
	return 0;
}
