/* lock.c: where do threads wait for locks? Every such wait, from the kernel's own events. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <bpf/libbpf.h>

#include "bpf/shared.h"
#include "lock.skel.h"
#include "recorders/bpf_source.h"
#include "recorders/bpf_support.h"
#include "recorders/recorders.h"
#include "recorders/tally.h"

#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)
#define KERNEL_KINDS (((1u << LOCK_KINDS) - 1) & ~(1u << LOCK_FUTEX))

struct lock_state {
	struct lock_bpf *programs;
	struct bpf_source source;
	unsigned wanted; /* bits by enum lock_kind */
	struct tally tally;
	location_id kinds[LOCK_KINDS];
	struct buffer waiting; /* told_lock of those that still do at the end */
	uint64_t delivered;
};

/* Since 6.7 and 5.16 there are calls besides futex(2), which libc's headers may not know of. */
#define CALL_FUTEX_WAITV 449
#define CALL_FUTEX_WAIT	 455

static const struct {
	uint8_t kind;
	uint16_t number;
} calls[] = {
	{LOCK_CALL_FUTEX, SYS_futex},
#ifdef SYS_futex_time64
	{LOCK_CALL_FUTEX, SYS_futex_time64},
#endif
	{LOCK_CALL_WAIT, CALL_FUTEX_WAITV},
	{LOCK_CALL_WAIT, CALL_FUTEX_WAIT},
	{LOCK_CALL_RESTART, SYS_restart_syscall},
};

static const char *const kind_frames[LOCK_KINDS] = {
	[LOCK_FUTEX] = "[futex]",
	[LOCK_SPIN] = "[spinlock]",
	[LOCK_RWLOCK_READ] = "[rwlock read]",
	[LOCK_RWLOCK_WRITE] = "[rwlock write]",
	[LOCK_MUTEX] = "[mutex]",
	[LOCK_RWSEM_READ] = "[rwsem read]",
	[LOCK_RWSEM_WRITE] = "[rwsem write]",
	[LOCK_RT_MUTEX] = "[rt mutex]",
	[LOCK_PERCPU_READ] = "[percpu rwsem read]",
	[LOCK_PERCPU_WRITE] = "[percpu rwsem write]",
	[LOCK_SEMAPHORE] = "[semaphore]",
};

/* ---- Setting up ---- */

/* The kernel tells of its own locks since 5.19. */
static bool check_kernel(struct lock_state *state, struct session *s, struct error *err)
{
	if (!(state->wanted & KERNEL_KINDS) ||
		libbpf_find_vmlinux_btf_id("contention_begin", BPF_TRACE_RAW_TP) >= 0)
		return true;
	state->wanted &= ~KERNEL_KINDS;
	if (!state->wanted)
		return error_set(err, ERR_UNSUPPORTED,
			"--locks: this kernel does not tell of its own locks: Linux 5.19 does");
	session_notice(s, "this kernel does not tell of its own locks (Linux 5.19 does): only "
			  "futexes are recorded");
	return true;
}

static bool open_programs(struct lock_state *state, struct session *s, struct error *err)
{
	struct lock_bpf__rodata *constants;
	struct kernel_symbol caller;
	bool futex, kernel;

	state->wanted = s->options->lock_kinds ? s->options->lock_kinds : (1u << LOCK_KINDS) - 1;
	if (!check_kernel(state, s, err))
		return false;
	state->programs = lock_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "opening the programs for the kernel");
	constants = state->programs->rodata;
	bpf_source_ask(&state->source, s, "", &constants->asked);
	if (s->kernel && kernel_find_named(s->kernel, BYTES("bpf_trace_run2"), &caller)) {
		constants->probe_start = caller.start;
		constants->probe_size = caller.end - caller.start;
	}
	constants->kinds = state->wanted;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		constants->calls[calls[i].number] = calls[i].kind;
	futex = state->wanted & 1u << LOCK_FUTEX;
	kernel = state->wanted & KERNEL_KINDS;
	bpf_program__set_autoload(state->programs->progs.on_enter, futex);
	bpf_program__set_autoload(state->programs->progs.on_exit, futex);
	bpf_program__set_autoload(state->programs->progs.on_begin, kernel);
	bpf_program__set_autoload(state->programs->progs.on_end, kernel);
	constants->wait_for_pages = bpf_source_waits_for_pages(
		&state->source, s, state->programs->progs.on_end, state->programs->maps.laters);
	state->source.programs = state->programs->skeleton;
	return true;
}

static void add_streams(struct lock_state *state, struct session *s)
{
	struct profile *p = &s->profile;

	tally_open(&state->tally, s, &state->source,
		&(struct tally_kinds){.kind = BYTES("lock"),
			.unit = BYTES("ns"),
			.count = BYTES("waits"),
			.event = BYTES("locks")});
	for (unsigned i = 0; i < LOCK_KINDS; i++)
		state->kinds[i] = profile_location_named(
			p, profile_frame_named(p, bytes_of(kind_frames[i]), FRAME_WAITING));
}

/* ---- Records ---- */

static bool add_wait(void *context, const void *record)
{
	struct lock_state *state = context;
	struct profile *p = state->source.sampler.profile;
	const struct told_lock *told = record;
	struct sample sample = {
		.has = SAMPLE_PARTS, .time = told->since, .cpu = told->cpu, .duration = told->took};

	if (told->kind >= LOCK_KINDS)
		return false;
	sample.thread = processes_thread(
		state->source.sampler.processes, (int32_t)told->pid, (int32_t)told->tid);
	sample.stack =
		profile_stack(p, bpf_source_stack(&state->source, sample.thread, told->chunk),
			state->kinds[told->kind]);
	tally_add(&state->tally, &sample, (int64_t)told->took, 1);
	state->delivered++;
	return true;
}

static size_t record_size(uint8_t told)
{
	return told == TOLD_LOCK ? sizeof(struct told_lock) : 0;
}

static uint64_t record_time(const void *record)
{
	const struct told_lock *told = record;

	return told->since + told->took;
}

static const struct bpf_records lock_records = {record_size, record_time, add_wait};

/* ---- The recorder ---- */

static bool lock_open(struct session *s, struct error *err)
{
	struct lock_state *state = memory_new(1, sizeof(*state));

	s->recorder_state = state;
	bpf_source_init(&state->source, &lock_records, state);
	if (!bpf_source_possible(s, err) || !open_programs(state, s, err) ||
		!bpf_source_open(&state->source, s, err))
		return false;
	add_streams(state, s);
	return true;
}

static bool lock_enable(struct session *s, struct error *err)
{
	struct lock_state *state = s->recorder_state;

	return bpf_source_enable(&state->source, s, "attaching to the kernel's locks", err);
}

static void take_waiting(struct lock_state *state)
{
	struct bytes rest = buffer_bytes(&state->waiting);

	for (; rest.len >= sizeof(struct told_lock);
		rest.at += sizeof(struct told_lock), rest.len -= sizeof(struct told_lock))
		bpf_source_take(&state->source, (struct bytes){rest.at, sizeof(struct told_lock)});
	state->waiting.len = 0;
}

static bool lock_drain(struct session *s, bool last, struct error *err)
{
	struct lock_state *state = s->recorder_state;

	(void)err;
	bpf_source_drain(&state->source, last);
	if (last) {
		take_waiting(state);
		bpf_source_take_left(&state->source);
		bpf_source_track(&state->source, UINT64_MAX);
	}
	tally_settle(&state->tally);
	s->counts.delivered = state->delivered;
	session_count_stacks(s, &state->source.sampler);
	return true;
}

/* Who waits is listed while ends are still seen: what ends in between by the thread's own end would
 * not be in either. */
static void lock_stop(struct session *s)
{
	struct lock_state *state = s->recorder_state;
	struct error failed = {0};

	if (s->started &&
		!bpf_iterate(state->programs->progs.still_waiting, &state->waiting, &failed))
		profile_note(&s->profile, "waits that had not ended are missing: %s", failed.text);
	bpf_source_disable(&state->source);
	bpf_source_collect(&state->source, state->programs->bss->later);
}

static void lock_account(struct session *s)
{
	struct lock_state *state = s->recorder_state;
	uint64_t nested = bpf_source_missed(&state->source, "on_enter") +
			  bpf_source_missed(&state->source, "on_begin");
	struct lock_counts c;

	bpf_source_counts(&state->source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	nested += c.nested;
	bpf_source_account(s, state->tally.stream, state->tally.streams,
		c.waits + c.unseen + c.unknown + nested,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"end not seen", c.unseen},
			{"no memory", c.unknown}, {"BPF recursion", nested}, {0}});
}

static void lock_close(struct session *s)
{
	struct lock_state *state = s->recorder_state;

	if (!state)
		return;
	lock_bpf__destroy(state->programs);
	tally_release(&state->tally);
	bpf_source_release(&state->source);
	buffer_release(&state->waiting);
	free(state);
	s->recorder_state = NULL;
}

extern const struct recorder recorder_lock;
const struct recorder recorder_lock = {
	.mode = &mode_lock,
	.open = lock_open,
	.enable = lock_enable,
	.keeps = bpf_source_keeps,
	.drain = lock_drain,
	.stop = lock_stop,
	.account = lock_account,
	.close = lock_close,
};
