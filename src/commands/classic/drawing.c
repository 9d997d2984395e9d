/* drawing.c: folded text drawn as flamegraph.pl and inferno-flamegraph do it. */
#include "base/output_file.h"
#include "commands/classic/classic.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/units.h"
#include "commands/commands.h"
#include "commands/pipeline.h"
#include "readers/readers.h"
#include "renderers/svg_options.h"
#include "transforms/base.h"
#include "transforms/transforms.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOW_COUNT 100 /* samples: fewer are probably a mistake */

static struct svg_settings settings;

static struct drawing {
	bool reverse, quiet;
	const char *total; /* as typed */
	VECTOR(const char *) bases;
} own;

/* ---- Options: those of the SVG renderer, by the names that each tool has ---- */

#define OPTIONS_LIMIT 48u

static bool set_reverse(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)option;
	(void)value;
	(void)err;
	return own.reverse = true;
}

static bool set_quiet(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)option;
	(void)value;
	(void)err;
	return own.quiet = true;
}

/* For Perl, text behind a number, or no number, means 0: no total. */
static bool set_total(
	void *target, const struct option *option, const char *value, struct error *err)
{
	double *total = (double *)((char *)target + option->offset);

	(void)err;
	own.total = value;
	if (!bytes_double(bytes_of(value), total) || *total < 0)
		*total = 0;
	return true;
}

/* "0.5" or "1%", but not "1e-3". */
static bool set_narrowest(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct svg_settings *s = target;
	struct bytes text = bytes_of(value);

	s->min_is_percent = bytes_ends_with(text, BYTES("%"));
	text.len -= s->min_is_percent;
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] != '.' && !is_digit(text.at[i]))
			text.len = 0;
	return (text.len && bytes_double(text, (double *)((char *)target + option->offset))) ||
	       error_set(err, ERR_USAGE, "expected pixels, or a share such as 0.1%%, got '%s'",
		       value);
}

/* Unknown names are black. */
static bool set_palette(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct error none = {0};

	(void)err;
	if (!option_choice(target, option, value, &none))
		((struct svg_settings *)target)->palette = PALETTE_BLACK;
	return true;
}

static bool set_notes(
	void *target, const struct option *option, const char *value, struct error *err)
{
	if (strpbrk(value, "<>"))
		return error_set(err, ERR_USAGE, "expected text without < and >");
	return option_text(target, option, value, err);
}

static bool set_percent(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct svg_settings *s = target;

	s->min_is_percent = true;
	return option_double(target, option, value, err);
}

static bool add_base(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)option;
	(void)err;
	vector_push(&own.bases, value);
	return true;
}

#define AT(member) offsetof(struct svg_settings, member)
static const struct option only_perl[] = {
	{.name = "reverse", .help = "merge stacks from their leaves", .set = set_reverse},
	{.name = "total",
		.argument = "N",
		.help = "the value of the full width, if it is more than the sum",
		.set = set_total,
		.offset = AT(total)},
	{.name = "minwidth",
		.argument = "PIXELS|N%",
		.help = "leave out frames narrower than this (default 0.1)",
		.set = set_narrowest,
		.offset = AT(min_width)},
	{.name = "colors",
		.argument = "PALETTE",
		.help = "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, "
			"yellow, purple or orange",
		.set = set_palette,
		.offset = AT(palette),
		.choices = palette_names},
	{.name = "notes",
		.argument = "TEXT",
		.help = "write this comment into the file",
		.set = set_notes,
		.offset = AT(notes)},
	{.name = "encoding",
		.argument = "NAME",
		.help = "accepted, has no effect: the encoding is UTF-8",
		.set = option_ignored},
	{0},
};

static const struct option only_inferno[] = {
	{.name = "reverse", .help = "merge stacks from their leaves", .set = set_reverse},
	{.name = "base",
		.argument = "FUNCTION",
		.help = "only this function and its callees; can be repeated",
		.set = add_base},
	{.name = "minwidth",
		.argument = "PERCENT",
		.help = "leave out frames narrower than this (default 0.01)",
		.set = set_percent,
		.offset = AT(min_width)},
	{.name = "no-sort",
		.help = "keep the order of lines",
		.set = option_flag,
		.offset = AT(unsorted)},
	{.name = "deterministic",
		.help = "use the same colours in every run",
		.set = option_flag,
		.offset = AT(deterministic)},
	{.name = "quiet", .letter = 'q', .help = "print only errors", .set = set_quiet},
	{.name = "verbose",
		.letter = 'v',
		.help = "accepted, has no effect",
		.set = option_ignored},
	{0},
};

static const char *const of_perl[] = {"title", "subtitle", "width", "height", "fonttype",
	"fontsize", "fontwidth", "countname", "nametype", "nameattr", "factor", "bgcolors", "hash",
	"random", "cp", "inverted", "flamechart", "negate", NULL};

static const char *const of_inferno[] = {"title", "subtitle", "width", "height", "fonttype",
	"fontsize", "fontwidth", "countname", "nametype", "nameattr", "factor", "colors",
	"bgcolors", "hash", "cp", "inverted", "flamechart", "negate", "notes", "colordiffusion",
	"search-color", "stroke-color", "uicolor", "no-javascript", "pretty-xml",
	"truncate-text-right", NULL};

static struct option options[OPTIONS_LIMIT];

static void collect_options(const char *const *names, const struct option *others)
{
	size_t count = 0;

	for (; *names; names++) {
		const struct option *o = svg_options;

		while (strcmp(o->name, *names) != 0)
			o++;
		options[count] = *o;
		if (!options[count].help)
			options[count].help = "accepted, has no effect";
		count++;
	}
	while (others->name)
		options[count++] = *others++;
	options[count] = (struct option){0};
}

static void set_defaults(enum svg_rules rules)
{
	svg_defaults(&settings);
	settings.rules = rules;
	settings.changes = CHANGES_CLASSIC;
	settings.palette = PALETTE_HOT;
	settings.count_name = "samples";
}

static void prepare_perl(void)
{
	set_defaults(RULES_PERL);
	settings.width = 1200;
	collect_options(of_perl, only_perl);
}

static void give_letter(const char *name, char letter)
{
	for (struct option *o = options; o->name; o++)
		if (!strcmp(o->name, name))
			o->letter = letter;
}

static void prepare_inferno(void)
{
	set_defaults(RULES_INFERNO);
	settings.min_width = 0.01;
	settings.min_is_percent = true;
	settings.font_type = "monospace";
	collect_options(of_inferno, only_inferno);
	give_letter("inverted", 'i');
	give_letter("colors", 'c');
}

/* ---- Messages ---- */

__attribute__((format(printf, 1, 2))) static void warn(const char *fmt, ...)
{
	struct buffer text = {0};
	struct error ignored = {0};
	char line[512];
	va_list arguments;

	va_start(arguments, fmt);
	vsnprintf(line, sizeof(line), fmt, arguments);
	va_end(arguments);
	buffer_printf(&text, "%s\n", line);
	if (!own.quiet)
		output_write_fd(STDERR_FILENO, buffer_bytes(&text), &ignored);
	buffer_release(&text);
}

/* The sum of all drawn values. */
static double sum_of(const struct profile *p)
{
	const struct stream *s = p->streams.len ? &p->streams.items[p->streams.len - 1] : NULL;
	double sum = 0;

	for (size_t i = 0; s && i < s->value.len; i++)
		sum += (double)s->value.items[i];
	return s ? sum / pow(10, units_decimals(profile_text(p, s->row.unit))) : 0;
}

static void print_perl_warnings(const struct profile *p, double sum)
{
	uint64_t ignored = 0;

	if (settings.rules == RULES_PERL && sum < LOW_COUNT &&
		!strcmp(settings.count_name, "samples"))
		warn("Stack count is low (%.15g). Did something go wrong?", sum);
	if (bytes_u64(profile_meta(p, BYTES("ignored")), &ignored) && ignored)
		warn("Ignored %llu lines with invalid format", (unsigned long long)ignored);
	if (sum > 0 && settings.total > 0 && settings.total < sum && settings.total / sum > 0.02)
		warn("Specified --total %s is less than actual total %.15g, so ignored", own.total,
			sum);
}

/* Draw the error as a picture, too, for viewers that show the output in any case. */
static int draw_nothing(const struct classic_tool *tool)
{
	bool perl = settings.rules == RULES_PERL;
	unsigned long long width = settings.width ? settings.width : 1200;
	double size = settings.font_size;
	struct buffer svg = {0};

	warn("ERROR: No stack counts found");
	buffer_printf(&svg,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<svg "
		"version=\"1.1\" "
		"width=\"%llu\" height=\"%g\" viewBox=\"0 0 %llu %g\" "
		"xmlns=\"http://www.w3.org/2000/svg\">\n<text x=\"%llu\" y=\"%g\">ERROR: No valid "
		"input provided to %s.</text>\n</svg>\n",
		width, size * 5, width, size * 5, width / 2, size * 2,
		perl ? tool->name : "flamegraph");
	print(&svg);
	buffer_release(&svg);
	return perl ? 2 : 1;
}

/* ---- Chains ---- */

static bool is_separator(const struct profile *p, location_id location)
{
	struct span names = p->location_names.items[location];
	frame_id frame = names.count ? p->location_frames.items[names.first] : 0;

	return bytes_equal(profile_text(p, p->frames.items[frame].function), BYTES("--"));
}

/* For every stack: does it contain a separator above another frame? */
static bool *find_separated(const struct profile *p)
{
	bool *separated = memory_new(p->stack_caller.len, sizeof(*separated));

	for (stack_id i = 1; i < p->stack_caller.len; i++) {
		stack_id caller = p->stack_caller.items[i];

		separated[i] = separated[caller] ||
			       (caller && is_separator(p, p->stack_location.items[i]));
	}
	return separated;
}

/* For every stack: the same stack with `location` below its root. */
static stack_id *stacks_upon(struct profile *p, location_id location)
{
	size_t count = p->stack_caller.len;
	stack_id *upon = memory_new(count, sizeof(*upon));

	upon[0] = profile_stack(p, 0, location);
	for (stack_id i = 1; i < count; i++)
		upon[i] = profile_stack(
			p, upon[p->stack_caller.items[i]], p->stack_location.items[i]);
	return upon;
}

/* With the palette chain, "--" separates a stack from those of its wakers. If a stack has none,
 * Perl appends one to it: at its later top. */
static void end_chains(struct profile *p)
{
	bool *separated = find_separated(p);
	location_id location =
		profile_location_named(p, profile_frame_named(p, BYTES("--"), FRAME_NATIVE));
	stack_id *upon = own.reverse ? stacks_upon(p, location) : NULL;

	for (size_t t = 0; t < p->samples.len; t++)
		for (size_t i = 0; i < p->samples.items[t].count; i++) {
			stack_id *stack = &p->samples.items[t].stack.items[i];

			if (!separated[p->stack_caller.items[*stack]])
				*stack = upon ? upon[*stack] : profile_stack(p, *stack, location);
		}
	free(upon);
	free(separated);
}

/* ---- Drawing ---- */

static bool shape(struct view *v, struct error *err)
{
	view_init(v, v->profile, BY_FUNCTION);
	if (!view_select(v, (struct bytes){0}, false, err))
		return false;
	if (own.bases.len)
		view_begin_at(v, own.bases.items, own.bases.len, false);
	return !own.reverse || transform_apply(transform_by_name("reverse"), v, NULL, err);
}

/* Are there frames above the bases? */
static bool has_values(const struct view *v)
{
	size_t nodes = v->tree.caller.len, i = 0;
	int64_t *self = memory_new(nodes, sizeof(*self));

	view_self(v, self);
	while (i < nodes && self[i] <= 0)
		i++;
	free(self);
	return i < nodes;
}

static int draw(const struct classic_tool *tool, const struct profile *p)
{
	struct view view = {.profile = p};
	struct error err = {0};
	bool shaped = shape(&view, &err);
	int code = 0;

	if (shaped && own.bases.len && !has_values(&view))
		code = draw_nothing(tool);
	else if (!shaped || !pipeline_render(&view, renderer_by_name("svg"), &settings, "-",
				    OUTPUT_MODE, &err))
		code = fail(&err);
	view_release(&view);
	return code;
}

static int run(const struct classic_tool *tool, char **operands)
{
	char nothing[] = "/dev/null", *standard[] = {(char[]){"-"}, NULL};
	const struct reading_style style = {.tool = tool->reads_as};
	const struct loading_request request = {.as_written = true,
		.style = &style,
		.want = settings.chart || settings.unsorted ? WANT_TIMES : 0};
	struct error err = {0};
	struct loading loading;
	struct profile profile;
	double sum = 0;
	int code;

	if (!svg_settings_check(&settings, &err))
		return classic_usage_error(tool, &err);
	if (settings.rules == RULES_PERL) {
		if (settings.title && !*settings.title)
			settings.title = NULL;
		if (classic_skip_unreadable(operands) && !*operands)
			standard[0] = nothing;
	}
	classic_confine(operands, svg_settings_palette(&settings));
	loading_init(&loading, &(struct loading_options){.format = "folded"});
	if (!loading_read_files(
		    &loading, *operands ? operands : standard, &request, &profile, &err) &&
		err.code != ERR_FORMAT) {
		code = fail(&err);
	} else {
		sum = sum_of(&profile);
		print_perl_warnings(&profile, sum);
		if (settings.rules == RULES_PERL && settings.palette == PALETTE_CHAIN)
			end_chains(&profile);
		code = sum > 0 ? draw(tool, &profile) : draw_nothing(tool);
	}
	profile_release(&profile);
	loading_release(&loading);
	vector_release(&own.bases);
	return code;
}

const struct classic_tool classic_flamegraph_pl = {
	.name = "flamegraph.pl",
	.about = "folded text to a flame graph",
	.usage = "[OPTIONS] [FILE...] >PICTURE.svg",
	.syntax = SYNTAX_PERL,
	.prepare = prepare_perl,
	.options = options,
	.target = &settings,
	.run = run,
	.reads_as = TOOL_SCRIPTS,
};

const struct classic_tool classic_inferno_flamegraph = {
	.name = "inferno-flamegraph",
	.about = "folded text to a flame graph",
	.usage = "[OPTIONS] [FILE...] >PICTURE.svg",
	.syntax = SYNTAX_CLAP,
	.prepare = prepare_inferno,
	.options = options,
	.target = &settings,
	.run = run,
	.reads_as = TOOL_INFERNO,
};
