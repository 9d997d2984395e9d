/* load.c: how does every command get at its profile? */
#include "commands/load.h"

#include "base/expansion.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/output_file.h"
#include "commands/naming_options.h"
#include "loading/notices.h"
#include "transforms/shape.h"

#include <assert.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct load {
	const char *format;
	struct shape shape;
	uint64_t max_expansion;
} common;

/* ---- Options ---- */

#define FORMATS_LIMIT 64u

/* The readers' names are known to the linker only; the choices are filled in by load_groups. */
static const char *formats[FORMATS_LIMIT + 1];

static bool set_format(
	void *target, const struct option *option, const char *value, struct error *err)
{
	int ignored;
	struct option by_index = *option;

	by_index.offset = 0;
	return option_choice(&ignored, &by_index, value, err) &&
	       option_text(target, option, value, err);
}

static bool set_expansion(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct load *load = target;

	if (!option_size(target, option, value, err))
		return false;
	if (!load->max_expansion)
		return error_set(err, ERR_USAGE, "expected a size above 0");
	expansion_set(load->max_expansion);
	return true;
}

static const struct option input_options[] = {
	{.name = "format",
		.argument = "NAME",
		.help = "the format of FILE, where its content does not show it",
		.set = set_format,
		.offset = offsetof(struct load, format),
		.choices = formats},
	{.name = EXPANSION_OPTION,
		.argument = "SIZE",
		.help = "memory limit of an input; 4 times as much when it is decompressed or "
			"written (1G, or 256 times the size of FILE if that is more)",
		.set = set_expansion,
		.offset = offsetof(struct load, max_expansion)},
	{0},
};

void load_groups(struct option_group ret_groups[LOAD_GROUPS])
{
	static struct option transforming[TRANSFORM_OPTIONS];

	transform_options(transforming);
	for (size_t i = 0; readers[i]; i++) {
		assert(i < FORMATS_LIMIT);
		formats[i] = readers[i]->name;
	}
	ret_groups[LOAD_INPUT] = (struct option_group){"Input", input_options, &common};
	ret_groups[LOAD_VALUES] = (struct option_group){"Values", shape_options, &common.shape};
	ret_groups[LOAD_PLACES] = naming_place_options();
	ret_groups[LOAD_DETAIL] = naming_detail_options();
	ret_groups[LOAD_SHAPE] = (struct option_group){
		"Select and transform, in the order given", transforming, &common.shape.transforms};
}

/* ---- Input ---- */

bool load_stdin_is_given(void)
{
	struct stat status;

	return !fstat(STDIN_FILENO, &status) &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode));
}

static void print_usage(const struct command *command)
{
	struct buffer text = {0};
	struct bytes usage = bytes_of(command->usage), line;
	struct error ignored = {0}; /* stderr is gone: nothing is left to say it to */

	for (const char *lead = "usage:"; bytes_line(&usage, &line); lead = "      ")
		buffer_printf(&text, "%s kiln %.*s\n", lead, (int)line.len, line.at);
	output_write_fd(STDERR_FILENO, buffer_bytes(&text), &ignored);
	buffer_release(&text);
}

bool load_choose(
	const struct command *command, char **operands, const char **ret_path, struct error *err)
{
	if (operands[0] && operands[1])
		return error_set(err, ERR_USAGE, "expected one FILE, got '%s' and '%s'",
			operands[0], operands[1]);
	if (operands[0] && strcmp(operands[0], "-")) {
		*ret_path = operands[0];
		return true;
	}
	if (operands[0] && isatty(STDIN_FILENO)) {
		print_usage(command);
		return error_set(err, ERR_USAGE,
			"standard input is a terminal: name a FILE, or pipe a profile into kiln");
	}
	if (operands[0] || load_stdin_is_given()) {
		*ret_path = "-";
		return true;
	}
	*ret_path = access(LOAD_DEFAULT, F_OK) ? LOAD_OF_PERF : LOAD_DEFAULT;
	if (!access(*ret_path, F_OK))
		return true;
	print_usage(command);
	return error_set(err, ERR_USAGE,
		"no FILE given, and there is no " LOAD_DEFAULT " or " LOAD_OF_PERF
		" here: name a FILE, pipe a profile in, or record one with: kiln record -- "
		"COMMAND");
}

/* Files of `sudo perf record` belong to root, and the next command is run by the user. */
static void advise_owner(const char *path, struct error *err)
{
	const struct error denied = *err;
	struct stat status;

	if (denied.code == ERR_PERMISSION && !stat(path, &status) && status.st_uid != geteuid())
		error_set(err, ERR_PERMISSION,
			"%s; it belongs to another user: sudo chown $USER %s", denied.text, path);
}

/* ---- What loading has to tell ---- */

static void on_notice(void *self, const char *text)
{
	(void)self;
	print_notice("%s", text);
}

static void on_progress(void *self, const char *text)
{
	struct buffer line = {0};

	(void)self;
	if (verbosity < 0 || !isatty(STDERR_FILENO))
		return;
	buffer_text(&line, "\r\033[K");
	buffer_visible(&line, bytes_of(text));
	fwrite(line.at, 1, line.len, stderr);
	buffer_release(&line);
}

struct loading_listener load_listener(void)
{
	return (struct loading_listener){
		.details = verbosity > 0, .notice = on_notice, .progress = on_progress};
}

void load_begin(struct loading *ret, unsigned needs)
{
	struct loading_options options = {
		.format = common.format, .naming = *naming_chosen(), .listener = load_listener()};

	options.naming.keep_lines = needs & LOAD_KEEP_LINES;
	options.naming.thorough = needs & LOAD_THOROUGH;
	loading_init(ret, &options);
}

/* ---- The pipeline ---- */

static bool shape(const struct loading *with, struct loaded *l, const struct load_steps *steps,
	struct error *err)
{
	view_init(&l->view, &l->profile, naming_projection(&with->options.naming));
	if (!shape_select(&common.shape, &l->view, err))
		return error_prefix(err, "%s: ", l->name);
	if ((steps->view && !steps->view(steps->self, &l->view, err)) ||
		!view_check_size(&l->view, err))
		return error_prefix(err, "%s: ", l->name);
	if (transform_list_apply(&common.shape.transforms, &l->view, err))
		return true;
	return l->view.full && error_prefix(err, "%s: ", l->name);
}

bool load_is_plain(void)
{
	return !common.shape.kind && !common.shape.transforms.steps.len &&
	       (!common.format || !strcmp(common.format, "folded"));
}

bool load_reverses(void)
{
	const struct transform_list *list = &common.shape.transforms;

	for (size_t i = 0; i < list->steps.len; i++)
		if (!strcmp(list->steps.items[i].transform->name, "reverse"))
			return true;
	return false;
}

static void print_notices(const struct loading *with, const struct loaded *l)
{
	notices_report(&l->view, &with->options.listener, l->name);
	if (!common.shape.kind)
		notices_report_other_events(&l->view, &with->options.listener, l->name);
}

bool load_file(const struct loading *with, const char *path, unsigned want,
	const struct load_steps *steps, struct loaded *ret, struct error *err)
{
	struct loading_request request = {.want = want};
	struct input in;

	if (!input_open(&in, path, err)) {
		advise_owner(path, err);
		return false;
	}
	*ret = (struct loaded){.name = in.name};
	if (common.shape.transforms.steps.len)
		request.want |= WANT_TIMES | WANT_THREADS | WANT_CPUS | WANT_LABELS;
	if (!loading_read(with, &in, &request, &ret->profile, err)) {
		loaded_release(ret);
		return false;
	}
	if (steps->profile)
		steps->profile(steps->self, &ret->profile);
	if (!shape(with, ret, steps, err)) {
		loaded_release(ret);
		return false;
	}
	print_notices(with, ret);
	return true;
}

bool load(const struct loading *with, const struct command *command, char **operands, unsigned want,
	struct loaded *ret, struct error *err)
{
	const char *path = NULL;

	if (!load_choose(command, operands, &path, err))
		return error_prefix(err, "%s: ", command->name);
	return load_file(with, path, want, &(struct load_steps){0}, ret, err);
}

void loaded_release(struct loaded *l)
{
	view_release(&l->view);
	profile_release(&l->profile);
}
