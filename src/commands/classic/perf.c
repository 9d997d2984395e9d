/* perf.c: text of `perf script` folded as stackcollapse-perf.pl and inferno-collapse-perf do it. */
#include "commands/classic/classic.h"

#include "commands/commands.h"
#include "names/tidy.h"

static bool set_marks(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct reading_style *style = &((struct collapse_settings *)target)->style;

	(void)option;
	(void)value;
	(void)err;
	style->mark_kernel = style->mark_jit = true;
	return true;
}

/* clang-format off */
/* Options of both tools. */
#define STYLES \
	STYLE("pid", process_ids, "separate processes: comm-PID"), \
	STYLE("tid", thread_ids, "separate threads: comm-PID/TID"), \
	STYLE("kernel", mark_kernel, "mark kernel functions with _[k]"), \
	STYLE("jit", mark_jit, "mark functions of a JIT compiler with _[j]"), \
	{.name = "all", .help = "both marks", .set = set_marks}, \
	STYLE("addrs", addresses, "print the address where there is no name")
#define EVENT_FILTER \
	{.name = "event-filter", .argument = "EVENT", .help = "only this event (default: the first)", \
		.set = option_text, .offset = offsetof(struct collapse_settings, event)}
/* clang-format on */

static void add_name(struct collapse_settings *s, struct bytes name)
{
	static const char *const marks[] = {"", "_[k]", "_[i]", "_[j]"};
	struct buffer marked = {0};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		buffer_set(&marked, name);
		buffer_text(&marked, marks[i]);
		vector_push(&s->bases, arena_copy(&s->base_texts, marked.at, marked.len));
	}
	buffer_release(&marked);
}

/* A base function as perf prints it; frames have it without parameters, perhaps with a mark. */
static bool add_base(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct collapse_settings *s = target;
	struct buffer name = {0};

	(void)option;
	(void)err;
	vector_push(&s->bases, value);
	tidy_name_inferno(bytes_of(value), &name);
	add_name(s, buffer_bytes(&name));
	add_name(s, tidy_java(buffer_bytes(&name)));
	buffer_release(&name);
	return true;
}

static const struct option perl_options[] = {
	STYLES,
	STYLE("srcline", source_lines,
		"add the source line below each frame (perf script -F +srcline)"),
	EVENT_FILTER,
	STYLE("inline", inlined, "name functions and inlined functions from the binaries"),
	STYLE("context", inlined_places, "with --inline: add files and lines"),
	{0},
};

const struct classic_tool classic_stackcollapse_perf_pl = {
	.name = "stackcollapse-perf.pl",
	.about = "`perf script` text to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "perf-script", TOOL_SCRIPTS),
	.options = perl_options,
};

static const struct option inferno_perf_options[] = {
	STYLES,
	EVENT_FILTER,
	{.name = "skip-after",
		.argument = "FUNCTION",
		.help = "start stacks at this function; can be repeated",
		.set = add_base},
	INFERNO_OPTIONS,
	{0},
};

const struct classic_tool classic_inferno_collapse_perf = {
	.name = "inferno-collapse-perf",
	.about = "`perf script` text to folded text",
	INFERNO_FOLDS("perf-script"),
	.options = inferno_perf_options,
};
