/* record.c: `kiln record`: from a running program to a profile or a picture.
 *
 * `run` opens the output (record_output.h) and calls session_run (recorders/session.h). While that
 * records, `tick` appends what is new to the output and names it (record_names.h). At the end
 * `finish` names all of it again, with inlined functions, makes a view, writes the finished file
 * and prints the summary (record_summary.h). */
#include "commands/record.h"

#include "commands/load.h"
#include "commands/naming_options.h"
#include "commands/record_names.h"
#include "commands/record_output.h"
#include "commands/record_summary.h"
#include "commands/terminal.h"
#include "images/arch.h"
#include "model/idle.h"
#include "recorders/recorders.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STRICT_PERCENT 1   /* more losses than this fail --strict */
#define EXIT_GATE      3   /* --strict said no */
#define EXIT_OWN       125 /* of `record -- CMD`: Kiln failed, not CMD */

static struct record {
	struct record_options options;
	const char *output;
	int mode; /* in recorders[] */
	bool strict, graph;
	struct transform_list by;  /* root frames of pictures and text, the outermost last */
	bool for_another, written; /* see record.h */
	struct record_output out;
	struct image_cache images;
	size_t named; /* locations that were looked at for names */
} own;

/* ---- Options ---- */

static bool set_numbers(void *target, const struct option *o, const char *value, struct error *err)
{
	return number_list_add(
		(struct number_list *)(void *)((char *)target + o->offset), value, err);
}

static bool set_cpus(void *target, const struct option *o, const char *value, struct error *err)
{
	return number_list_add_cpus(
		(struct number_list *)(void *)((char *)target + o->offset), value, err);
}

static bool set_frequency(
	void *target, const struct option *o, const char *value, struct error *err)
{
	uint64_t *frequency = (uint64_t *)(void *)((char *)target + o->offset);

	if (!strcmp(value, "max")) {
		*frequency = FREQUENCY_MAX;
		return true;
	}
	if (bytes_u64(bytes_of(value), frequency) && *frequency && *frequency < FREQUENCY_MAX)
		return true;
	return error_set(
		err, ERR_USAGE, "expected a number of samples per second, or max, got '%s'", value);
}

/* Without the option there is no limit; "none" requests no limit explicitly. */
static bool set_limit(void *target, const struct option *o, const char *value, struct error *err)
{
	const uint64_t *limit = (const uint64_t *)(void *)((char *)target + o->offset);

	return option_duration(target, o, value, err) &&
	       (*limit || error_set(err, ERR_USAGE, "expected a time above 0, got '%s'", value));
}

static bool set_percent(void *target, const struct option *o, const char *value, struct error *err)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || strcmp(end, *end == '%' ? "%" : "") ||
		!(percent >= 100.0 / BUDGET_WHOLE && percent <= 100))
		return error_set(err, ERR_USAGE,
			"expected a share of the CPUs such as 1%% or 0.2%%, at least 0.0001%%, got "
			"'%s'",
			value);
	*(uint64_t *)(void *)((char *)target + o->offset) =
		(uint64_t)(percent * BUDGET_WHOLE / 100 + 0.5);
	return true;
}

static bool set_size(void *target, const struct option *o, const char *value, struct error *err)
{
	uint64_t *size = (void *)((char *)target + o->offset);
	struct error ignored = {0}; /* it knows no pages */

	if (!option_size(target, o, value, &ignored) || !*size)
		return error_set(err, ERR_USAGE,
			"expected a number of pages, or bytes with a unit: 128, 512K, 64M");
	if (!value[strspn(value, "0123456789")])
		*size *= (uint64_t)getpagesize();
	return true;
}

static bool set_call_graph(
	void *target, const struct option *o, const char *value, struct error *err)
{
	struct record_options *options = target;
	const char *comma = strchr(value, ',');
	size_t len = comma ? (size_t)(comma - value) : strlen(value);
	struct bytes how = {value, len};

	(void)o;
	if (bytes_equal(how, BYTES("fp")) && !comma) {
		options->stacks = STACKS_FRAME_POINTERS;
		return true;
	}
	if (!bytes_equal(how, BYTES("dwarf")))
		return error_set(err, ERR_USAGE, "expected fp, or dwarf[,BYTES]");
	if (!arch_native())
		return error_set(err, ERR_UNSUPPORTED,
			"dwarf is not available on " KILN_MACHINE
			": only fp is, which takes the stacks of code that was compiled with "
			"-fno-omit-frame-pointer");
	options->stacks = STACKS_TABLES;
	return !comma || bytes_u64(bytes_of(comma + 1), &options->stack_bytes) ||
	       error_set(err, ERR_USAGE, "expected a number of bytes after dwarf,");
}

static bool set_groups(void *target, const struct option *o, const char *value, struct error *err)
{
	enum cgroup_spelling spelling = (enum cgroup_spelling)o->offset; /* not used otherwise */

	return cgroup_names_add(&((struct record_options *)target)->groups, spelling, value, err);
}

/* Given again, it adds to what was given before. */
static bool set_events(void *target, const struct option *o, const char *value, struct error *err)
{
	static struct buffer all;

	(void)o;
	if (!value[strspn(value, ", ")])
		return error_set(err, ERR_USAGE, "expected names of events, got '%s'", value);
	buffer_printf(&all, "%s%s", all.len ? "," : "", value);
	((struct record_options *)target)->events = all.at;
	return true;
}

/* Add the transform of the option's name, for pictures and text. */
static bool set_by(void *target, const struct option *o, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	transform_list_add(&((struct record *)target)->by, o->name, NULL);
	return true;
}

#define AT(member) offsetof(struct record_options, member)
static const struct option target_options[] = {
	{.name = "pid",
		.letter = 'p',
		.argument = "PID[,...]",
		.set = set_numbers,
		.offset = AT(pids),
		.help = "these processes, and the children they start"},
	{.name = "tid",
		.detail = true,
		.letter = 't',
		.argument = "TID[,...]",
		.set = set_numbers,
		.offset = AT(tids),
		.help = "these threads"},
	{.name = "all",
		.letter = 'a',
		.set = option_flag,
		.offset = AT(system_wide),
		.help = "the whole system, with kernel threads"},
	{.name = "all-cpus", .set = option_flag, .offset = AT(system_wide)},
	{.name = "cgroup",
		.letter = 'G',
		.argument = "GROUP[,...]",
		.set = set_groups,
		.offset = CGROUP_BY_PATH,
		.help = "control groups, and those below them"},
	{.name = "container",
		.argument = "ID[,...]",
		.set = set_groups,
		.offset = CGROUP_OF_CONTAINER,
		.help = "containers, by id or name"},
	{.name = "unit",
		.detail = true,
		.argument = "UNIT[,...]",
		.set = set_groups,
		.offset = CGROUP_OF_UNIT,
		.help = "systemd units: nginx.service, user.slice"},
	{.name = "cpu",
		.detail = true,
		.letter = 'C',
		.argument = "CPUS",
		.set = set_cpus,
		.offset = AT(cpus),
		.help = "only on these CPUs: 0-3,7"},
	{.name = "duration",
		.letter = 'd',
		.argument = "TIME",
		.set = set_limit,
		.offset = AT(duration),
		.help = "stop after this time: 30s, 500ms, 2m"},
	{0},
};

#define MODES_LIMIT 16u
#define GROUP_LIMIT 16u /* options of a mode, and the end */

/* Only the linker knows which modes there are: filled in by groups(). */
static const char *modes[MODES_LIMIT + 1], *meanings[MODES_LIMIT];

static const struct option mode_options[] = {
	{.name = "mode",
		.argument = "MODE",
		.set = option_choice,
		.offset = offsetof(struct record, mode),
		.choices = modes,
		.meanings = meanings,
		.help = "what to measure:"},
	{0},
};

static const char *const ways[] = {"auto", "perf", "bpf", NULL};

static const struct option what_options[] = {
	{.name = "frequency",
		.letter = 'F',
		.argument = "HZ|max",
		.set = set_frequency,
		.offset = AT(frequency),
		.help = "samples per second and CPU (997; 99 above 8 CPUs)"},
	{.name = "freq", .argument = "HZ|max", .set = set_frequency, .offset = AT(frequency)},
	{.name = "event",
		.letter = 'e',
		.argument = "EVENT[,...]",
		.set = set_events,
		.help = "what to sample or count: page-faults, cycles, sched:sched_switch, "
			"libc:malloc, ... (CPU time)"},
	{.name = "user",
		.letter = 'u',
		.set = option_flag,
		.offset = AT(user_only),
		.help = "leave out kernel frames"},
	{.name = "kernel",
		.detail = true,
		.letter = 'k',
		.set = option_flag,
		.offset = AT(kernel_only),
		.help = "only kernel frames"},
	{.name = "call-graph",
		.argument = "HOW",
		.set = set_call_graph,
		.help = "unwind user stacks by dwarf (default) or fp"},
	{.name = "stack-bytes",
		.detail = true,
		.argument = "BYTES",
		.set = option_u64,
		.offset = AT(stack_bytes),
		.help = "bytes copied of each stack with --recorder perf, at most 65528 (65528; "
			"16384 where locked memory is short)"},
	{.name = "max-overhead",
		.detail = true,
		.argument = "PERCENT",
		.set = set_percent,
		.offset = AT(max_overhead),
		.help = "lower the frequency when the recorder uses more than this share of the "
			"recorded CPUs: 1%, 0.2%"},
	{.name = "by-cgroup",
		.detail = true,
		.set = option_flag,
		.offset = AT(by_cgroup),
		.help = "record the control group (or container) of each sample; pictures show it "
			"as the root frame"},
	{.name = "mmap-pages",
		.detail = true,
		.letter = 'm',
		.argument = "SIZE",
		.set = set_size,
		.offset = AT(ring_bytes),
		.help = "size of the ring buffer, in pages or with a unit: 512K, 64M"},
	{.name = "recorder",
		.detail = true,
		.argument = "WAY",
		.set = option_choice,
		.offset = AT(way),
		.choices = ways,
		.help = "how to sample CPU time: bpf (a BPF program; only the CPU clock), perf "
			"(perf_event_open and ring buffers), auto (the default: bpf where "
			"possible)"},
	{.name = "untimed",
		.detail = true,
		.set = option_flag,
		.offset = AT(untimed),
		.help = "record sums without timestamps, for long recordings (the kernel sums up "
			"CPU time)"},
	{.name = "no-page-in",
		.detail = true,
		.set = option_flag,
		.offset = AT(no_page_in),
		.help = "do not fault in stack pages; stacks end where one is missing"},
	{.name = "tee",
		.detail = true,
		.argument = "FILE",
		.set = option_text,
		.offset = AT(tee),
		.help = "also save the raw kernel records"},
	{0},
};

static const struct option output_options[] = {
	{.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.set = option_text,
		.offset = offsetof(struct record, output),
		.help = "write to FILE; its suffix chooses the format (profile.kiln); -: stream "
			".kiln to standard output"},
	{.name = "by-thread",
		.detail = true,
		.set = set_by,
		.help = "show threads as root frames (in pictures and text)"},
	{.name = "by-process",
		.detail = true,
		.set = set_by,
		.help = "show processes as root frames"},
	{.name = "by-cpu", .detail = true, .set = set_by, .help = "show CPUs as root frames"},
	{.name = "strict",
		.set = option_flag,
		.offset = offsetof(struct record, strict),
		.help = "exit with 3 when over 1% of the samples are lost"},
	{.letter = 'g',
		.name = "stacks",
		.set = option_flag,
		.offset = offsetof(struct record, graph)},
	{0},
};

static void describe_modes(void)
{
	for (size_t i = 0; recorders[i]; i++) {
		assert(i < MODES_LIMIT);
		modes[i] = recorders[i]->mode->name;
		meanings[i] = recorders[i]->mode->about;
	}
}

/* A copy of a group of which --help shows only the names. */
static struct option_group as_details(struct option_group group)
{
	static struct option tables[MODES_LIMIT + 1][GROUP_LIMIT];
	static size_t count;
	struct option *table = tables[count++];
	size_t len = 0;

	for (const struct option *o = group.options; o->name; o++) {
		assert(len + 1 < GROUP_LIMIT);
		table[len] = *o;
		table[len++].detail = true;
	}
	group.options = table;
	return group;
}

static const struct option_group *groups(void)
{
	static struct option_group all[COMMAND_GROUPS];
	size_t count = 0;

	if (all[0].options)
		return all;
	describe_modes();
	all[count++] = (struct option_group){"What to record", target_options, &own.options};
	all[count++] = (struct option_group){"What to measure", mode_options, &own};
	all[count++] = (struct option_group){"How to sample", what_options, &own.options};
	for (size_t i = 0; recorders[i]; i++)
		if (recorders[i]->mode->options)
			all[count++] = as_details((struct option_group){recorders[i]->mode->title,
				recorders[i]->mode->options, &own.options});
	all[count++] = as_details(naming_detail_options());
	all[count++] = (struct option_group){"Output", output_options, &own};
	all[count] = (struct option_group){0};
	return all;
}

static bool check_targets(struct record_options *o, struct error *err)
{
	bool processes = o->pids.list.len || o->tids.list.len, groups = o->groups.list.len;

	if (groups && processes)
		return error_set(err, ERR_USAGE,
			"-G, --container and --unit record all processes of a control group: leave "
			"out -p and -t");
	if (o->cpus.list.len && !processes && !groups && !o->command)
		o->system_wide = true;
	if (!o->command && !processes && !groups && !o->system_wide)
		return error_set(err, ERR_USAGE,
			"nothing to record: name a command (kiln record -- CMD), -p PID, -t TID, "
			"-G GROUP, or -a");
	if (o->system_wide && processes)
		return error_set(
			err, ERR_USAGE, "-a records the whole system: leave out -p and -t");
	/* perf needs events on CPUs: -a -G GROUP. */
	o->system_wide &= !groups;
	return true;
}

static bool check_options(struct record *r, char **operands, struct error *err)
{
	struct record_options *o = &r->options;

	if (*operands)
		o->command = operands;
	if (!check_targets(o, err))
		return false;
	if (o->user_only && o->kernel_only)
		return error_set(err, ERR_USAGE, "expected -u or -k, not both");
	if (o->stack_bytes > STACK_BYTES_MAX)
		return error_set(
			err, ERR_USAGE, "--stack-bytes: expected at most %u", STACK_BYTES_MAX);
	if (o->stack_bytes && !arch_native())
		return error_set(err, ERR_UNSUPPORTED,
			"--stack-bytes: copies of stacks are not available on " KILN_MACHINE
			", where user stacks come from frame pointers");
	o->stack_bytes = (o->stack_bytes + 7) & ~(uint64_t)7;
	if (!mode_check(recorders[r->mode]->mode, o, err))
		return false;
	if (!r->output)
		r->output = "profile.kiln";
	if (!strcmp(r->output, "-") && isatty(STDOUT_FILENO))
		return error_set(err, ERR_USAGE,
			"-o -: standard output is a terminal: redirect it, or name a file");
	return true;
}

/* ---- Running ---- */

static void notice(const char *text)
{
	if (verbosity >= 0)
		print_notice("%s", text);
}

/* Append what is new twice: without names first, since it takes a while to find them, and a
 * recorder that is killed meanwhile would lose it. */
static bool save_then_name(struct record *r, struct session *s, struct error *err)
{
	struct profile *p = &s->profile;
	size_t unnamed = p->locations.len - r->named;

	if (unnamed && !record_output_append(&r->out, p, unnamed, err))
		return false;
	record_name(s, &r->images, false, NULL);
	r->named = p->locations.len;
	return record_output_append(&r->out, p, 0, err);
}

static bool tick(void *context, struct session *s, struct error *err)
{
	struct record *r = context;

	if (s->began) {
		record_live_line(s);
		return save_then_name(r, s, err);
	}
	/* Output to a stream cannot be undone if the recording never begins. */
	return r->out.stream || record_output_append(&r->out, &s->profile, 0, err);
}

/* Has any event lost more than --strict allows? Idle CPUs have streams of their own. */
static bool lost_too_much(const struct profile *p)
{
	for (uint32_t i = 0; i < p->streams.len; i++) {
		uint64_t lost = profile_lost(p, i), came = p->streams.items[i].row.delivered;

		if (!stream_is_idle(p, i) && lost * 100 > STRICT_PERCENT * (came + lost))
			return true;
	}
	return false;
}

static int exit_code(const struct record *r, const struct session *s)
{
	if (r->strict && lost_too_much(&s->profile)) {
		print_notice("--strict: more than %d%% of the expected samples were lost",
			STRICT_PERCENT);
		return EXIT_GATE;
	}
	return r->options.command && s->end != END_DURATION && s->command.ended
		       ? command_exit_code(&s->command)
		       : 0;
}

/* Print the error. The exit code is that of any command, unless a command was to be run: then 126
 * and 127 are about that command, and other failures are EXIT_OWN. */
static int failed(const struct record *r, const struct session *s, const struct error *err)
{
	int code = fail(err);

	if (!r->options.command)
		return code;
	if (s->exec_exit)
		return s->exec_exit;
	return err->code == ERR_USAGE ? code : EXIT_OWN;
}

static int finish(struct record *r, struct session *s, struct error *err)
{
	const struct loading_listener listener = load_listener();
	struct symbolize_report report = {0};
	struct error ignored = {0};
	struct view view;
	bool written;

	record_live_end();
	if (!err->code) /* an error is ignored here: writing the finished file fails, too */
		record_output_append(
			&r->out, &s->profile, s->profile.locations.len - r->named, &ignored);
	record_name(s, &r->images, true, &report);
	naming_report_cached(&report, &listener, "record");
	naming_add_notes(&s->profile, &report);
	view_init(&view, &s->profile, naming_projection(naming_chosen()));
	written = record_output_finish(&r->out, &view, err);
	if (verbosity >= 0)
		record_summary(s, &view, &report, r->for_another || !written ? NULL : r->output);
	view_release(&view);
	symbolize_report_release(&report);
	if (!session_wait_command(s))
		print_notice("%s (process %d) was asked to end and still runs",
			r->options.command[0], s->command.pid);
	r->written = written;
	if (written && !err->code)
		return exit_code(r, s);
	/* There is no picture of a profile without samples, but recording it did not fail. */
	if (err->code == ERR_FORMAT && !s->counts.delivered) {
		print_notice("%s", err->text);
		return exit_code(r, s);
	}
	return failed(r, s, err);
}

extern const struct command command_record;

static int run(char **operands)
{
	struct record *r = &own;
	struct session s = {.tick = tick, .tick_context = r, .notice = notice};
	struct error err = {0};
	bool ok;
	int code;

	if (!check_options(r, operands, &err)) {
		error_prefix(&err, "record: ");
		return fail(&err);
	}
	session_hold_signals(); /* they would leave a file behind that is created from here on */
	if (!record_output_open(&r->out, r->output, &err)) {
		record_output_discard(&r->out);
		record_output_release(&r->out);
		return failed(r, &s, &err);
	}
	s.finishing = capabilities_to_finish(r->out.folder.fd, r->options.command != NULL) |
		      capabilities_to_finish(r->out.finished.fd, false);
	if (r->options.by_cgroup)
		transform_list_add(&r->by, "by-cgroup", NULL);
	r->out.by = &r->by;
	signal(SIGPIPE, SIG_IGN); /* a closed pipe ends the recording, not the recorder */
	ok = session_run(&s, recorders[r->mode], &r->options, &err);
	/* If the command cannot be executed, there may be samples of the search for it, which are
	 * not kept. */
	if (!ok && (!s.began || !s.counts.delivered)) {
		record_output_discard(&r->out);
		code = failed(r, &s, &err);
	} else {
		code = finish(r, &s, &err);
	}
	record_output_release(&r->out);
	vector_release(&r->by.steps);
	image_cache_release(&r->images);
	session_release(&s);
	return code;
}

const struct command command_record = {
	.name = "record",
	.about = "record where programs spend their time",
	.usage = "record [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
		 "record [OPTIONS] -p PID | -t TID | -G GROUP | -a [COMMAND ...]",
	.notes = "Recording ends with the command or the processes, after -d, or with Ctrl-C.\n"
		 "All options: kiln help --all record, man kiln-record. What works: kiln doctor.",
	.details = "What was recorded before the end is kept. Exit codes: the command's own, 125\n"
		   "when Kiln failed, 126 or 127 when the command could not be executed, 128 + n\n"
		   "for signal n, 3 for --strict; without a command 1 for failures; 2 for a wrong\n"
		   "command line.",
	.groups = groups,
	.stop_at_operand = true,
	.run = run,
};

int record_run(char **argv, bool *ret_written)
{
	int code;

	own.for_another = true;
	code = command_run(&command_record, argv);
	*ret_written = own.written;
	return code;
}
