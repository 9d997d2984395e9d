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
	const char *usage; /* the arguments, for usage messages */
	enum classic_syntax syntax;
	void (*prepare)(void);	      /* before options are read; or NULL */
	const struct option *options; /* NULL: none */
	void *target;
	size_t operands; /* the minimum number of operands */

	/* Do it; returns the exit code. operands is NULL-terminated. */
	int (*run)(const struct classic_tool *tool, char **operands);

	/* Of tools that fold (classic_collapse): */
	const char *format; /* a reader's name */
	enum reading_tool reads_as;
	const char *transform; /* its name; NULL: none */
	const char *kind;  /* the value to print when there is one of this kind; NULL: the first */
	int64_t divisor;   /* of values; 0: none */
	const char *unit;  /* unit of the values (units.h has its decimals); NULL: the reader's */
	bool whole;	   /* values are rounded to whole ones, stack by stack */
	bool without_idle; /* leaves out what the reader knows to be idle */
};

extern const struct classic_tool *const classic_tools[]; /* NULL-terminated */
/* Find a tool by the path that the program was called with; NULL: none. */
const struct classic_tool *classic_by_path(const char *path);
/* The main function under the tool's name. */
int classic_run(const struct classic_tool *tool, char **argv);

/* Print what was wrong with the options; returns the tool's exit code for it. */
int classic_usage_error(const struct classic_tool *tool, struct error *err);

/* Drop all permissions except those to read `operands` (none: standard input) and to write standard
 * output, before the first byte is read. output: another file that is written, or NULL. */
void classic_confine(char *const *operands, const char *output);

/* Report files that cannot be opened and skip them, as Perl's <> does. Removes them from
 * `operands`; returns their number. */
size_t classic_skip_unreadable(char **operands);

/* ---- Tools that fold (collapse.c) ---- */

struct collapse_settings {
	struct reading_style style; /* the style of struct classic_tool.reads_as */
	const char *event;	    /* struct read_options.event */
	const char *kind;	    /* struct classic_tool.kind, chosen by an option */
	VECTOR(const char *) bases; /* functions that become the roots of the stacks with them */
	struct arena base_texts;    /* bases with the marks that perf.c appends */
	bool quiet;
	uint64_t ignored; /* accepted numbers without an effect */
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

/* Members of a tool that folds: its description, its kind of options, the reader's name, the tool
 * whose style the reader follows. */
#define CLASSIC_FOLDS(takes, way, reader, tool)                                                    \
	CLASSIC_FOLDS_BY(classic_collapse, takes, way, reader, tool)
/* The same, with a function other than classic_collapse(). */
#define CLASSIC_FOLDS_BY(function, takes, way, reader, tool)                                       \
	.usage = takes " >STACKS.folded", .syntax = (way), .target = &collapse_settings,           \
	.run = (function), .format = (reader), .reads_as = (tool)

/* The same for inferno's programs; and the options common to all of them and to those with
 * modules. */
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
