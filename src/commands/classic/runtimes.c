/* runtimes.c: thread dumps and backtraces of runtimes and debuggers, folded. */
#include "commands/classic/classic.h"

#include "readers/readers.h"

/* clang-format off */
/* What Getopt::Long writes as "name!": it can be taken back. */
#define NOT(title, bits) \
	{.name = "no-" title, .set = collapse_drop_style, .offset = (bits)}, \
	{.name = "no" title, .set = collapse_drop_style, .offset = (bits)}
/* clang-format on */

const struct classic_tool classic_stackcollapse_gdb_pl = {
	.name = "stackcollapse-gdb.pl",
	.about = "backtraces of gdb to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "gdb", STYLE_PERL),
};

static const struct option elfutils_options[] = {
	STYLE("pid", STYLE_PID, "tell processes apart"),
	STYLE("tid", STYLE_TID, "tell threads apart"),
	{0},
};

const struct classic_tool classic_stackcollapse_elfutils_pl = {
	.name = "stackcollapse-elfutils.pl",
	.about = "stacks of eu-stack to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "eu-stack", STYLE_PERL),
	.options = elfutils_options,
};

const struct classic_tool classic_stackcollapse_faulthandler_pl = {
	.name = "stackcollapse-faulthandler.pl",
	.about = "tracebacks of Python's faulthandler to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "faulthandler", STYLE_PERL),
};

const struct classic_tool classic_stackcollapse_go_pl = {
	.name = "stackcollapse-go.pl",
	.about = "text of `go tool pprof -raw` to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "go-raw", STYLE_PERL),
};

const struct classic_tool classic_stackcollapse_chrome_tracing_py = {
	.name = "stackcollapse-chrome-tracing.py",
	.about = "Chrome's traces to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "chrome-trace", STYLE_PERL),
	.unit = "us/1000",
};

/* ---- Java ---- */

const struct classic_tool classic_stackcollapse_ljp_awk = {
	.name = "stackcollapse-ljp.awk",
	.about = "reports of the Lightweight Java Profiler to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "ljp", STYLE_PERL),
};

static const struct option threads_options[] = {
	{.name = "include-tname",
		.help = "root frames tell the thread (default)",
		.set = collapse_drop_style,
		.offset = STYLE_NO_THREAD_NAMES},
	{.name = "no-include-tname",
		.help = "they do not",
		.set = collapse_add_style,
		.offset = STYLE_NO_THREAD_NAMES},
	{.name = "noinclude-tname", .set = collapse_add_style, .offset = STYLE_NO_THREAD_NAMES},
	STYLE("include-tid", STYLE_TID, "names of threads keep their numbers"),
	NOT("include-tid", STYLE_TID),
	STYLE("shorten-pkgs", STYLE_SHORT_PACKAGES, "packages by their initials"),
	NOT("shorten-pkgs", STYLE_SHORT_PACKAGES),
	{0},
};

const struct classic_tool classic_stackcollapse_jstack_pl = {
	.name = "stackcollapse-jstack.pl",
	.about = "thread dumps of Java to folded text: threads that run",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "jstack", STYLE_PERL),
	.options = threads_options,
	.without_idle = true,
};

const struct classic_tool classic_stackcollapse_ibmjava_pl = {
	.name = "stackcollapse-ibmjava.pl",
	.about = "threads of javacore files to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "javacore", STYLE_PERL),
	.options = threads_options,
	.without_idle = true,
};

static const struct option exceptions_options[] = {
	STYLE("shorten-pkgs", STYLE_SHORT_PACKAGES, "packages by their initials"),
	NOT("shorten-pkgs", STYLE_SHORT_PACKAGES),
	STYLE("no-pkgs", STYLE_NO_PACKAGES, "no packages"),
	NOT("no-pkgs", STYLE_NO_PACKAGES),
	{0},
};

const struct classic_tool classic_stackcollapse_java_exceptions_pl = {
	.name = "stackcollapse-java-exceptions.pl",
	.about = "stack traces of Java exceptions to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", HABIT_PERL, "java-exceptions", STYLE_PERL),
	.options = exceptions_options,
};
