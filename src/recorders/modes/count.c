/* count.c: counts hits of tracepoints, functions and static probes; BPF programs record every
 * hit. */
#include "recorders/modes/count.h"

#ifdef HAVE_BPF
#include "bpf/shared/count.h"
#include "count.skel.h"
#include "recorders/perf/event.h"
#include "recorders/probes/probes.h"
#include "recorders/probes/tracefs.h"
#include "recorders/probes/uprobes.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#endif

/* ---- What can be asked ---- */

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "weight",
		.argument = "FIELD",
		.set = option_text,
		.offset = AT(weight),
		.help = "the weight of a hit: a numeric field of the tracepoint, arg0 to arg5 of a "
			"function, retval of its return, arg0... of a static probe (1)"},
	{.name = "yes",
		.set = option_flag,
		.offset = AT(yes),
		.help = "put user-space probes into every process that runs the file, not only "
			"into recorded ones: needed for -a and -G"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->weight || o->yes;
}

static void shared(struct record_options *o)
{
	o->events = NULL;
}

static bool check(const struct record_options *o, struct error *err)
{
	return o->events ||
	       error_set(err, ERR_USAGE,
		       "--mode count needs -e with a tracepoint (sched:sched_switch), a function "
		       "(libc:malloc) or a static probe (usdt:FILE:PROVIDER:NAME)");
}

static const char *heading(const struct record_options *o)
{
	return o->weight ? "largest sums of --weight (self)" : NULL;
}

static const struct mode words = {
	.name = "count",
	.about = "hits of a tracepoint, function or probe (-e)",
	.none = "the target had no hits; inlined code and kernel functions without a tracepoint "
		"are never hit",
	.top = "most hits (self)",
	.heading = heading,
	.what = "hit",
	.options = options,
	.title = "Events (--mode count)",
	.own = "--weight and --yes (also in --mode mem)",
	.used = used,
	.shared = shared,
	.check = check,
};

#ifdef HAVE_BPF
#define KPROBES	     "/sys/bus/event_source/devices/kprobe"
#define VALUE_MAX    (INT64_C(1) << 56) /* beyond all addresses */
#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU)

struct count_state {
	struct driver driver; /* a tally for each event */
	struct count_bpf *programs;
	struct probes probes;
	struct uprobes uprobes;
	VECTOR(struct bpf_link *) links;    /* in the kernel */
	uint64_t too_large[HIT_EVENTS_MAX]; /* hits, by event */
	int64_t sum;			    /* of the absolute weights of all hits */
};

/* ---- Setting up ---- */

static bool has_files(const struct probe *probe)
{
	return probe->kind != PROBE_TRACEPOINT && probe->kind != PROBE_KERNEL;
}

/* Can the probes be combined with the options? */
static bool check_probes(
	const struct count_state *state, const struct session *s, struct error *err)
{
	const struct record_options *o = s->options;

	for (size_t i = 0; i < state->probes.list.len; i++) {
		const struct probe *probe = &state->probes.list.items[i];

		if (!has_files(probe))
			continue;
		if (session_watches_all(s) && !o->yes)
			return error_set(err, ERR_USAGE,
				"event '%s' puts a breakpoint into every process that runs %s "
				"(microseconds per hit), not only into recorded ones: add --yes to "
				"confirm",
				probe->text, probe->file);
		if (o->kernel_only)
			return error_set(err, ERR_USAGE,
				"event '%s' is in user space: leave out -k", probe->text);
	}
	return true;
}

/* The range of the kernel's function with that name; without one, *ret_size is not changed. */
static void find_code(const struct session *s, const char *prefix, const char *name,
	uint64_t *ret_start, uint64_t *ret_size)
{
	struct kernel_symbol symbol;
	struct buffer whole = {0};

	buffer_printf(&whole, "%s%s", prefix, name);
	if (s->kernel && kernel_find_named(s->kernel, buffer_bytes(&whole), &symbol)) {
		*ret_start = symbol.start;
		*ret_size = symbol.end - symbol.start;
	}
	buffer_release(&whole);
}

/* The kernel's function between a tracepoint and its programs is left out of stacks. All system
 * calls share one tracepoint, to which the kernel's tracing listens; it calls our programs, and
 * those intermediate functions are left out, too. */
static void leave_out_code(const struct session *s, const struct probe *probe, struct hit_code *ret)
{
	const char *side = strncmp(probe->name, "sys_exit", 8) ? "enter" : "exit";
	uint64_t start = 0, size = 0, caller = 0, caller_size = 0;

	if (strcmp(probe->file, "syscalls")) {
		find_code(s, "__traceiter_", probe->name, &start, &size);
	} else {
		find_code(s, "perf_syscall_", side, &start, &size);
		find_code(s, "__traceiter_sys_", side, &caller, &caller_size);
	}
	*ret = (struct hit_code){start, size, caller, caller_size};
}

static void wait_for_pages(struct count_state *state, const struct session *s)
{
	struct count_bpf *programs = state->programs;
	struct bpf_program *function = programs->progs.on_function;

	programs->rodata->wait_for_pages = bpf_source_waits_for_pages(
		&state->driver.source, s, function, programs->maps.deferred_stacks);
	if (programs->rodata->wait_for_pages)
		bpf_program__set_flags(function, BPF_F_SLEEPABLE);
}

static bool open_programs(struct count_state *state, const struct session *s, struct error *err)
{
	struct count_bpf__rodata *constants;
	bool kinds[PROBE_KERNEL + 1] = {0};

	state->programs = count_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	constants = state->programs->rodata;
	constants->probe_callers = true;
	bpf_source_fill_config(&state->driver.source, s, "", &constants->config);
	if (s->options->cheap)
		constants->config.kernel_frames = false; /* they are always the same */
	memcpy(constants->values, state->probes.values.items,
		state->probes.values.len * sizeof(struct hit_value));
	for (size_t i = 0; i < state->probes.list.len; i++) {
		const struct probe *probe = &state->probes.list.items[i];

		kinds[probe->kind] = true;
		if (probe->kind == PROBE_TRACEPOINT)
			leave_out_code(s, probe, &constants->left_out[i]);
	}
	bpf_program__set_autoload(state->programs->progs.on_tracepoint, kinds[PROBE_TRACEPOINT]);
	bpf_program__set_autoload(state->programs->progs.on_kernel_function, kinds[PROBE_KERNEL]);
	bpf_program__set_autoload(state->programs->progs.on_function,
		kinds[PROBE_FUNCTION] || kinds[PROBE_RETURN] || kinds[PROBE_STATIC]);
	wait_for_pages(state, s);
	state->driver.source.programs = state->programs->skeleton;
	return true;
}

static void count_describe(void *self)
{
	struct count_state *state = self;

	for (size_t i = 0; i < state->probes.list.len; i++) {
		const struct probe *probe = &state->probes.list.items[i];

		driver_add_tally(&state->driver,
			&(struct tally_kinds){.kind = bytes_of(probe->weight ? probe->weight : ""),
				.unit = bytes_of(probe->unit),
				.count = bytes_of(probe->hits),
				.event = bytes_of(probe->text)});
	}
}

/* ---- Records ---- */

/* A register or a field may contain anything, such as an impossible size; sums in a profile have 64
 * bits. */
static bool fits(int64_t *sum, int64_t value)
{
	return value <= VALUE_MAX && value >= -VALUE_MAX &&
	       !__builtin_add_overflow(*sum, llabs(value), sum);
}

static bool add_hit(void *context, const void *record)
{
	struct count_state *state = context;
	const struct event_hit *hit = record;
	struct sample sample = {.has = SAMPLE_PARTS, .time = hit->time, .cpu = hit->cpu};

	if (hit->number >= state->probes.list.len)
		return false;
	if (!fits(&state->sum, hit->value)) {
		state->too_large[hit->number]++;
		return true;
	}
	driver_locate(&state->driver, hit->pid, hit->tid, hit->chunk, &sample);
	driver_add(&state->driver, hit->number, &sample, hit->value, 1);
	return true;
}

/* ---- Attaching ---- */

/* Attach by number: libbpf would look it up in tracefs, which may not be mounted. */
static bool attach_tracepoint(
	struct count_state *state, const struct probe *probe, uint64_t cookie, struct error *err)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};
	struct bpf_perf_event_opts how = {.sz = sizeof(how), .bpf_cookie = cookie};
	struct bpf_link *link = NULL;
	uint64_t id;
	int fd;

	if (!trace_id(bytes_of(probe->file), bytes_of(probe->name), &id, err))
		return false;
	attr.config = id;
	fd = perf_event_open(&attr, -1, 0, 0); /* a program on it runs on every CPU */
	if (fd >= 0)
		link = bpf_program__attach_perf_event_opts(
			state->programs->progs.on_tracepoint, fd, &how);
	if (link) {
		vector_push(&state->links, link); /* closes fd */
		return true;
	}
	bpf_error(err, -errno, "cannot attach to a tracepoint");
	if (fd >= 0)
		close(fd);
	return false;
}

static bool attach_kernel_function(
	struct count_state *state, const struct probe *probe, uint64_t cookie, struct error *err)
{
	struct bpf_kprobe_opts how = {.sz = sizeof(how), .bpf_cookie = cookie};
	struct bpf_link *link;

	/* Without these settings, libbpf would create a probe that remains when the recorder is
	 * killed. */
	if (access(KPROBES, F_OK))
		return error_set(err, ERR_UNSUPPORTED,
			"event '%s': this kernel cannot probe its functions (it lacks "
			"CONFIG_KPROBE_EVENTS); use a tracepoint",
			probe->text);
	link = bpf_program__attach_kprobe_opts(
		state->programs->progs.on_kernel_function, probe->name, &how);
	if (!link)
		return error_set(err, ERR_USAGE,
			"event '%s': the kernel has no function of this name that can be probed "
			"(%s)",
			probe->text, strerror(errno));
	vector_push(&state->links, link);
	return true;
}

static void list_places(struct count_state *state, size_t event)
{
	const struct probe *probe = &state->probes.list.items[event];
	struct error never = {0};

	for (size_t i = 0; i < probe->places.len; i++) {
		const struct probe_place *place = &probe->places.items[i];
		struct uprobe uprobe = {.program = state->programs->progs.on_function,
			.offset = place->offset,
			.semaphore = place->semaphore,
			.cookie = HIT_COOKIE(event, place->value),
			.at_return = probe->kind == PROBE_RETURN};

		snprintf(uprobe.path, sizeof(uprobe.path), "%s",
			state->probes.files.list.items[place->file].path);
		uprobes_add(&state->uprobes, &uprobe, &never); /* nothing is attached yet */
	}
}

static bool count_attach(void *self, struct error *err)
{
	struct count_state *state = self;
	struct session *s = state->driver.session;
	bool ok = true;

	for (size_t i = 0; ok && i < state->probes.list.len; i++) {
		const struct probe *probe = &state->probes.list.items[i];
		uint64_t cookie = HIT_COOKIE(i, probe->value);

		if (probe->kind == PROBE_TRACEPOINT)
			ok = attach_tracepoint(state, probe, cookie, err);
		else if (probe->kind == PROBE_KERNEL)
			ok = attach_kernel_function(state, probe, cookie, err);
		else
			list_places(state, i);
	}
	return ok && (!state->uprobes.list.len || uprobes_begin(&state->uprobes, s, err));
}

/* ---- Events ---- */

static bool count_open(void *self, struct error *err)
{
	struct count_state *state = self;
	struct session *s = state->driver.session;

	return (s->options->cheap ? probes_find_memory : probes_find)(&state->probes, s, err) &&
	       check_probes(state, s, err) && open_programs(state, s, err);
}

static capabilities count_keeps(const void *self)
{
	const struct count_state *state = self;

	return capabilities_for_programs(state->uprobes.list.len && !state->uprobes.everywhere);
}

static bool count_drained(void *self, bool last, struct error *err)
{
	struct count_state *state = self;
	struct session *s = state->driver.session;

	(void)last;
	return uprobes_follow(&state->uprobes, s, err);
}

static void detach(struct count_state *state)
{
	for (size_t i = 0; i < state->links.len; i++)
		bpf_link__destroy(state->links.items[i]);
	state->links.len = 0;
	uprobes_end(&state->uprobes);
}

static void count_ending(void *self)
{
	detach(self);
}

static struct deferred_event *count_deferred(void *self)
{
	return ((struct count_state *)self)->programs->bss->deferred;
}

/* The kernel does not count missed runs by event: they are added to the program's first event. */
static uint64_t missed(const struct count_state *state, size_t event)
{
	static const char *const programs[] = {[PROBE_TRACEPOINT] = "on_tracepoint",
		[PROBE_FUNCTION] = "on_function",
		[PROBE_RETURN] = "on_function",
		[PROBE_STATIC] = "on_function",
		[PROBE_KERNEL] = "on_kernel_function"};
	const char *program = programs[state->probes.list.items[event].kind];

	for (size_t i = 0; i < event; i++)
		if (!strcmp(programs[state->probes.list.items[i].kind], program))
			return 0;
	return bpf_source_missed(&state->driver.source, program);
}

static void count_account(void *self)
{
	struct count_state *state = self;
	struct session *s = state->driver.session;
	struct hit_counts c;

	bpf_source_counts(&state->driver.source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	for (size_t i = 0; i < state->probes.list.len; i++) {
		uint64_t unseen = missed(state, i), unknown = i ? 0 : c.no_memory;
		struct bpf_loss losses[] = {{"ring full", c.ring_full[i]},
			{"value not in memory", c.unread[i]},
			{"no room on the CPU", c.no_scratch[i]},
			{"value too large", state->too_large[i]}, {"no memory", unknown},
			{"BPF recursion", unseen}, {0}};

		driver_account(&state->driver, i, c.hits[i] + unknown + unseen, losses);
	}
	uprobes_note(&state->uprobes, &s->profile);
}

static void count_release(void *self)
{
	struct count_state *state = self;

	detach(state);
	vector_release(&state->links);
	uprobes_release(&state->uprobes);
	probes_release(&state->probes);
	count_bpf__destroy(state->programs);
}

const struct mode_events count_events = {
	.state_size = sizeof(struct count_state),
	.scratch_areas = SCRATCH_MAX,
	.attaching = "cannot attach to the kernel",
	.records = {driver_hit_size, driver_hit_time, add_hit},
	.open = count_open,
	.describe = count_describe,
	.attach = count_attach,
	.keeps = count_keeps,
	.drained = count_drained,
	.ending = count_ending,
	.deferred = count_deferred,
	.account = count_account,
	.release = count_release,
};
#endif

extern const struct recorder recorder_count;
const struct recorder recorder_count = {.mode = &words, DRIVEN_BY(&count_events)};
