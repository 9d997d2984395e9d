/* classic.h: other tools' names, and what Kiln does under them.
 *
 * A tool is a `const struct classic_tool` in a file of its family; meson.build names both. Called
 * by such a name (a link to kiln), Kiln takes that tool's options and prints what it prints. */
#ifndef KILN_COMMANDS_CLASSIC_CLASSIC_H
#define KILN_COMMANDS_CLASSIC_CLASSIC_H

#include "base/memory.h"
#include "base/options.h"
#include "readers/reading_style.h"

/* How a tool reads its options. */
enum classic_syntax {
	SYNTAX_PERL,	/* Getopt::Long: options_parse_perl; mistakes exit with 255 */
	SYNTAX_CLAP,	/* inferno's programs: options_parse_clap; mistakes exit with 2 */
	SYNTAX_LETTERS, /* Getopt::Std, awk and PHP: options_parse, up to the first operand;
			 * mistakes exit with 2 */
};

struct classic_tool {
	const char *name;  /* "stackcollapse-perf.pl" */
	const char *about; /* a phrase */
	const char *usage; /* what stands behind the name */
	enum classic_syntax syntax;
	void (*prepare)(void);	      /* before options are read; or NULL */
	const struct option *options; /* NULL: none */
	void *target;
	size_t operands; /* at least so many */

	/* Do it; returns the exit code. operands is NULL-terminated. */
	int (*run)(const struct classic_tool *tool, char **operands);

	/* Of tools that fold (classic_collapse): */
	const char *format; /* a reader's name */
	enum reading_tool reads_as;
	const char *transform; /* its name; NULL: none */
	const char *kind; /* the value to print when there is one of this kind; NULL: the first */
	int64_t divisor;  /* of values; 0: none */
	const char
		*unit; /* what values are in (units.h tells decimals); NULL: as the reader says */
	bool whole;    /* values are rounded to whole ones, stack by stack */
	bool without_idle; /* leaves out what the reader knows to be idle */
};

extern const struct classic_tool *const classic_tools[]; /* NULL-terminated */
/* By the path that a program was called by; NULL: none is called like that. */
const struct classic_tool *classic_by_path(const char *path);
/* What main() does when it was called by the tool's name. */
int classic_run(const struct classic_tool *tool, char **argv);

/* Print what was wrong with the options; returns the tool's exit code for it. */
int classic_usage_error(const struct classic_tool *tool, struct error *err);

/* Give up what reading `operands` (nothing: standard input) and writing to standard output does not
 * take, before the first byte is read. output: a file that is written, too, or NULL. */
void classic_confine(char *const *operands, const char *output);

/* What Perl's <> does about files that it cannot open: they are told, and passed over. Takes them
 * out of `operands`; how many there were. */
size_t classic_skip_unreadable(char **operands);

/* ---- Tools that fold (collapse.c) ---- */

struct collapse_settings {
	struct reading_style style; /* whose tool is struct classic_tool.reads_as */
	const char *event;	    /* struct read_options.event */
	const char *kind;	    /* struct classic_tool.kind, chosen by an option */
	VECTOR(const char *) bases; /* functions at which stacks begin that have them */
	struct arena base_texts;    /* of those that were not typed so */
	bool quiet;
	uint64_t ignored; /* numbers that make no difference here */
};
extern struct collapse_settings collapse_settings;

/* An option that sets a member of struct reading_style, and one that clears it. */
bool collapse_clear_style(void *, const struct option *, const char *, struct error *);
#define STYLE_MEMBER(member) offsetof(struct collapse_settings, style.member)
#define STYLE(title, member, text)                                                                 \
	{                                                                                          \
		.name = (title), .help = (text), .set = option_flag,                               \
		.offset = STYLE_MEMBER(member)                                                     \
	}

/* Read what the operands name (nothing: standard input) and print it as folded text. */
int classic_collapse(const struct classic_tool *tool, char **operands);

/* Members of a tool that folds what a reader reads: what it takes, how its options are written, the
 * reader's name, whose habits the reader follows. */
#define CLASSIC_FOLDS(takes, way, reader, tool)                                                    \
	CLASSIC_FOLDS_BY(classic_collapse, takes, way, reader, tool)
/* The same with more to do than classic_collapse() does. */
#define CLASSIC_FOLDS_BY(function, takes, way, reader, tool)                                       \
	.usage = takes " >STACKS.folded", .syntax = (way), .target = &collapse_settings,           \
	.run = (function), .format = (reader), .reads_as = (tool)

/* The same of inferno's programs; and the options that all of these take, by themselves and for
 * those that know modules. */
#define INFERNO_FOLDS(reader) CLASSIC_FOLDS("[OPTIONS] [FILE]", SYNTAX_CLAP, reader, TOOL_INFERNO)
extern const struct option inferno_options[], inferno_module_options[];

#define INFERNO_OPTIONS                                                                            \
	{.name = "nthreads",                                                                       \
		.letter = 'n',                                                                     \
		.argument = "N",                                                                   \
		.help = "accepted, has no effect",                                                 \
		.set = option_u64,                                                                 \
		.offset = offsetof(struct collapse_settings, ignored)},                            \
		{.name = "quiet",                                                                  \
			.letter = 'q',                                                             \
			.help = "print only errors",                                               \
			.set = option_flag,                                                        \
			.offset = offsetof(struct collapse_settings, quiet)},                      \
	{                                                                                          \
		.name = "verbose", .letter = 'v', .help = "accepted, has no effect",               \
		.set = option_ignored                                                              \
	}

#endif
