/* names.h: naming the addresses of an input, with the files that the user's options lead to. */
#ifndef KILN_COMMANDS_NAMES_H
#define KILN_COMMANDS_NAMES_H

#include "commands/commands.h"
#include "images/places.h"
#include "model/view.h"
#include "process/symbolize.h"

/* The options: --symfs and the like. */
struct option_group names_group(void);

/* Where they say that files lie, with the servers that the environment names unless the user wants
 * none. Lives until names_release. */
const struct places *names_places(void);

/* Ask servers also about what a finished profile has no better names for, and tell what came of it.
 */
void names_try_hard(void);

/* Name what has no names yet, and try again what so far is named by its module only. Says what is
 * missing and what would help. `name` is the input's, for messages. */
void names_add(struct profile *p, const char *name);
void names_release(void);

/* ---- For recordings, too: how much do names say? ---- */

/* The options: --no-inline and the like. */
struct option_group names_detail_group(void);
/* Set what they decide. */
void names_set_detail(struct symbolize_options *options);
/* Let views tell places in a function apart, for outputs that have files and lines. */
void names_keep_lines(void);
/* How a view has to show frames for them. */
enum projection names_projection(void);
/* Is the symbol cache used? */
bool names_are_stored(void);
/* Where --v8-log says that logs are, or NULL. */
const char *names_v8_logs(void);
/* Is something beside the input that names code by the time of samples? */
bool names_need_times(const char *name);
/* A note about names that are guesses. */
void names_add_doubts(struct profile *p, const struct symbolize_report *report);
/* With -v, say how many names were known from earlier runs. `name` as in names_add. */
void names_say_known(const struct symbolize_report *report, const char *name);

#endif
