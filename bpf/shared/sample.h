/* sample.h: samples of the CPUs (bpf/sample.bpf.c), each as an event, or counted by stack. */
#ifndef KILN_BPF_SHARED_SAMPLE_H
#define KILN_BPF_SHARED_SAMPLE_H

#include "bpf/shared/events.h"

enum { EVENT_SAMPLE = EVENT_OF_MODE };

/* As a chunk: the kernel is switching threads, and events of a control group have begun early. */
#define SAMPLE_SWITCHING 0xffffffffu

/* What a CPU was doing when its timer fired. */
struct event_sample {
	__u8 type, reserved;
	__u16 cpu;
	__u32 chunk; /* its stack; 0: none; or SAMPLE_SWITCHING */
	__u64 time;  /* CLOCK_MONOTONIC, ns */
	__u32 pid, tid;
};

_Static_assert(sizeof(struct event_sample) == 24, "what a sample writes to the ring");

/* Without times, samples are only counted: by thread and stack. */
#define TALLIES_MAX 131072 /* the recorder may have less */
struct tally_key {
	__u32 epoch, pid, tid, chunk;
};

/* Half of the rows are for even epochs, the other half for odd ones. */
struct tally_row {
	struct tally_key key;
	__u64 count; /* 0: not used yet */
};

/* Counters of each CPU. */
struct sample_counts {
	__u64 ring_full, map_full; /* samples */
	__u64 skipped;		   /* ticks of a timer that were not to be samples */
	__u64 no_memory;	   /* threads that could not be marked; their timers still run */
};

#endif
