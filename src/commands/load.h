/* load.h: from a command's operands and the common options to a view. */
#ifndef KILN_COMMANDS_LOAD_H
#define KILN_COMMANDS_LOAD_H

#include "commands/commands.h"
#include "loading/loading.h"
#include "model/view.h"

/* Read when no FILE is given: what `kiln record` writes, or else what `perf record` does. */
#define LOAD_DEFAULT "profile.kiln"
#define LOAD_OF_PERF "perf.data"

/* Groups that load_groups adds, in their order: which input, which of its values, where its
 * binaries are, how much names say, in what shape. */
enum load_group {
	LOAD_INPUT,
	LOAD_VALUES,
	LOAD_PLACES,
	LOAD_DETAIL,
	LOAD_SHAPE,
	LOAD_GROUPS,
};

struct loaded {
	const char *name; /* for messages: the path, or "<stdin>" */
	struct profile profile;
	struct view view;
};

/* Put the common options into ret_groups. */
void load_groups(struct option_group ret_groups[LOAD_GROUPS]);

/* Something was piped or redirected into standard input; /dev/null and a terminal say no. */
bool load_stdin_is_given(void);

/* The one FILE of `operands`, or the default (see load); "-": standard input. */
bool load_choose(
	const struct command *command, char **operands, const char **ret_path, struct error *err);

/* What a command needs beside the common options: see struct naming_options. */
enum load_need {
	LOAD_KEEP_LINES = 1, /* its output has files and lines */
	LOAD_THOROUGH = 2,   /* its purpose is to find names */
};

/* Prints notices and progress on stderr; details with -v. */
struct loading_listener load_listener(void);

/* Prepare to load by the common options, with load_listener. `needs` is enum load_need, or'ed. */
void load_begin(struct loading *ret, unsigned needs);

/* Read the one FILE of `operands`, or the default: standard input when something is piped in, else
 * ./profile.kiln or ./perf.data; name what has no name yet, select the kind and apply the
 * transforms. Says the profile's notes and losses on stderr. `want` is enum read_want, or'ed;
 * transforms add theirs. */
bool load(const struct loading *with, const struct command *command, char **operands, unsigned want,
	struct loaded *ret, struct error *err);
void loaded_release(struct loaded *l);

/* What a command does to each file on its way; functions may be NULL. */
struct load_steps {
	void *self;
	void (*profile)(void *self, struct profile *p); /* when it has been read and named */
	bool (*view)(void *self, struct view *v, struct error *err); /* before the transforms */
};

/* The same with one file of several ("-": standard input). */
bool load_file(const struct loading *with, const char *path, unsigned want,
	const struct load_steps *steps, struct loaded *ret, struct error *err);

/* Do the common options ask for nothing but what a file of folded text says? */
bool load_is_plain(void);

/* Do they turn stacks round, so that callers are called? */
bool load_reverses(void);

#endif
