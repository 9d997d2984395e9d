/* io.bpf.c: which calls read and write files, how much, and for how long? */
#include "bpf/shared/io.h"
#include "bpf/calls.h"
#include "bpf/deferred.h"
#include "bpf/file_name.h"
#include "bpf/mode.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define MODE_KIND    0170000 /* S_IFMT */
#define MODE_REGULAR 0100000 /* S_IFREG */

const volatile bool names; /* files are emitted; `calls` are enum call_kind */

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	__u64 start; /* of the call that it is in, ns; 0: none */
	__u32 file;
	__u8 kind;
	bool lost; /* the ring had no room for the file */
};

MODE_MAPS(struct thread, struct mode_counts)

static __always_inline void on_marked(struct task_struct *task)
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
	t->start = bpf_ktime_get_ns();
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
	t = (struct thread *)thread_mark(task);
	if (!t)
		return 0;
	t->start = 0;
	if (is_before_exec(&t->mark, task) || is_32bit(task))
		return 0;
	begin(t, task, kind, (__u32)first_argument(regs));
	return 0;
}

static __always_inline void emit(const struct event_call *call, bool lost)
{
	struct mode_counts *c = counters();

	if (c && (lost || !ring_emit(call, sizeof(*call))))
		count(&c->ring_full, 1);
}

static __always_inline void emit_deferred(const __u64 *event, __u32 chunk)
{
	struct event_call call;

	__builtin_memcpy(&call, event, sizeof(call));
	if (chunk)
		call.chunk = chunk;
	emit(&call, false);
}

/* Emit it with its stack; if it is lost anyway, do not take the stack. */
static __always_inline void emit_with_stack(
	void *ctx, struct task_struct *task, struct event_call *call, bool lost)
{
	struct stack_scratch *scratch = lost ? NULL : stack_scratch_get(SCRATCH_CURRENT);

	if (scratch) {
		stack_take_in(scratch, ctx, task, config.kernel_frames);
		call->chunk = scratch->id;
		lost = scratch->lost;
		if (!lost && event_defer(scratch, task, call, sizeof(*call), false))
			return;
	}
	emit(call, lost);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *task;
	struct event_call call;
	struct mode_counts *c = counters();
	struct thread *t;
	__u64 now;

	if (!returning(regs))
		return 0;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!c || !t || !t->start)
		return 0;
	call = (struct event_call){.type = EVENT_CALL,
		.kind = t->kind,
		.cpu = (__u16)cpu,
		.start = t->start,
		.duration = now - t->start,
		.bytes = result > 0 && t->kind != CALL_SYNC ? (__u32)result : 0,
		.file = t->file,
		.pid = recorder_pid(task),
		.tid = recorder_tid(task)};
	t->start = 0;
	if (!is_recorded_cpu(cpu))
		return 0;
	count(&c->expected, 1);
	emit_with_stack(ctx, task, &call, t->lost);
	return 0;
}
