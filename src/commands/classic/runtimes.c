/* runtimes.c: thread dumps and backtraces of runtimes and debuggers, folded. */
#include "commands/classic/classic.h"

/* clang-format off */
/* "name!" of Getopt::Long: --noname undoes it. */
#define NOT(title, member) \
	{.name = "no-" title, .set = collapse_clear_style, .offset = STYLE_MEMBER(member)}, \
	{.name = "no" title, .set = collapse_clear_style, .offset = STYLE_MEMBER(member)}
/* clang-format on */

const struct classic_tool classic_stackcollapse_gdb_pl = {
	.name = "stackcollapse-gdb.pl",
	.about = "gdb backtraces to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "gdb", TOOL_SCRIPTS),
};

static const struct option elfutils_options[] = {
	STYLE("pid", process_ids, "separate processes"),
	STYLE("tid", thread_ids, "separate threads"),
	{0},
};

const struct classic_tool classic_stackcollapse_elfutils_pl = {
	.name = "stackcollapse-elfutils.pl",
	.about = "eu-stack stacks to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "eu-stack", TOOL_SCRIPTS),
	.options = elfutils_options,
};

const struct classic_tool classic_stackcollapse_faulthandler_pl = {
	.name = "stackcollapse-faulthandler.pl",
	.about = "Python faulthandler tracebacks to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "faulthandler", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_go_pl = {
	.name = "stackcollapse-go.pl",
	.about = "`go tool pprof -raw` text to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "go-raw", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_chrome_tracing_py = {
	.name = "stackcollapse-chrome-tracing.py",
	.about = "Chrome traces to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "chrome-trace", TOOL_SCRIPTS),
	.unit = "us/1000",
};

/* ---- Java ---- */

const struct classic_tool classic_stackcollapse_ljp_awk = {
	.name = "stackcollapse-ljp.awk",
	.about = "Lightweight Java Profiler reports to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "ljp", TOOL_SCRIPTS),
};

static const struct option threads_options[] = {
	{.name = "include-tname",
		.help = "add a root frame with the thread (default)",
		.set = collapse_clear_style,
		.offset = STYLE_MEMBER(no_thread_names)},
	{.name = "no-include-tname",
		.help = "add no root frame",
		.set = option_flag,
		.offset = STYLE_MEMBER(no_thread_names)},
	{.name = "noinclude-tname", .set = option_flag, .offset = STYLE_MEMBER(no_thread_names)},
	STYLE("include-tid", thread_ids, "keep numbers in thread names"),
	NOT("include-tid", thread_ids),
	STYLE("shorten-pkgs", short_packages, "shorten packages to initials"),
	NOT("shorten-pkgs", short_packages),
	{0},
};

const struct classic_tool classic_stackcollapse_jstack_pl = {
	.name = "stackcollapse-jstack.pl",
	.about = "Java thread dumps to folded text: running threads",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "jstack", TOOL_SCRIPTS),
	.options = threads_options,
	.without_idle = true,
};

const struct classic_tool classic_stackcollapse_ibmjava_pl = {
	.name = "stackcollapse-ibmjava.pl",
	.about = "javacore threads to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "javacore", TOOL_SCRIPTS),
	.options = threads_options,
	.without_idle = true,
};

static const struct option exceptions_options[] = {
	STYLE("shorten-pkgs", short_packages, "shorten packages to initials"),
	NOT("shorten-pkgs", short_packages),
	STYLE("no-pkgs", no_packages, "leave out packages"),
	NOT("no-pkgs", no_packages),
	{0},
};

const struct classic_tool classic_stackcollapse_java_exceptions_pl = {
	.name = "stackcollapse-java-exceptions.pl",
	.about = "Java exception stack traces to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE...]", SYNTAX_PERL, "java-exceptions", TOOL_SCRIPTS),
	.options = exceptions_options,
};
