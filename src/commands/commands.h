/* commands.h: `kiln NAME`. One file, one line in meson.build, one manual page, one CLI test each.
 *
 * The floor in short: main.c finds the command. Most commands read a profile, apply transforms and
 * write one output: those are a struct pipeline (pipeline.h), which loads by load.h. record.c
 * records, with record_*.h for names, output and summary; diff.c compares, with diff_*.h; view.c
 * starts the server. confined.h gives up rights before input is read. classic/ has the commands
 * that other tools' names stand for. */
#ifndef KILN_COMMANDS_COMMANDS_H
#define KILN_COMMANDS_COMMANDS_H

#include "base/options.h"

/* What a command's operands are, for shell completion. */
enum operands {
	OPERANDS_FILES,
	OPERANDS_NONE,
	OPERANDS_PROGRAM,  /* a program and its arguments, behind "--" */
	OPERANDS_COMMANDS, /* names of Kiln's commands */
	OPERANDS_SHELLS,
};

struct command {
	const char *name;
	const char *about;   /* a phrase for `kiln help` */
	const char *usage;   /* the text behind "kiln ", one form of the command a line */
	const char *notes;   /* paragraphs under the options in --help, or NULL */
	const char *details; /* more of them, for `kiln help --all`, or NULL */
	enum operands operands;

	/* The command's option groups (static storage), ended by {0}; -h, -q and -v are added to
	 * every command. NULL: has none of its own. */
	const struct option_group *(*groups)(void);
	bool stop_at_operand; /* options end at the first operand (record -- CMD) */

	/* Do it; returns the exit code. operands is NULL-terminated. */
	int (*run)(char **operands);
};

/* Groups that a command may have, the general one and the end included. */
#define COMMAND_GROUPS 32u

extern const struct command *const commands[]; /* NULL-terminated */
const struct command *command_by_name(const char *name);
const char *command_nearest(const char *name); /* NULL: nothing is near */

/* The command's groups and the general one (-h, -q, -v), ended by {0}. */
void command_all_groups(
	const struct command *command, struct option_group ret_groups[COMMAND_GROUPS]);
/* Read the options behind argv[0] and do it; returns the exit code. */
int command_run(const struct command *command, char **argv);
/* Append the text of `kiln help NAME`, wrapped at `width` columns; with `all` every option
 * (options_help). */
void command_explain(const struct command *command, bool all, size_t width, struct buffer *out);

extern int verbosity; /* -1 quiet, 0, 1 verbose */

/* Print "kiln: TEXT" on stderr, unless quiet. */
__attribute__((format(printf, 1, 2))) void print_notice(const char *fmt, ...);
int fail(const struct error *err); /* print it, even when quiet; returns its exit code */

/* Print to standard output; returns the exit code: 0, or 1 when it could not be written. */
int print(const struct buffer *text);

#endif
