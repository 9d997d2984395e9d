/* pipeline.h: a command that is a profile, its transforms and one output. */
#ifndef KILN_COMMANDS_PIPELINE_H
#define KILN_COMMANDS_PIPELINE_H

#include "commands/load.h"
#include "renderers/renderers.h"

/* What tells such commands apart, and what their options fill in; one static instance each. */
struct pipeline {
	const char *renderer; /* its name */
	const char *title;    /* over the renderer's options in --help */
	bool text;	      /* its settings start with struct text_settings */

	bool runs_programs; /* when it is done: it is not confined */
	bool over_time;	    /* shows samples in the order of their times: a notice says if there
			       are none */

	const char *output; /* -o; NULL: standard output */
	void *settings;
};

/* -o, the renderer's options and those of load_groups. */
const struct option_group *pipeline_groups(struct pipeline *p);

/* Returns the exit code. `want` is enum read_want, or'ed. */
int pipeline_run(struct pipeline *p, const struct command *command, char **operands, unsigned want);

/* "-o x.kiln" of a command that writes something else is a slip, which would leave that under a
 * misleading name. Sets the error, and returns false. does: "draws pictures". */
bool pipeline_check_suffix(const struct command *command, const struct renderer *meant,
	const char *path, const char *does, struct error *err);

/* Write all of the input in one format. Returns the exit code. */
struct pipeline_output {
	const struct renderer *renderer;
	const void *settings; /* NULL: the default ones */
	const char *path;     /* "-": standard output */
	bool thorough;	      /* see struct naming_options */
};
int pipeline_write(
	const struct command *command, char **operands, const struct pipeline_output *to);

#define OUTPUT_MODE 0666u /* the umask takes from it */

/* Which of the bits `mode` an output may have that is made from the input `path` ("-", "<stdin>":
 * standard input): a .kiln file is not more readable than its input. */
unsigned pipeline_mode(const struct renderer *renderer, unsigned mode, const char *path);

/* Render what is loaded to `path` ("-": standard output), which gets the `mode`. */
bool pipeline_render(const struct view *v, const struct renderer *renderer, const void *settings,
	const char *path, unsigned mode, struct error *err);

/* Refuse to write binary output to a terminal. */
bool pipeline_check_terminal(const struct renderer *renderer, const char *path, struct error *err);

#endif
