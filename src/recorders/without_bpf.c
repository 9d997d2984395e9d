/* without_bpf.c: modes that this Kiln was built without. */
#include "recorders/cpu_bpf.h"
#include "recorders/recorders.h"

static bool refuse(struct session *s, struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED,
		"--mode %s: this Kiln was built without programs for the kernel (BPF): build it "
		"where clang, bpftool and libbpf are",
		s->recorder->mode->name);
}

static void close_nothing(struct session *s)
{
	(void)s;
}

extern const struct recorder recorder_off, recorder_wall, recorder_io, recorder_disk, recorder_lock,
	recorder_count, recorder_mem;
const struct recorder recorder_off = {.mode = &mode_off, .open = refuse, .close = close_nothing};
const struct recorder recorder_wall = {.mode = &mode_wall, .open = refuse, .close = close_nothing};
const struct recorder recorder_io = {.mode = &mode_io, .open = refuse, .close = close_nothing};
const struct recorder recorder_disk = {.mode = &mode_disk, .open = refuse, .close = close_nothing};
const struct recorder recorder_lock = {.mode = &mode_lock, .open = refuse, .close = close_nothing};
const struct recorder recorder_count = {
	.mode = &mode_count, .open = refuse, .close = close_nothing};
const struct recorder recorder_mem = {.mode = &mode_mem, .open = refuse, .close = close_nothing};

struct cpu_bpf *cpu_bpf_open(struct session *s, struct error *err)
{
	refuse(s, err);
	return NULL;
}

/* There is none: these are never called. */
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
	return refuse(s, err);
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
