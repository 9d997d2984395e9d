/* core.h: the structs of the kernel that programs read.
 *
 * Only the fields that are read are declared. Their offsets are those of the running kernel, which
 * libbpf writes into a program when it is loaded (CO-RE): one object fits all kernels. */
#ifndef KILN_BPF_CORE_H
#define KILN_BPF_CORE_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	unsigned long flags;
	__u32 status;
};

struct sched_entity {
	__u64 sum_exec_runtime; /* ns on the CPU, up to the last switch or tick */
};

struct mm_struct {
	unsigned long brk; /* where the heap ends */
};

struct vm_area_struct {
	unsigned long vm_end, vm_flags;
};

struct ns_common {
	unsigned int inum; /* of the file below /proc/PID/ns */
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* of each namespace, from the first one inwards to `level` */
};

struct task_struct {
	struct thread_info thread_info;
	struct sched_entity se;
	unsigned int __state, flags;
	unsigned int in_iowait : 1;
	int on_cpu;
	unsigned long nvcsw, nivcsw; /* how often it has left the CPU */
	int pid, tgid;		     /* what user space calls tid and pid; see bpf/pids.h */
	struct pid *thread_pid;	     /* NULL: it has been reaped */
	struct task_struct *group_leader;
	__u32 self_exec_id; /* new with each exec */
	__u64 start_time;
	struct mm_struct *mm; /* NULL: a thread of the kernel, or one that is just ending */
	struct files_struct *files;
	struct css_set *cgroups; /* that it is in, of each hierarchy */
};

struct kernfs_node {
	__u64 id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

enum cgroup_subsys_id { perf_event_cgrp_id = 0 }; /* its value is that of the running kernel */

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp; /* of version 2 */
};

#ifdef __TARGET_ARCH_x86
struct pt_regs { /* its other words are read by their numbers */
	unsigned long bp, ip, cs, sp, di, si, orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs { /* what bpf_tracing.h takes a pt_regs for */
	unsigned long regs[31], sp, pc, pstate;
};
struct pt_regs {
	int syscallno;
};
#elif defined(__TARGET_ARCH_riscv)
struct pt_regs {
	unsigned long orig_a0, a1;
};
#elif defined(__TARGET_ARCH_powerpc)
struct pt_regs {
	unsigned long gpr[32];
};
#endif

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct qstr {
	__u64 hash_len;
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
};

struct block_device {
	__u32 bd_dev;
};

struct bvec_iter {
	unsigned int bi_size;
};

struct bio {
	struct bio *bi_next; /* of the same request */
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
};

struct request {
	unsigned int __data_len;
	struct bio *bio, *biotail;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

/* Fields that the kernel finds by name in map values, and types that only need a name. */
struct bpf_task_work {
	__u64 opaque;
};
struct bpf_map {
	__u32 id;
};

#define TASK_KERNEL_THREAD 0x00200000 /* PF_KTHREAD, of task_struct.flags */
#define AREA_OF_DEVICE	   0x00004400 /* VM_PFNMAP, VM_IO, of vm_area_struct.vm_flags */
#define KERNEL_STACK_MAX   128	      /* a power of two; kernel.perf_event_max_stack is less */

/* task_struct.__state and what sched_switch says */
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED	     0x000c /* by a signal or a debugger */
#define TASK_ENDED	     0x00b0 /* never to run again */
#define TASK_PARKED	     0x0040
#define TASK_NOLOAD	     0x0400

/* All ones when a < b, else 0; both below 2^62. For the verifier: it follows both sides of each
 * branch, but does not branch for a mask. The asm hides from the compiler that it could branch. The
 * shift is by 62 and not 63: newer verifiers follow both values of a sign, which can only be -1 or
 * 0, but not of two bits. */
static __always_inline __u64 mask_below(__u64 a, __u64 b)
{
	__u64 mask = (__u64)((__s64)(a - b) >> 62);

	asm volatile("" : "+r"(mask));
	return mask;
}

#endif
