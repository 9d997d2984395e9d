/* cpu_bpf.h: samples of the CPU clock, taken by a BPF program. */
#ifndef KILN_RECORDERS_MODES_CPU_BPF_H
#define KILN_RECORDERS_MODES_CPU_BPF_H

#include "recorders/perf/source.h"
#include "recorders/sampler.h"

struct cpu_bpf;

/* Load the programs and open the events on the session's targets. NULL: not possible here. */
struct cpu_bpf *cpu_bpf_open(struct session *s, struct error *err);
/* The events, and the sampler that takes their samples; event 0 must be added before the first
 * drain. */
struct perf_source *cpu_bpf_events(struct cpu_bpf *b);
struct sampler *cpu_bpf_sampler(struct cpu_bpf *b);
bool cpu_bpf_enable(struct cpu_bpf *b, struct session *s, struct error *err);
/* Drain. Counts are added when the profile is about to be written (`commits`), and at the end.
 * Returns the time until the next drain, ns; 0: the usual one. */
uint64_t cpu_bpf_drain(struct cpu_bpf *b, bool commits, bool last);
/* Later samples get rows of their own. Returns the time of the cut: CLOCK_MONOTONIC, ns. */
uint64_t cpu_bpf_slice(struct cpu_bpf *b);
/* The events' `every` has changed: pass it to the program. */
void cpu_bpf_pass_over(struct cpu_bpf *b);
/* CPU time of the programs, as bpf_source_spent. */
uint64_t cpu_bpf_spent(const struct cpu_bpf *b);
void cpu_bpf_stop(struct cpu_bpf *b);
/* After the stop: samples without room in the ring or the table, and skipped ticks. */
void cpu_bpf_count(const struct cpu_bpf *b, struct event_totals *totals);
void cpu_bpf_release(struct cpu_bpf *b);

#endif
