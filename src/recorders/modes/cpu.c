/* cpu.c: where does CPU time go? Samples of a kernel event, by default of the CPU clock.
 *
 * Samples come in one of two ways, which open_samples chooses: through the rings of perf_event_open
 * (perf/source.h, perf/ring.h), as records that this file passes to the sampler (sampler.h), or
 * from a BPF program (cpu_bpf.h), which has a sampler of its own. */
#include "base/clock.h"
#include "recorders/modes/cpu_bpf.h"
#include "recorders/perf/source.h"
#include "recorders/perf/tee.h"
#include "recorders/recorders.h"
#include "recorders/sampler.h"

#include <stdlib.h>

/* Records are taken when they are older than this, ns: until then, other CPUs may write earlier
 * ones. */
#define MERGE_DELAY ((uint64_t)10000000) /* ns */
/* There is a note when processes that left the command's control group took at least this much: */
#define LEFT_MIN     ((uint64_t)50000000) /* ns of CPU time, and */
#define LEFT_PERCENT 2			  /* of the command's CPU time */
#define RING_CROWDED 50 /* percent of a ring: at this level records are taken at once */

struct cpu_state {
	struct cpu_bpf *by_program; /* NULL: samples come through rings */
	struct perf_source *source; /* that of by_program, or &ring_source */
	struct sampler *sampler;    /* that of by_program, or &ring_sampler */
	struct perf_source ring_source;
	struct sampler ring_sampler;
	struct tee tee;
	/* Until cpu_stop, the values at the start; then what was added during the recording: */
	struct cpu_times cpus; /* of the recorded CPUs */
	uint64_t groups;       /* CPU time of the recorded control groups, ns */
};

/* ---- The recorder ---- */

static unsigned parts_to_read(const struct session *s, const struct perf_source *source)
{
	unsigned parts = STACK_USER | STACK_KERNEL;

	if (s->options->user_only || source->user_only)
		parts &= ~(unsigned)STACK_KERNEL;
	if (s->options->kernel_only)
		parts &= ~(unsigned)STACK_USER;
	return parts;
}

static void describe_events(struct cpu_state *state)
{
	struct perf_source *source = state->source;

	for (size_t i = 0; i < source->events.list.len; i++)
		sampler_add_event(state->sampler, source->events.list.items[i].text,
			source->events.list.items[i].clock, perf_source_period(source, i));
	for (size_t i = 0; i < source->opened.len; i++)
		sampler_add_id(
			state->sampler, source->opened.items[i].id, source->opened.items[i].event);
}

/* Is the event's count the number of its samples? */
static enum event_counting counting(const struct perf_source *source, size_t i)
{
	const struct event_name *name = &source->events.list.items[i];
	const struct perf_event_attr *attr = &source->attrs.items[i];

	if (!attr->freq)
		return COUNT_EACH;
	/* A clock also counts in the mode (user or kernel) that is not sampled. */
	return name->clock && !attr->exclude_user && !attr->exclude_kernel ? COUNT_CLOCK
									   : COUNT_UNKNOWN;
}

/* ---- The tee ---- */

static struct bytes bytes_at(const void *at, size_t size)
{
	return (struct bytes){at, size};
}

static void save_bytes(void *context, size_t ring, struct bytes bytes)
{
	tee_add(context, TEE_BYTES, (uint32_t)ring, 0, bytes);
}

static void save_text(void *context, int32_t pid, int32_t tid, struct bytes text)
{
	tee_add(context, tid ? TEE_NAME : TEE_MAPS, (uint32_t)pid, (uint32_t)tid, text);
}

static void save_events(struct cpu_state *state)
{
	const struct perf_source *source = state->source;
	struct buffer row = {0};

	for (size_t i = 0; i < source->events.list.len; i++) {
		struct tee_event event = {source->events.list.items[i].clock, counting(source, i),
			perf_source_period(source, i)};

		row.len = 0;
		buffer_add(&row, &event, sizeof(event));
		buffer_text(&row, source->events.list.items[i].text);
		tee_add(&state->tee, TEE_EVENT, 0, 0, buffer_bytes(&row));
	}
	for (size_t i = 0; i < source->opened.len; i++)
		tee_add(&state->tee, TEE_ID, source->opened.items[i].event, 0,
			bytes_at(&source->opened.items[i].id, sizeof(uint64_t)));
	for (size_t i = 0; i < source->merge.rings.len; i++) {
		const struct perf_ring *ring = &source->merge.rings.items[i];
		struct tee_ring saved = {ring->cpu, ring->size, *ring->layout};

		tee_add(&state->tee, TEE_RING, 0, 0, bytes_at(&saved, sizeof(saved)));
	}
	buffer_release(&row);
}

static bool begin_tee(struct session *s, struct cpu_state *state, struct error *err)
{
	struct tee_setup setup = {state->sampler->parts};

	if (!s->options->tee)
		return true;
	if (!tee_open(&state->tee, s->options->tee, err))
		return false;
	tee_add(&state->tee, TEE_SETUP, 0, 0, bytes_at(&setup, sizeof(setup)));
	save_events(state);
	state->source->merge.save = save_bytes;
	state->source->merge.save_context = &state->tee;
	s->processes.read_text = save_text;
	s->processes.read_text_context = &state->tee;
	return true;
}

/* ---- Opening and closing ---- */

static bool open_rings(struct session *s, struct cpu_state *state, struct error *err)
{
	state->source = &state->ring_source;
	state->sampler = &state->ring_sampler;
	if (!perf_source_open(state->source, s, err))
		return false;
	if (!state->source->user_only)
		session_open_kernel(s);
	sampler_init(state->sampler, &s->profile, &s->processes, s->kernel,
		parts_to_read(s, state->source));
	for (size_t i = 0; i < state->source->merge.rings.len; i++)
		if (!session_watch(s, state->source->merge.rings.items[i].fd, err))
			return false;
	return true;
}

/* Without BPF programs the profile is the same, except for --untimed. */
static bool open_instead(
	struct session *s, struct cpu_state *state, const char *reason, struct error *err)
{
	if (!open_rings(s, state, err))
		return false;
	session_notice(s, "sampling with perf_event_open and ring buffers%s: %s",
		s->options->untimed ? ", with their times" : "", reason);
	return true;
}

/* ---- Which way ---- */

static bool samples_cpu_clock(const struct record_options *o)
{
	return !o->events || !strcmp(o->events, "cpu-clock");
}

/* Does an option need rings? */
static bool takes_rings(const struct record_options *o)
{
	return !samples_cpu_clock(o) || o->stack_bytes || o->tee;
}

/* Does an option need programs? Only they can slow down timers of threads. */
static bool takes_program(const struct record_options *o)
{
	return o->max_overhead && (o->pids.list.len || o->tids.list.len);
}

static bool open_program(struct session *s, struct cpu_state *state, struct error *err)
{
	const struct record_options *o = s->options;
	struct error reason;

	state->by_program = cpu_bpf_open(s, err);
	if (state->by_program) {
		state->source = cpu_bpf_events(state->by_program);
		state->sampler = cpu_bpf_sampler(state->by_program);
		return true;
	}
	if (o->way == WAY_BPF || err->code == ERR_USAGE || takes_program(o))
		return false;
	reason = *err;
	*err = (struct error){0};
	return open_instead(s, state, reason.text, err);
}

static bool open_samples(struct session *s, struct cpu_state *state, struct error *err)
{
	const struct record_options *o = s->options;

	if (o->way == WAY_PERF && o->untimed)
		return open_instead(s, state, "--recorder perf", err);
	if (o->way == WAY_PERF || takes_rings(o))
		return open_rings(s, state, err);
	return open_program(s, state, err);
}

static bool cpu_open(struct session *s, struct error *err)
{
	struct cpu_state *state = memory_new(1, sizeof(*state));

	s->recorder_state = state;
	state->ring_source.cgroup.fd = -1;
	if (!open_samples(s, state, err))
		return false;
	profile_set_meta(&s->profile, BYTES("recorder"),
		state->by_program ? BYTES("cpu (bpf)") : BYTES("cpu (perf)"));
	state->sampler->cpu_wide = s->options->system_wide;
	state->sampler->wall_offset = s->wall_offset;
	state->sampler->cgroups = session_cgroups(s);
	if (state->source->bounds.folders.len)
		state->sampler->bounds = &state->source->bounds;
	state->sampler->command = state->source->cgroup.folder ? s->command.pid : 0;
	describe_events(state);
	if (s->options->max_overhead)
		sampler_weigh(state->sampler);
	return begin_tee(s, state, err);
}

/* CPU time of the control groups that are recorded, ns. */
static uint64_t groups_cpu_ns(const struct session *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->groups.list.len; i++)
		sum += cgroup_cpu_ns(s->groups.list.items[i].folder);
	return sum;
}

static bool cpu_enable(struct session *s, struct error *err)
{
	struct cpu_state *state = s->recorder_state;
	bool by_exec = state->source->attrs.items[0].enable_on_exec;

	cpus_read_times(&state->source->cpus, &state->cpus);
	state->groups = groups_cpu_ns(s);
	if (state->by_program)
		return cpu_bpf_enable(state->by_program, s, err);
	if (!by_exec && !perf_source_enable(state->source))
		return error_errno(err, "cannot enable the events");
	/* Read after the events are open: their rings have what happens in between. */
	session_read_processes(s);
	return true;
}

static capabilities cpu_keeps(const struct session *s)
{
	const struct cpu_state *state = s->recorder_state;

	return state->by_program ? capabilities_for_programs(false) : 0;
}

/* Earlier records and counts have the period of that time. */
static bool cpu_set_frequency(struct session *s, uint64_t frequency, struct error *err)
{
	struct cpu_state *state = s->recorder_state;
	uint64_t now = state->by_program ? cpu_bpf_slice(state->by_program) : monotonic_ns();

	if (!perf_source_set_frequency(state->source, frequency, err))
		return false;
	if (state->by_program)
		cpu_bpf_pass_over(state->by_program);
	s->frequency = state->source->frequency;
	for (size_t i = 0; i < state->sampler->events.len; i++)
		if (perf_source_period(state->source, i))
			sampler_set_period(
				state->sampler, i, now, perf_source_period(state->source, i));
	return true;
}

static uint64_t cpu_spent(const struct session *s)
{
	const struct cpu_state *state = s->recorder_state;

	return state->by_program ? cpu_bpf_spent(state->by_program) : 0;
}

static void drain_rings(struct cpu_state *state, bool last)
{
	struct perf_merge *merge = &state->source->merge;
	uint64_t now = monotonic_ns();
	struct perf_ring *ring;
	struct bytes record;

	if (perf_merge_update(merge) < RING_CROWDED && !last)
		now -= MERGE_DELAY;
	now = last ? UINT64_MAX : now;
	tee_add(&state->tee, TEE_UNTIL, 0, 0, bytes_at(&now, sizeof(now)));
	while (perf_merge_next(merge, now, &record, &ring)) {
		sampler_record(state->sampler, record, ring->layout);
		perf_merge_done(ring);
	}
}

static bool cpu_drain(struct session *s, bool last, struct error *err)
{
	struct cpu_state *state = s->recorder_state;

	(void)err;
	if (state->by_program)
		s->drain_interval = cpu_bpf_drain(state->by_program, session_commits(s), last);
	else
		drain_rings(state, last);
	s->counts.delivered = state->sampler->delivered;
	s->counts.idle = state->sampler->idle;
	s->counts.stacks = sampler_stacks(state->sampler);
	s->counts.lost = 0;
	for (size_t i = 0; i < state->sampler->events.len; i++)
		s->counts.lost += state->sampler->events.items[i].counts.lost_records;
	return true;
}

static void cpu_stop(struct session *s)
{
	struct cpu_state *state = s->recorder_state;
	struct cpu_times now;

	if (state->by_program)
		cpu_bpf_stop(state->by_program);
	else
		perf_source_disable(state->source);
	cpus_read_times(&state->source->cpus, &now);
	state->cpus.idle = now.idle - state->cpus.idle;
	state->cpus.stolen = now.stolen - state->cpus.stolen;
	state->groups = groups_cpu_ns(s) - state->groups;
}

/* ---- Accounting ---- */

static uint64_t own_group_ns(const struct cpu_state *state)
{
	return state->source->cgroup.folder ? cgroup_cpu_ns(state->source->cgroup.folder) : 0;
}

/* CPU time of the target as the scheduler charged it, ns; 0: unknown. */
static uint64_t scheduled_ns(const struct session *s, const struct cpu_state *state)
{
	uint64_t own = own_group_ns(state);

	if (s->groups.list.len)
		return s->options->cpus.list.len ? 0 : state->groups;
	if (own || !session_records_command(s) || !s->command.ended)
		return own;
	return s->command.user + s->command.system;
}

/* How much of a clock's running time did the scheduler not charge to the target? The hypervisor
 * gave that time to others, or tasks were switched. It is at most what these CPUs miss, which is
 * known to a tick of each. */
static uint64_t stolen_ns(
	const struct session *s, const struct cpu_state *state, const struct event_totals *totals)
{
	uint64_t most = state->cpus.stolen, own = scheduled_ns(s, state), late;

	if (s->options->system_wide)
		return most;
	if (!own || totals->running <= own)
		return 0;
	late = totals->running - own;
	most += state->source->cpus.list.len * CPU_TICK;
	return late < most ? late : most;
}

/* A process that moves to another control group escapes the events. That has happened if the
 * command and the children it waited for used more CPU time than its group. */
static void note_left(struct session *s, const struct cpu_state *state)
{
	uint64_t group = own_group_ns(state);
	uint64_t all = s->command.user + s->command.system;

	if (!group || !s->command.ended || all < group + LEFT_MIN ||
		(all - group) * 100 < LEFT_PERCENT * all)
		return;
	profile_note(&s->profile,
		"processes of the command moved to another control group and used %llu ms of CPU "
		"time there, which is not in this profile; record them with -a",
		(unsigned long long)((all - group) / 1000000));
}

/* How long the recorded CPUs were idle, at most: /proc/stat counts ticks. A sleeping CPU more
 * likely missed idle periods than work. */
static uint64_t idle_ns(const struct cpu_state *state)
{
	return state->cpus.idle ? state->cpus.idle + state->source->cpus.list.len * CPU_TICK : 0;
}

/* Only the kernel's own count of stolen time: the clock also runs while tasks are switched. */
static void note_stolen(
	struct session *s, const struct cpu_state *state, const struct event_totals *totals)
{
	uint64_t most = state->cpus.stolen;
	uint64_t stolen = totals->stolen < most ? totals->stolen : most;

	if (!stolen || stolen * 100 < totals->running)
		return;
	profile_note(&s->profile,
		"the hypervisor took %.1f%% of the CPU time (steal), which the profile does not "
		"count",
		100.0 * (double)stolen / (double)totals->running);
}

static void cpu_account(struct session *s)
{
	struct cpu_state *state = s->recorder_state;
	struct sampler *sampler = state->sampler;
	struct event_totals totals;
	struct error failed = {0};

	s->counts.lost = 0;
	sampler_end(sampler, s->stopped);
	for (size_t i = 0; i < sampler->events.len; i++) {
		perf_source_totals(state->source, i, &totals);
		if (state->by_program)
			cpu_bpf_count(state->by_program, &totals);
		totals.idle = sampler->cpu_wide ? idle_ns(state) : 0;
		totals.stolen = sampler->events.items[i].clock ? stolen_ns(s, state, &totals) : 0;
		tee_add(&state->tee, TEE_TOTALS, (uint32_t)i, 0, bytes_at(&totals, sizeof(totals)));
		if (!i && sampler->events.items[i].clock)
			note_stolen(s, state, &totals);
		sampler_account(sampler, i, counting(state->source, i), &totals);
		s->counts.lost += counts_lost(&sampler->events.items[i].counts);
	}
	note_left(s, state);
	if (!tee_close(&state->tee, &failed))
		session_notice(s, "--tee: %s", failed.text);
	if (sampler->lost_records)
		profile_note(&s->profile,
			"%llu records of mappings and names were lost: some addresses may have no "
			"name or a wrong one",
			(unsigned long long)sampler->lost_records);
}

static void cpu_close(struct session *s)
{
	struct cpu_state *state = s->recorder_state;

	if (!state)
		return;
	if (state->source)
		perf_source_leave_group(state->source, s);
	output_discard(&state->tee.out);
	cpu_bpf_release(state->by_program);
	sampler_release(&state->ring_sampler);
	perf_source_release(&state->ring_source);
	free(state);
	s->recorder_state = NULL;
}

static bool cpu_options_used(const struct record_options *o)
{
	return o->events || o->stack_bytes || o->tee || o->way;
}

static bool cpu_check(const struct record_options *o, struct error *err)
{
	const char *only = o->untimed ? "--untimed" : "--recorder bpf";

	if (o->max_overhead && o->tee)
		return error_set(err, ERR_USAGE,
			"--tee saves samples of one frequency: leave out --max-overhead");
	if (takes_rings(o) && (o->untimed || o->way == WAY_BPF))
		return error_set(err, ERR_USAGE,
			"%s samples only the CPU clock: other events (-e), --stack-bytes and --tee "
			"work only with --recorder perf",
			only);
	if (o->no_page_in && (takes_rings(o) || o->way == WAY_PERF))
		return error_set(err, ERR_USAGE,
			"--no-page-in works only with --recorder bpf: --recorder perf copies "
			"stacks");
	return true;
}

static const struct mode words = {
	.name = "cpu",
	.about = "CPU time: what runs (the default)",
	.busy = true,
	.timed = true,
	.none = "the target hardly used the CPU; for more samples use a higher -F, or -e "
		"page-faults or context-switches",
	.top = "hottest functions (self)",
	.own = "-e (also in --mode count), --recorder, --stack-bytes and --tee",
	.used = cpu_options_used,
	.check = cpu_check,
};

extern const struct recorder recorder_cpu;
const struct recorder recorder_cpu = {
	.mode = &words,
	.open = cpu_open,
	.enable = cpu_enable,
	.keeps = cpu_keeps,
	.set_frequency = cpu_set_frequency,
	.spent = cpu_spent,
	.drain = cpu_drain,
	.stop = cpu_stop,
	.account = cpu_account,
	.close = cpu_close,
};
