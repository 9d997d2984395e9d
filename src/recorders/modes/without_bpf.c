/* without_bpf.c: stands for cpu_bpf.c in a build without BPF. */
#include "recorders/modes/cpu_bpf.h"
#include "recorders/recorders.h"

struct cpu_bpf *cpu_bpf_open(struct session *s, struct error *err)
{
	recorder_refuse(s, err);
	return NULL;
}

/* Never called, as cpu_bpf_open returns NULL. */
struct perf_source *cpu_bpf_events(struct cpu_bpf *b)
{
	(void)b;
	return NULL;
}

struct sampler *cpu_bpf_sampler(struct cpu_bpf *b)
{
	(void)b;
	return NULL;
}

bool cpu_bpf_enable(struct cpu_bpf *b, struct session *s, struct error *err)
{
	(void)b;
	return recorder_refuse(s, err);
}

uint64_t cpu_bpf_drain(struct cpu_bpf *b, bool commits, bool last)
{
	(void)commits;
	(void)b;
	(void)last;
	return 0;
}

uint64_t cpu_bpf_slice(struct cpu_bpf *b)
{
	(void)b;
	return 0;
}

uint64_t cpu_bpf_spent(const struct cpu_bpf *b)
{
	(void)b;
	return 0;
}

void cpu_bpf_stop(struct cpu_bpf *b)
{
	(void)b;
}

void cpu_bpf_pass_over(struct cpu_bpf *b)
{
	(void)b;
}

void cpu_bpf_count(const struct cpu_bpf *b, struct event_totals *totals)
{
	(void)b;
	(void)totals;
}

void cpu_bpf_release(struct cpu_bpf *b)
{
	(void)b;
}
