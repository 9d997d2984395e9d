/* obstacle.h: what keeps a recording from working, and what removes it?
 *
 * The functions that find obstacles write these words once; `kiln record` makes errors of them, and
 * `kiln doctor` lines of its report. */
#ifndef KILN_RECORDERS_OBSTACLE_H
#define KILN_RECORDERS_OBSTACLE_H

#include "base/error.h"

/* `{0}`: nothing is in the way. All texts are one line. */
struct obstacle {
	enum error_code code;
	char reason[512]; /* "this kernel has no type information" */
	char remedy[512]; /* what helps, as a phrase: "use one with ..."; "": nothing does */
	char command[96]; /* for a shell, does that on this machine; "": no single command does */
};

/* Sets the reason. Returns false. */
__attribute__((format(printf, 3, 4))) bool obstacle_set(
	struct obstacle *o, enum error_code code, const char *fmt, ...);
/* These add to it. They return false. */
__attribute__((format(printf, 2, 3))) bool obstacle_remedy(
	struct obstacle *o, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) bool obstacle_command(
	struct obstacle *o, const char *fmt, ...);
/* Sets the command to running Kiln as root, unless that is done already. Returns false. */
bool obstacle_run_as_root(struct obstacle *o);

/* As an error: "REASON: REMEDY". Returns false. */
bool obstacle_error(struct error *err, const struct obstacle *o);

#endif
