/* commands.h: `kiln NAME`. One file, one line in meson.build, one manual page, one CLI test each. */
#ifndef KILN_COMMANDS_COMMANDS_H
#define KILN_COMMANDS_COMMANDS_H

#include "base/options.h"

struct command {
	const char *name;
	const char *about; /* a phrase for `kiln help` */
	const char *usage; /* lines behind "usage: kiln ", NULL-separated by '\n' */
	const char *notes; /* paragraphs under the options in --help, or NULL */

	/* The command's option groups (static storage), ended by {0}; -h, -q and -v are added to every
	 * command. NULL: takes its arguments as they are. */
	const struct option_group *(*groups)(void);
	bool stop_at_operand; /* options end at the first operand (record -- CMD) */

	/* Do it; returns the exit code. operands is NULL-terminated. */
	int (*run)(char **operands);
};

extern const struct command *const commands[]; /* NULL-terminated */
const struct command *command_by_name(const char *name);

extern int verbosity; /* -1 quiet, 0, 1 verbose */

/* Print "kiln: TEXT" on stderr (in colour on a terminal, unless NO_COLOR); errors even when quiet. */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);
int fail(const struct error *err); /* print it; returns its exit code */

#endif
