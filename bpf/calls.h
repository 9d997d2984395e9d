/* calls.h: which system call is it, and what are its arguments?
 *
 * This is where machines differ. `calls` says which calls a mode looks at: each has a kind of the
 * mode's own, other than 0. */
#ifndef KILN_BPF_CALLS_H
#define KILN_BPF_CALLS_H

#include "bpf/core.h"
#include "bpf/shared/calls.h"

/* In 32-bit calls, numbers have another meaning. */
#define STATUS_32BIT 2		 /* TS_COMPAT of x86 */
#define FLAG_32BIT   (1ul << 22) /* TIF_32BIT of arm64 */

const volatile __u8 calls[CALL_NUMBERS]; /* kinds, by number */

static __always_inline __u8 call_kind(__u64 number)
{
	return number < CALL_NUMBERS ? calls[number] : 0;
}

#ifdef __TARGET_ARCH_x86
#define first_argument(regs)  ((regs)->di)
#define second_argument(regs) ((regs)->si)
#define returning(regs)	      call_kind((regs)->orig_ax)

static __always_inline bool is_32bit(struct task_struct *task)
{
	return task->thread_info.status & STATUS_32BIT;
}
#else
#if defined(__TARGET_ARCH_riscv)
#define first_argument(regs)  BPF_CORE_READ(regs, orig_a0)
#define second_argument(regs) BPF_CORE_READ(regs, a1)
#elif defined(__TARGET_ARCH_powerpc)
#define first_argument(regs)  BPF_CORE_READ(regs, gpr[3])
#define second_argument(regs) BPF_CORE_READ(regs, gpr[4])
#else
#define first_argument(regs)  PT_REGS_PARM1_CORE_SYSCALL(regs)
#define second_argument(regs) PT_REGS_PARM2_CORE_SYSCALL(regs)
#endif
#define returning(regs) 1 /* perhaps: what is kept of the thread knows */

static __always_inline bool is_32bit(struct task_struct *task)
{
#ifdef __TARGET_ARCH_arm64
	return task->thread_info.flags & FLAG_32BIT;
#else
	return false;
#endif
}
#endif

#define TASK_WORKER                                                                                \
	0x4010 /* PF_IO_WORKER, PF_USER_WORKER: threads that never were in user space              \
		*/

/* Where does a thread wait that is leaving the CPU, or has left it? WAIT_IN_... */
static __always_inline __u16 waits_in(struct task_struct *task)
{
	__u16 io = BPF_CORE_READ_BITFIELD(task, in_iowait) ? WAIT_IN_IO : 0;
	__s64 number = CALL_NUMBERS;

	if (task->flags & (TASK_KERNEL_THREAD | TASK_WORKER) || is_32bit(task))
		return io;
#ifdef __TARGET_ARCH_x86
	number = (__s64)((struct pt_regs *)bpf_task_pt_regs(task))->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	number = ((struct pt_regs *)bpf_task_pt_regs(task))->syscallno;
#endif
	if (number < 0)
		return io | WAIT_IN_FAULT;
	return number < CALL_NUMBERS ? io | (__u16)(WAIT_IN_CALL + number) : io;
}

#endif
