/* perf.c: text of `perf script` folded as stackcollapse-perf.pl and inferno-collapse-perf do it. */
#include "commands/classic/classic.h"

#include "commands/commands.h"
#include "readers/readers.h"

/* clang-format off */
#define STYLE(title, bits, text) \
	{.name = (title), .help = (text), .set = collapse_add_style, .offset = (bits)}
#define EVENT_FILTER \
	{.name = "event-filter", .argument = "EVENT", .help = "only this event (default: the first)", \
		.set = option_text, .offset = offsetof(struct collapse_settings, event)}
/* clang-format on */

/* What addr2line knows, perf prints itself since Linux 4.14. */
static bool leave_out(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)value;
	(void)err;
	say("--%s makes no difference: perf script names inlined functions itself", option->name);
	return true;
}

static bool add_base(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct collapse_settings *s = target;

	(void)option;
	(void)err;
	vector_push(&s->bases, value);
	return true;
}

static const struct option perl_options[] = {
	STYLE("pid", STYLE_PID, "tell processes apart: comm-PID"),
	STYLE("tid", STYLE_TID, "tell threads apart: comm-PID/TID"),
	STYLE("kernel", STYLE_KERNEL, "mark kernel functions with _[k]"),
	STYLE("jit", STYLE_JIT, "mark functions of a JIT compiler with _[j]"),
	STYLE("all", STYLE_KERNEL | STYLE_JIT, "both marks"),
	STYLE("addrs", STYLE_ADDRS, "tell the address of what has no name"),
	STYLE("srcline", STYLE_LINES,
		"add the source line below each frame (perf script -F +srcline)"),
	EVENT_FILTER,
	{.name = "inline", .help = "makes no difference: perf script does it", .set = leave_out},
	{.name = "context", .help = "makes no difference: see --srcline", .set = leave_out},
	{0},
};

const struct classic_tool classic_stackcollapse_perf_pl = {
	.name = "stackcollapse-perf.pl",
	.about = "text of `perf script` to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "perf-script", STYLE_PERL),
	.options = perl_options,
};

static const struct option inferno_options[] = {
	STYLE("pid", STYLE_PID, "tell processes apart: comm-PID"),
	STYLE("tid", STYLE_TID, "tell threads apart: comm-PID/TID"),
	STYLE("kernel", STYLE_KERNEL, "mark kernel functions with _[k]"),
	STYLE("jit", STYLE_JIT, "mark functions of a JIT compiler with _[j]"),
	STYLE("all", STYLE_KERNEL | STYLE_JIT, "both marks"),
	STYLE("addrs", STYLE_ADDRS, "tell the address of what has no name"),
	EVENT_FILTER,
	{.name = "skip-after",
		.argument = "FUNCTION",
		.help = "stacks with it begin there; may be given more than once",
		.set = add_base},
	INFERNO_OPTIONS,
	{0},
};

const struct classic_tool classic_inferno_collapse_perf = {
	.name = "inferno-collapse-perf",
	.about = "text of `perf script` to folded text",
	INFERNO_FOLDS("perf-script"),
	.options = inferno_options,
};
