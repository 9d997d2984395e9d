/* config.h: what the recorder asks its programs to do.
 *
 * Like every header of bpf/shared/, it is compiled by both sides: integers of fixed widths only. */
#ifndef KILN_BPF_SHARED_CONFIG_H
#define KILN_BPF_SHARED_CONFIG_H

#include <linux/types.h>

#define BPF_CPUS_MAX  4096u
#define GROUPS_MAX    16
#define PID_OUTSIDE   (-1)  /* of processes outside of the recorder's pid namespace */
#define PID_CACHE_MAX 16384 /* threads and processes whose numbers are cached: some 1.5 MB */

/* A function of the kernel. */
struct code_range {
	__u64 start, end;
};

/* Constants of a recording's programs. The verifier knows their values when a program is loaded,
 * and removes the branches that they decide. */
struct bpf_config {
	__u8 system_wide;   /* every thread but the idle ones */
	__u8 by_cpu;	    /* only what happens on these `cpus` */
	__u8 wait_for_exec; /* targets are recorded from their next exec on */
	__u8 user_frames, kernel_frames;
	__u8 by_tables;	     /* user frames by unwind tables */
	__u8 group_count;    /* of `groups`: record threads while they are in one of them */
	__u8 emit_groups;    /* say in which control group each recorded thread is */
	__u8 cgroup_v1;	     /* groups are of the hierarchy of version 1 that has perf events */
	__u32 pid_namespace; /* the recorder's own; 0: the first one, whose numbers the kernel uses
			      */
	__u64 groups[GROUPS_MAX]; /* ids of control groups: inodes of their folders */
	__u64 wakeup_bytes;	  /* so many bytes in the ring wake the recorder up */
	/* The function whose tracepoint the programs are attached to: what it calls are programs,
	 * and is left out of stacks. */
	struct code_range tracepoint;
	__u64 cpus[BPF_CPUS_MAX / 64]; /* bits */
};

#endif
