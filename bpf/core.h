/* core.h: the few structs of the kernel that programs look into.
 *
 * Only fields that are touched are named; where they are is found out when a program is loaded
 * (CO-RE), so that one object fits all kernels. */
#ifndef KILN_BPF_CORE_H
#define KILN_BPF_CORE_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/shared.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	unsigned int __state, flags;
	int on_cpu;
	int pid, tgid; /* what user space calls tid, pid */
	struct task_struct *group_leader;
	__u32 self_exec_id; /* new with each exec */
	__u64 start_time;
	struct mm_struct *mm; /* NULL: a thread of the kernel, or one that is just ending */
};

#ifdef __TARGET_ARCH_x86
struct pt_regs { /* its other words are looked up by their numbers */
	unsigned long bp, ip, cs, sp;
};
#endif

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#define TASK_KERNEL_THREAD 0x00200000 /* PF_KTHREAD, of task_struct.flags */
#define KERNEL_STACK_MOST  128	      /* a power of two; kernel.perf_event_max_stack is less */

/* task_struct.__state and what sched_switch says */
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED	     0x000c /* by a signal or a debugger */
#define TASK_ENDED	     0x00b0 /* never to run again */
#define TASK_PARKED	     0x0040
#define TASK_NOLOAD	     0x0400

#endif
