/* flamegraph.c: `flamegraph`: the name under which the whole way to a picture is one command.
 *
 * Called by that name (a link to kiln), it does what people type in two traditions: without a
 * command it draws what `perf record` left, as the classic script did; with one it records first,
 * under the options of cargo-flamegraph. */
#include "commands/desktop.h"
#include "commands/pipeline.h"
#include "commands/record.h"

#include "base/memory.h"
#include "readers/readers.h"
#include "renderers/svg_options.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct command command_flamegraph;

#define OUTPUT_DEFAULT "flamegraph.svg"

static struct flamegraph {
	const char *perfdata, *frequency, *pids;
	bool open, ignore_status;
} own;

static struct pipeline picture = {.renderer = "svg", .title = "Picture"};

/* ---- Options ---- */

/* Options of other commands, and what to type instead. */
static const struct {
	const char *option, *instead;
} refused[] = {
	{"cmd", "Kiln records without perf; to use options of perf: perf record ..., then "
		"flamegraph --perfdata FILE"},
	{"post-process", "use a pipe instead: kiln fold FILE | COMMAND | kiln draw -"},
	{"skip-after", "use --focus REGEX: it draws only a function and its callees"},
	{"completions", "use: kiln completion SHELL"},
	{0},
};

static bool refuse(void *target, const struct option *option, const char *value, struct error *err)
{
	size_t i = 0;

	(void)target;
	(void)value;
	while (strcmp(refused[i].option, option->name) != 0)
		i++;
	return error_set(err, ERR_USAGE, "%s", refused[i].instead);
}

static bool check_root(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)option;
	(void)value;
	return !geteuid() || error_set(err, ERR_USAGE,
				     "use sudo flamegraph ...: output files still belong to you");
}

#define AT(member) offsetof(struct flamegraph, member)
static const struct option options[] = {
	{.name = "perfdata",
		.argument = "FILE",
		.help = "draw this file instead of recording",
		.set = option_text,
		.offset = AT(perfdata)},
	{.name = "pid",
		.letter = 'p',
		.argument = "PID[,...]",
		.help = "record these processes until Ctrl-C",
		.set = option_text,
		.offset = AT(pids)},
	{.name = "freq",
		.letter = 'F',
		.argument = "HZ",
		.help = "samples per second (997)",
		.set = option_text,
		.offset = AT(frequency)},
	{.name = "open",
		.help = "open the picture when it is drawn (xdg-open)",
		.set = option_flag,
		.offset = AT(open)},
	{.name = "ignore-status",
		.help = "ignore the command's exit code",
		.set = option_flag,
		.offset = AT(ignore_status)},
	{.name = "root", .set = check_root},
	{.name = "cmd", .letter = 'c', .argument = "ARGUMENTS", .set = refuse},
	{.name = "post-process", .argument = "COMMAND", .set = refuse},
	{.name = "skip-after", .argument = "FUNCTION", .set = refuse},
	{.name = "completions", .argument = "SHELL", .set = refuse},
	{.letter = 'z', .name = "compression-level", .set = option_ignored},
	{0},
};

/* Other names of options of `kiln draw`. */
static bool set_in_picture(const char *name, void *target, const char *value, struct error *err)
{
	const struct option *o = svg_options;

	while (strcmp(o->name, name) != 0)
		o++;
	return o->set(target, o, value, err);
}

static bool set_inverted(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)option;
	return set_in_picture("inverted", target, value, err);
}

static bool set_min_width(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)option;
	return set_in_picture("minwidth", target, value, err);
}

static bool set_width(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)option;
	return set_in_picture("width", target, value, err);
}

static bool set_palette(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)option;
	return set_in_picture("colors", target, value, err);
}

static const struct option synonyms[] = {
	{.name = "upside-down", .letter = 'i', .set = set_inverted},
	{.name = "min-width",
		.argument = "PIXELS",
		.help = "another name of --minwidth",
		.set = set_min_width},
	{.name = "image-width",
		.argument = "PIXELS",
		.help = "another name of --width",
		.set = set_width},
	{.name = "palette",
		.argument = "PALETTE",
		.help = "another name of --colors",
		.set = set_palette,
		.choices = palette_names},
	{0},
};

static const struct option_group *groups(void)
{
	static struct option_group all[COMMAND_GROUPS];
	const struct option_group *rest = pipeline_groups(&picture);
	size_t count = 0;

	all[count++] = (struct option_group){"What to draw", options, &own};
	for (; rest->options; rest++)
		all[count++] = *rest;
	all[count++] =
		(struct option_group){"Names from cargo-flamegraph", synonyms, picture.settings};
	all[count] = (struct option_group){0};
	return all;
}

/* ---- Recording ---- */

/* "x.kiln" beside "x.svg": the recording is kept, too. */
static char *profile_path(const char *svg)
{
	struct bytes stem = bytes_of(strcmp(svg, "-") ? svg : OUTPUT_DEFAULT);
	struct buffer path = {0};

	if (bytes_ends_with(stem, BYTES(".svg")))
		stem.len -= 4;
	buffer_printf(&path, "%.*s.kiln", (int)stem.len, stem.at);
	return path.at;
}

static int record_to(const char *path, char **command, bool *ret_written)
{
	VECTOR(const char *) argv = {0};
	int code;

	vector_push(&argv, "record");
	vector_push(&argv, "-o");
	vector_push(&argv, path);
	if (verbosity)
		vector_push(&argv, verbosity < 0 ? "-q" : "-v");
	if (own.frequency) {
		vector_push(&argv, "-F");
		vector_push(&argv, own.frequency);
	}
	if (own.pids) {
		vector_push(&argv, "-p");
		vector_push(&argv, own.pids);
	}
	vector_push(&argv, "--");
	for (; *command; command++)
		vector_push(&argv, *command);
	vector_push(&argv, NULL);
	code = record_run((char **)(uintptr_t)argv.items, ret_written);
	vector_release(&argv);
	return code;
}

/* ---- Drawing ---- */

static int draw(const char *input)
{
	const struct svg_settings *settings = picture.settings;
	char *operands[] = {(char *)(uintptr_t)input, NULL};
	int code;

	picture.runs_programs = own.open;
	picture.over_time = settings->chart;
	code = pipeline_run(&picture, &command_flamegraph, operands,
		settings->chart ? WANT_TIMES | WANT_THREADS : 0);

	if (code || !picture.output || !strcmp(picture.output, "-"))
		return code;
	print_notice("wrote %s", picture.output);
	if (own.open)
		desktop_show(picture.output);
	return 0;
}

static int record_and_draw(char **command)
{
	char *path;
	bool written = false;
	int code, drawn;

	if (!picture.output)
		picture.output = OUTPUT_DEFAULT;
	path = profile_path(picture.output);
	code = record_to(path, command, &written);
	if (!written) {
		free(path);
		return code;
	}
	drawn = draw(path);
	if (!drawn)
		print_notice("the profile is in %s: kiln top %s", path, path);
	free(path);
	return drawn || own.ignore_status ? drawn : code;
}

static bool check(char **operands, struct error *err)
{
	struct stat st;

	if (own.perfdata && (own.pids || *operands))
		return error_set(err, ERR_USAGE,
			"--perfdata draws an existing recording: leave out %s",
			own.pids ? "--pid" : "the command");
	if (own.pids && *operands)
		return error_set(err, ERR_USAGE, "expected --pid or a command, not both");
	if (*operands && !stat(*operands, &st) && S_ISREG(st.st_mode) && access(*operands, X_OK))
		return error_set(err, ERR_USAGE,
			"'%s' is a file, not a command; draw it with: flamegraph --perfdata %s",
			*operands, *operands);
	if (own.frequency && !own.pids && !*operands)
		return error_set(
			err, ERR_USAGE, "--freq works only when recording: name a command");
	if (own.open && !picture.output && !own.perfdata && !own.pids && !*operands)
		picture.output = OUTPUT_DEFAULT;
	return true;
}

static int run(char **operands)
{
	struct error err = {0};

	if (!check(operands, &err)) {
		error_prefix(&err, "flamegraph: ");
		return fail(&err);
	}
	if (own.pids || *operands)
		return record_and_draw(operands);
	if (own.perfdata) {
		if (!picture.output)
			picture.output = OUTPUT_DEFAULT;
		return draw(own.perfdata);
	}
	/* Here perf.data comes first: it is what the name stands for. */
	return draw(!load_stdin_is_given() && !access(LOAD_OF_PERF, F_OK) ? LOAD_OF_PERF : NULL);
}

const struct command command_flamegraph = {
	.name = "flamegraph",
	.about = "record and draw, with the options of cargo-flamegraph",
	.usage = "flamegraph [OPTIONS] >PICTURE.svg\n"
		 "flamegraph [OPTIONS] --perfdata FILE [-o PICTURE.svg]\n"
		 "flamegraph [OPTIONS] [-o PICTURE.svg] -p PID\n"
		 "flamegraph [OPTIONS] [-o PICTURE.svg] [--] COMMAND [ARGUMENTS]",
	.notes =
		"Without a command, flamegraph draws standard input or ./perf.data, and writes to\n"
		"standard output. With a command, it records the command, writes flamegraph.svg\n"
		"(or the file of -o), and exits with the command's exit code. The program\n"
		"`flamegraph` is a link to kiln.",
	.operands = OPERANDS_PROGRAM,
	.groups = groups,
	.stop_at_operand = true,
	.run = run,
};
