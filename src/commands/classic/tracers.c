/* tracers.c: what DTrace, SystemTap, bpftrace and other tracers of systems print, folded. */
#include "commands/classic/classic.h"

#include "readers/readers.h"

const struct classic_tool classic_stackcollapse_pl = {
	.name = "stackcollapse.pl",
	.about = "aggregations of stacks of DTrace to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "dtrace", STYLE_PERL),
};

const struct classic_tool classic_stackcollapse_stap_pl = {
	.name = "stackcollapse-stap.pl",
	.about = "stacks of SystemTap to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "stap", STYLE_PERL),
};

const struct classic_tool classic_stackcollapse_bpftrace_pl = {
	.name = "stackcollapse-bpftrace.pl",
	.about = "maps of stacks of bpftrace to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "bpftrace", STYLE_PERL),
	.kind = "samples",
};

const struct classic_tool classic_stackcollapse_aix_pl = {
	.name = "stackcollapse-aix.pl",
	.about = "stacks of AIX' procstack to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "aix", STYLE_PERL),
};

const struct classic_tool classic_stackcollapse_instruments_pl = {
	.name = "stackcollapse-instruments.pl",
	.about = "call trees copied from Xcode's Instruments to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "instruments", STYLE_PERL),
	.whole = true,
};

const struct classic_tool classic_stackcollapse_pmc_pl = {
	.name = "stackcollapse-pmc.pl",
	.about = "call graphs of pmcstat -G to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "pmc", STYLE_PERL),
};

const struct classic_tool classic_stackcollapse_wcp_pl = {
	.name = "stackcollapse-wcp.pl",
	.about = "reports of wallClockProfiler to folded text",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "wcp", STYLE_PERL),
};

/* ---- inferno ---- */

static const struct option inferno_options[] = {INFERNO_OPTIONS, {0}};

static const struct option dtrace_options[] = {
	{.name = "includeoffset",
		.help = "functions keep their offsets, except the innermost",
		.set = collapse_add_style,
		.offset = STYLE_OFFSETS},
	INFERNO_OPTIONS,
	{0},
};

const struct classic_tool classic_inferno_collapse_guess = {
	.name = "inferno-collapse-guess",
	.about = "stacks of any format to folded text",
	.usage = "[OPTIONS] [FILE] >STACKS.folded",
	.habit = HABIT_LETTERS,
	.options = inferno_options,
	.target = &collapse_settings,
	.run = classic_collapse,
	.style = STYLE_INFERNO,
};

const struct classic_tool classic_inferno_collapse_dtrace = {
	.name = "inferno-collapse-dtrace",
	.about = "aggregations of stacks of DTrace to folded text",
	INFERNO_FOLDS("dtrace"),
	.options = dtrace_options,
};

static const struct option sample_options[] = {
	{.name = "no-modules",
		.help = "functions without their modules",
		.set = collapse_add_style,
		.offset = STYLE_NO_MODULES},
	INFERNO_OPTIONS,
	{0},
};

const struct classic_tool classic_inferno_collapse_sample = {
	.name = "inferno-collapse-sample",
	.about = "call graphs of macOS' sample to folded text",
	INFERNO_FOLDS("sample"),
	.options = sample_options,
};

const struct classic_tool classic_inferno_collapse_xctrace = {
	.name = "inferno-collapse-xctrace",
	.about = "samples of Instruments, exported by xctrace, to folded text",
	INFERNO_FOLDS("xctrace"),
	.options = inferno_options,
	.kind = "samples",
};

/* ---- awk ---- */

/* awk's -v NAME=VALUE: MODULES=0 is all that there is to set. */
static bool set_variable(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct collapse_settings *s = target;

	(void)option;
	if (!strcmp(value, "MODULES=0"))
		s->style |= STYLE_NO_MODULES;
	else if (strcmp(value, "MODULES=1") != 0)
		return error_set(err, ERR_USAGE, "expected MODULES=0 or 1, got '%s'", value);
	return true;
}

static const struct option awk_options[] = {
	{.name = "variable",
		.letter = 'v',
		.argument = "MODULES=0",
		.help = "functions without their modules",
		.set = set_variable},
	{0},
};

const struct classic_tool classic_stackcollapse_sample_awk = {
	.name = "stackcollapse-sample.awk",
	.about = "call graphs of macOS' sample to folded text, without threads that wait",
	.usage = "[-v MODULES=0] [FILE...] >STACKS.folded",
	.habit = HABIT_LETTERS,
	.options = awk_options,
	.target = &collapse_settings,
	.run = classic_collapse,
	.format = "sample",
	.style = STYLE_PERL,
	.without_idle = true,
};

const struct classic_tool classic_stackcollapse_perf_sched_awk = {
	.name = "stackcollapse-perf-sched.awk",
	.about =
		"how long threads waited, from the scheduler's events in the text of `perf script`",
	CLASSIC_FOLDS("[FILE...]", HABIT_PERL, "perf-sched", STYLE_PERL),
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
		.set = option_granted},
	{.name = "calls", .letter = 'c', .help = "count calls", .set = set_calls},
	{0},
};

const struct classic_tool classic_stackcollapse_xdebug_php = {
	.name = "stackcollapse-xdebug.php",
	.about = "traces of Xdebug to folded text",
	.usage = "[-tc] [FILE...] >STACKS.folded",
	.habit = HABIT_LETTERS,
	.options = xdebug_options,
	.target = &collapse_settings,
	.run = classic_collapse,
	.format = "xdebug",
	.style = STYLE_PERL,
};
