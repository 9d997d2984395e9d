/* off.c: where do threads wait? Every time off the CPU, from events of the scheduler; for --mode
 * wall the time on it as well, whose stacks a timer samples. */
#include "recorders/modes/off.h"

#include "recorders/modes/waits.h"

#ifdef HAVE_BPF
#include "base/units.h"
#include "bpf/shared/off.h"
#include "off.skel.h"
#include "recorders/modes/wakers.h"
#include "recorders/programs/support.h"

#include <errno.h>

#include <bpf/libbpf.h>
#endif

/* ---- What can be asked ---- */

static bool set_states(void *target, const struct option *o, const char *value, struct error *err)
{
	struct record_options *request = target;

	(void)o;
	do {
		struct bytes word = {value, strcspn(value, ",")};
		struct wait_state state;

		if (!wait_state_named(word, &state))
			return error_set(err, ERR_USAGE,
				"expected a list of sleeping (S), disk (D), stopped (T), idle (I), "
				"queue (R), preempted (P), io, fault, or a system call such as "
				"futex or S:read, separated by commas, not '%.*s'",
				(int)word.len, word.at);
		vector_push(&request->wait_states, word);
		value += word.len;
	} while (*value++);
	return true;
}

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "min",
		.argument = "TIME",
		.set = option_duration,
		.offset = AT(min_duration),
		.help = "minimum duration of a wait: 500us, 10ms (10us with -a, else none)"},
	{.name = "max",
		.argument = "TIME",
		.set = option_duration,
		.offset = AT(max_duration),
		.help = "maximum duration of a wait"},
	{.name = "state",
		.argument = "LIST",
		.set = set_states,
		.help = "only waits in these states: sleeping, disk, stopped, idle, queue "
			"(runnable, waits for a CPU), preempted; or S,D,T,I,R,P; asleep in a "
			"system call (futex, S:read), for I/O (io), in a page fault (fault)"},
	{.name = "wakers",
		.set = option_flag,
		.offset = AT(wakers),
		.help = "append the waker's stack above a -- frame, innermost first"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->min_duration || o->max_duration || o->wait_states.len || o->wakers;
}

static bool check(const struct record_options *o, struct error *err)
{
	return !o->max_duration || o->max_duration >= o->min_duration ||
	       error_set(err, ERR_USAGE, "--max is less than --min");
}

static const char *heading(const struct record_options *o)
{
	return o->wakers ? "who ended the longest waits (self)" : NULL;
}

static const struct mode words = {
	.name = "off",
	.about = "waiting time: sleep, I/O, locks, run queue",
	.none = "the target never left the CPU, or all waits were shorter than --min or longer "
		"than --max",
	.top = "longest waits (self)",
	.heading = heading,
	.what = "wait (--min leaves out short ones)",
	.options = options,
	.title = "Waits (--mode off)",
	.own = "--min, --max, --state and --wakers",
	.used = used,
	.check = check,
};

#ifdef HAVE_BPF
#define MIN_DURATION_ALL 10000 /* ns, of the whole system */
#define SAMPLE_PARTS	 (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

struct off_state {
	struct driver driver;
	bool wall; /* runs are recorded, too */
	struct off_bpf *programs;
	uint64_t min_duration;
	location_id places[2][WAIT_KINDS][WAIT_PLACES]; /* frames of waits: [for I/O]; 0: not yet */
	location_id runs[RUN_KINDS];
	struct wakers wakers;
	struct buffer waiting; /* records of those that still wait or run at the end */
	struct wait_counts counts;
	uint64_t missed; /* runs that the kernel skipped because the program was running on that CPU
			  */
	bool sees_earlier_waits; /* threads may have been waiting when the recording began */
};

/* ---- Setting up ---- */

static void want_states(struct off_bpf__rodata *constants, const struct record_options *o)
{
	struct wait_state state;

	for (size_t i = 0; i < o->wait_states.len; i++) {
		if (!wait_state_named(o->wait_states.items[i], &state))
			continue;
		if (state.in == WAIT_IN_IO)
			constants->states_io |= (uint8_t)state.kinds;
		for (unsigned in = 0; in < WAIT_PLACES; in++)
			if (!state.in || state.in == in)
				constants->states[in] |= (uint8_t)state.kinds;
	}
	if (!o->wait_states.len)
		memset((void *)constants->states, 0xff, sizeof(constants->states));
}

static bool is_requested(const struct off_state *state, unsigned kind, unsigned in)
{
	const struct off_bpf__rodata *constants = state->programs->rodata;
	unsigned bits = constants->states[in % WAIT_PLACES];

	return (bits | (in & WAIT_IN_IO ? constants->states_io : 0u)) >> kind & 1;
}

/* Can stacks be taken, by tables, when a thread runs again? */
static bool stacks_on_return(const struct off_state *state)
{
	return state->driver.source.by_tables &&
	       libbpf_find_vmlinux_btf_id("sched_exit_tp", BPF_TRACE_RAW_TP) >= 0;
}

/* Are stacks taken only after a wait has ended and is known to be recorded? (At the end of the
 * recording, user stacks of waiting threads are copied, and the recorder walks them.) */
static bool stacks_deferred(const struct off_state *state, const struct record_options *o)
{
	return (state->min_duration || o->max_duration) && stacks_on_return(state);
}

/* Are stacks copied of threads that are waiting when the recording begins? A command is not waiting
 * yet; in a whole system there are too many threads. */
static bool sees_earlier_waits(const struct off_state *state, const struct record_options *o)
{
	const struct off_bpf__rodata *constants = state->programs->rodata;

	return !constants->stacks_deferred && !constants->config.wait_for_exec &&
	       !constants->config.by_cpu && !o->system_wide && state->driver.source.by_tables;
}

static bool off_open(void *self, struct error *err)
{
	struct off_state *state = self;
	struct session *s = state->driver.session;
	const struct record_options *o = s->options;
	struct off_bpf__rodata *constants;

	state->wall = s->recorder == &recorder_wall;
	state->programs = off_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	constants = state->programs->rodata;
	bpf_source_fill_config(&state->driver.source, s, "__schedule", &constants->config);
	state->min_duration = o->min_duration  ? o->min_duration
			      : o->system_wide ? MIN_DURATION_ALL
					       : 0;
	constants->min_duration = state->min_duration;
	if (o->max_duration)
		constants->max_duration = o->max_duration;
	want_states(constants, o);
	constants->wakers = o->wakers;
	constants->wakeup_function = bpf_source_function(s, "try_to_wake_up");
	constants->on_cpu = state->wall;
	constants->wait_for_pages =
		stacks_on_return(state) &&
		bpf_source_waits_for_pages(&state->driver.source, s, state->programs->progs.on_tick,
			state->programs->maps.deferred_stacks);
	constants->stacks_deferred = stacks_deferred(state, o);
	state->sees_earlier_waits = sees_earlier_waits(state, o);
	bpf_program__set_autoload(state->programs->progs.on_switch_done,
		constants->stacks_deferred || constants->wait_for_pages);
	bpf_program__set_autoload(
		state->programs->progs.still_waiting_deferred, constants->stacks_deferred);
	bpf_program__set_autoload(
		state->programs->progs.still_waiting, !constants->stacks_deferred);
	bpf_program__set_autoload(state->programs->progs.waited_earlier, state->sees_earlier_waits);
	bpf_program__set_autoload(state->programs->progs.on_waking, o->wakers);
	bpf_program__set_autoload(state->programs->progs.on_tick, state->wall);
	bpf_program__set_autoload(state->programs->progs.on_begin, state->wall);
	bpf_program__set_autoload(state->programs->progs.still_running, state->wall);
	state->driver.source.programs = state->programs->skeleton;
	state->driver.source.timer = state->wall ? "on_tick" : NULL;
	return true;
}

static const char *const run_frames[RUN_KINDS] = {
	[RUN_UNSAMPLED] = "[not sampled]", [RUN_OFF_CPU] = "[switch not seen]"};

static void off_describe(void *self)
{
	struct off_state *state = self;
	struct session *s = state->driver.session;
	struct bytes parts = state->wall ? BYTES("runs and waits") : BYTES("waits");

	driver_add_tally(&state->driver,
		&(struct tally_kinds){.kind = state->wall ? BYTES("wall") : BYTES("off"),
			.unit = BYTES("ns"),
			.count = parts,
			.event = parts});
	wakers_init(&state->wakers, &s->profile, s->kernel, s->options->user_only);
	for (unsigned i = RUN_UNSAMPLED; state->wall && i < RUN_KINDS; i++)
		state->runs[i] = driver_place(&state->driver, bytes_of(run_frames[i]), FRAME_META);
}

/* ---- Records ---- */

static location_id place_of(struct off_state *state, unsigned kind, unsigned in)
{
	location_id *place = &state->places[in & WAIT_IN_IO ? 1 : 0][kind][in % WAIT_PLACES];
	struct buffer text = {0};

	if (*place)
		return *place;
	wait_frame(&text, kind, in);
	*place = driver_place(&state->driver, buffer_bytes(&text), FRAME_WAITING);
	buffer_release(&text);
	return *place;
}

/* The stack, with the waker's stack appended. */
static stack_id with_waker(struct off_state *state, stack_id stack, const struct event_wait *wait)
{
	struct bpf_source *source = &state->driver.source;
	thread_id waker;
	stack_id own;

	if (!wait->waker_chunk)
		return stack;
	waker = processes_thread(
		source->sampler.processes, (int32_t)wait->waker_pid, (int32_t)wait->waker_tid);
	own = bpf_source_stack_above(
		source, chunk_table_root(&source->chunks, waker), wait->waker_chunk);
	return wakers_join(&state->wakers, stack, own);
}

static void add_part(struct off_state *state, struct sample *sample, stack_id stack, uint64_t ns)
{
	sample->duration = ns;
	sample->stack = stack;
	driver_add(&state->driver, 0, sample, (int64_t)ns, 1);
}

static bool add_wait(struct off_state *state, const struct event_wait *wait)
{
	struct profile *p = &state->driver.session->profile;
	struct sample sample = {.has = SAMPLE_PARTS, .time = wait->start, .cpu = wait->cpu};
	stack_id stack, waiting;

	if (wait->kind >= WAIT_KINDS)
		return false;
	driver_locate(&state->driver, wait->pid, wait->tid, wait->chunk, &sample);
	stack = sample.stack;
	if (wait->blocked && is_requested(state, wait->kind, wait->in)) {
		waiting = profile_stack(p, stack, place_of(state, wait->kind, wait->in));
		if (state->programs->rodata->wakers)
			waiting = with_waker(state, waiting, wait);
		add_part(state, &sample, waiting, wait->blocked);
	}
	sample.time += wait->blocked;
	if (wait->queued && is_requested(state, WAIT_QUEUE, 0))
		add_part(state, &sample, profile_stack(p, stack, place_of(state, WAIT_QUEUE, 0)),
			wait->queued);
	return true;
}

static bool add_run(struct off_state *state, const struct event_run *run)
{
	struct profile *p = &state->driver.session->profile;
	struct sample sample = {.has = SAMPLE_PARTS,
		.time = run->end - run->duration,
		.duration = run->duration,
		.cpu = run->cpu};

	if (run->kind >= RUN_KINDS)
		return false;
	driver_locate(&state->driver, run->pid, run->tid, run->chunk, &sample);
	if (run->kind)
		sample.stack = profile_stack(p, sample.stack, state->runs[run->kind]);
	driver_add(&state->driver, 0, &sample, (int64_t)run->duration, 1);
	return true;
}

static size_t record_size(uint8_t type)
{
	return type == EVENT_WAIT  ? sizeof(struct event_wait)
	       : type == EVENT_RUN ? sizeof(struct event_run)
				   : 0;
}

static uint64_t record_end(const void *record)
{
	const struct event_wait *wait = record;
	const struct event_run *run = record;

	return run->type == EVENT_RUN ? run->end : wait->start + wait->blocked + wait->queued;
}

static bool take(void *context, const void *record)
{
	const struct event_wait *wait = record;

	return wait->type == EVENT_WAIT ? add_wait(context, wait) : add_run(context, record);
}

/* ---- Beginning ---- */

/* Repeat until the ring had room for all of them. */
static void see_earlier_waits(struct off_state *state)
{
	struct error ignored = {0}; /* then their stacks remain truncated, and are marked so */

	if (!state->sees_earlier_waits)
		return;
	state->programs->bss->waiting_retry = 0;
	state->sees_earlier_waits =
		bpf_iterate(state->programs->progs.waited_earlier, &state->waiting, &ignored) &&
		state->programs->bss->waiting_retry;
}

static bool off_attach(void *self, struct error *err)
{
	(void)err;
	see_earlier_waits(self);
	return true;
}

static bool off_drained(void *self, bool last, struct error *err)
{
	(void)err;
	if (!last)
		see_earlier_waits(self);
	return true;
}

/* ---- The end ---- */

static void take_waiting(struct off_state *state)
{
	struct bytes rest = buffer_bytes(&state->waiting);
	size_t size;

	for (; rest.len && (size = record_size((uint8_t)*rest.at)) && size <= rest.len;
		rest.at += size, rest.len -= size)
		bpf_source_take(&state->driver.source, (struct bytes){rest.at, size});
	state->waiting.len = 0;
}

static void off_take_rest(void *self)
{
	take_waiting(self);
}

/* Stacks are copied into the ring, which may have to be drained in between. */
static bool list_waiting(struct off_state *state, struct error *err)
{
	struct off_bpf__bss *bss = state->programs->bss;

	if (!state->programs->rodata->stacks_deferred)
		return bpf_iterate(state->programs->progs.still_waiting, &state->waiting, err);
	do {
		bss->waiting_retry = 0;
		if (!bpf_iterate(
			    state->programs->progs.still_waiting_deferred, &state->waiting, err))
			return false;
		bpf_source_drain(&state->driver.source, true);
		take_waiting(state);
	} while (bss->waiting_retry);
	return true;
}

static void note_missing(struct session *s, const struct error *failed)
{
	profile_note(&s->profile,
		"waits that had not ended at the end of the recording are missing: %s",
		failed->text);
}

/* List waiting threads while the ends of waits are still recorded: a wait that ends in between, as
 * its thread ends, would be in neither. */
static void off_ending(void *self)
{
	struct off_state *state = self;
	struct session *s = state->driver.session;
	struct error failed = {0};

	if (s->started && !list_waiting(state, &failed))
		note_missing(s, &failed);
}

static struct deferred_event *off_deferred(void *self)
{
	return ((struct off_state *)self)->programs->bss->deferred;
}

static void off_ended(void *self)
{
	struct off_state *state = self;
	struct session *s = state->driver.session;
	struct error failed = {0};

	if (s->started && state->wall &&
		!bpf_iterate(state->programs->progs.still_running, &state->waiting, &failed))
		note_missing(s, &failed);
	bpf_source_counts(&state->driver.source, (uint64_t *)&state->counts,
		sizeof(state->counts) / sizeof(uint64_t));
	state->missed = bpf_source_missed(&state->driver.source, "on_switch");
}

static void note_left_out(struct session *s, const char *key, uint64_t waits, uint64_t ns)
{
	struct buffer text = {0};

	units_grouped(&text, (int64_t)waits);
	buffer_text(&text, " waits left out, ");
	units_human(&text, (int64_t)ns, BYTES("ns"));
	buffer_text(&text, " in all");
	profile_set_meta(&s->profile, bytes_of(key), buffer_bytes(&text));
	buffer_release(&text);
}

/* "below 10.0 µs": "7,008 waits left out, 39.5 ms in all". */
static void note_limits(struct session *s, const struct off_state *state)
{
	const struct wait_counts *c = &state->counts;
	struct buffer key = {0};

	if (state->min_duration) {
		buffer_text(&key, "below ");
		units_human(&key, (int64_t)state->min_duration, BYTES("ns"));
		note_left_out(s, key.at, c->short_waits, c->short_ns);
	}
	key.len = 0;
	if (s->options->max_duration) {
		buffer_text(&key, "beyond ");
		units_human(&key, (int64_t)s->options->max_duration, BYTES("ns"));
		note_left_out(s, key.at, c->long_waits, c->long_ns);
	}
	buffer_release(&key);
}

static void off_account(void *self)
{
	struct off_state *state = self;
	struct session *s = state->driver.session;
	const struct wait_counts *c = &state->counts;
	struct bpf_loss losses[] = {{"ring full", c->ring_full}, {"switch not seen", c->unseen},
		{"no memory", c->no_memory}, {"BPF recursion", state->missed}, {0}};

	driver_account(&state->driver, 0, c->parts + c->no_memory + state->missed, losses);
	note_limits(s, state);
}

static void off_release(void *self)
{
	struct off_state *state = self;
	struct session *s = state->driver.session;

	off_bpf__destroy(state->programs);
	perf_source_leave_group(&state->driver.source.processes, s);
	buffer_release(&state->waiting);
	wakers_release(&state->wakers);
}

const struct mode_events off_events = {
	.state_size = sizeof(struct off_state),
	.scratch_areas = SCRATCH_RETURN + 1,
	.attaching = "cannot attach to the scheduler",
	.records = {record_size, record_end, take},
	.open = off_open,
	.describe = off_describe,
	.attach = off_attach,
	.drained = off_drained,
	.ending = off_ending,
	.deferred = off_deferred,
	.ended = off_ended,
	.take_rest = off_take_rest,
	.account = off_account,
	.release = off_release,
};

/* ---- With a timer: --mode wall ---- */

/* A run has its own duration, whatever the frequency. */
bool off_set_frequency(struct session *s, uint64_t frequency, struct error *err)
{
	struct off_state *state = s->recorder_state;
	struct perf_source *timer = &state->driver.source.processes;

	if (!perf_source_set_frequency(timer, frequency, err))
		return false;
	state->programs->bss->every = (uint32_t)timer->every;
	s->frequency = timer->frequency;
	return true;
}

uint64_t off_spent(const struct session *s)
{
	const struct off_state *state = s->recorder_state;

	return bpf_source_spent(&state->driver.source);
}
#endif

extern const struct recorder recorder_off;
const struct recorder recorder_off = {.mode = &words, DRIVEN_BY(&off_events)};
