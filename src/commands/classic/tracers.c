/* tracers.c: what DTrace, SystemTap, bpftrace and other tracers of systems print, folded. */
#include "commands/classic/classic.h"

const struct classic_tool classic_stackcollapse_pl = {
	.name = "stackcollapse.pl",
	.about = "DTrace stack aggregations to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "dtrace", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_stap_pl = {
	.name = "stackcollapse-stap.pl",
	.about = "SystemTap stacks to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "stap", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_bpftrace_pl = {
	.name = "stackcollapse-bpftrace.pl",
	.about = "bpftrace stack maps to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "bpftrace", TOOL_SCRIPTS),
	.kind = "samples",
};

const struct classic_tool classic_stackcollapse_aix_pl = {
	.name = "stackcollapse-aix.pl",
	.about = "AIX procstack stacks to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "aix", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_instruments_pl = {
	.name = "stackcollapse-instruments.pl",
	.about = "call trees copied from Xcode Instruments to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "instruments", TOOL_SCRIPTS),
	.whole = true,
};

const struct classic_tool classic_stackcollapse_pmc_pl = {
	.name = "stackcollapse-pmc.pl",
	.about = "pmcstat -G call graphs to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "pmc", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_wcp_pl = {
	.name = "stackcollapse-wcp.pl",
	.about = "wallClockProfiler reports to folded text",
	CLASSIC_FOLDS("[FILE...]", SYNTAX_PERL, "wcp", TOOL_SCRIPTS),
};

/* ---- inferno ---- */

static const struct option dtrace_options[] = {
	STYLE("includeoffset", offsets, "keep function offsets, except in the innermost frame"),
	INFERNO_OPTIONS,
	{0},
};

const struct classic_tool classic_inferno_collapse_guess = {
	.name = "inferno-collapse-guess",
	.about = "stacks of any format to folded text",
	INFERNO_FOLDS(NULL),
	.options = inferno_options,
};

const struct classic_tool classic_inferno_collapse_dtrace = {
	.name = "inferno-collapse-dtrace",
	.about = "DTrace stack aggregations to folded text",
	INFERNO_FOLDS("dtrace"),
	.options = dtrace_options,
};

const struct classic_tool classic_inferno_collapse_sample = {
	.name = "inferno-collapse-sample",
	.about = "macOS sample call graphs to folded text",
	INFERNO_FOLDS("sample"),
	.options = inferno_module_options,
};

const struct classic_tool classic_inferno_collapse_xctrace = {
	.name = "inferno-collapse-xctrace",
	.about = "Instruments samples, exported by xctrace, to folded text",
	INFERNO_FOLDS("xctrace"),
	.options = inferno_options,
	.kind = "samples",
};

/* ---- awk ---- */

/* A variable of a script, and the member of struct reading_style with its value, or (inverted) the
 * negated value. */
static const struct variable {
	const char *name;
	size_t member;
	bool inverted;
} sample_variables[] = {
	{"MODULES", offsetof(struct reading_style, no_modules), true},
	{0},
};

static const struct variable sched_variables[] = {
	{"recurse", offsetof(struct reading_style, wakers), false},
	{"recurse", offsetof(struct reading_style, waker_chains), false},
	{"record_wake_stack", offsetof(struct reading_style, wakers), false},
	{"record_tid", offsetof(struct reading_style, thread_ids), false},
	{0},
};

static bool is_assignment(const char *text)
{
	size_t len =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return len && text[len] == '=' && !is_digit(*text);
}

/* For awk, 0 and empty text are false. */
static void assign(const struct variable *variables, const char *text, struct reading_style *style)
{
	const char *value = strchr(text, '=') + 1;
	bool on = value[strspn(value, "+-.0")] != '\0';

	for (; variables->name; variables++) {
		size_t len = strlen(variables->name);

		if (strncmp(text, variables->name, len) != 0 || text[len] != '=')
			continue;
		*(bool *)((char *)style + variables->member) = on != variables->inverted;
	}
}

/* NAME=VALUE among the files is an assignment. */
static int collapse_awk(
	const struct classic_tool *tool, char **operands, const struct variable *variables)
{
	char **files = operands, **kept = operands;

	for (; *operands; operands++) {
		if (is_assignment(*operands))
			assign(variables, *operands, &collapse_settings.style);
		else
			*kept++ = *operands;
	}
	*kept = NULL;
	return classic_collapse(tool, files);
}

/* awk's -v NAME=VALUE; variables that the script's BEGIN sets cannot be set here. */
static bool set_variable(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct collapse_settings *s = target;

	(void)option;
	if (!is_assignment(value))
		return error_set(err, ERR_USAGE, "expected NAME=VALUE, got '%s'", value);
	assign(sched_variables, value, &s->style);
	return true;
}

#define VARIABLE(text)                                                                             \
	{                                                                                          \
		.name = "assign", .letter = 'v', .argument = "NAME=VALUE", .help = (text),         \
		.set = set_variable                                                                \
	}

static int run_sample(const struct classic_tool *tool, char **operands)
{
	return collapse_awk(tool, operands, sample_variables);
}

static const struct option sample_awk_options[] = {
	VARIABLE("accepted, has no effect: write MODULES=0 before the FILE"),
	{0},
};

const struct classic_tool classic_stackcollapse_sample_awk = {
	.name = "stackcollapse-sample.awk",
	.about = "macOS sample call graphs to folded text, without waiting threads",
	CLASSIC_FOLDS_BY(
		run_sample, "[MODULES=0] [FILE...]", SYNTAX_LETTERS, "sample", TOOL_SCRIPTS),
	.options = sample_awk_options,
	.without_idle = true,
};

static int run_sched(const struct classic_tool *tool, char **operands)
{
	return collapse_awk(tool, operands, sched_variables);
}

static const struct option sched_options[] = {
	VARIABLE("recurse=1: add the chain of wakers; record_wake_stack=1: add the waker; "
		 "record_tid=1: add thread ids"),
	{0},
};

const struct classic_tool classic_stackcollapse_perf_sched_awk = {
	.name = "stackcollapse-perf-sched.awk",
	.about = "waiting time of threads, from scheduler events in `perf script` text",
	CLASSIC_FOLDS_BY(run_sched, "[-v NAME=VALUE]... [FILE...]", SYNTAX_LETTERS, "perf-sched",
		TOOL_SCRIPTS),
	.options = sched_options,
	.divisor = 1000,
};

/* ---- PHP ---- */

static bool set_calls(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)option;
	(void)value;
	(void)err;
	((struct collapse_settings *)target)->kind = "calls";
	return true;
}

static const struct option xdebug_options[] = {
	{.name = "time",
		.letter = 't',
		.help = "weigh stacks by time (default)",
		.set = option_ignored},
	{.name = "calls", .letter = 'c', .help = "count calls", .set = set_calls},
	{0},
};

const struct classic_tool classic_stackcollapse_xdebug_php = {
	.name = "stackcollapse-xdebug.php",
	.about = "Xdebug traces to folded text",
	CLASSIC_FOLDS("[-tc] [FILE...]", SYNTAX_LETTERS, "xdebug", TOOL_SCRIPTS),
	.options = xdebug_options,
};
