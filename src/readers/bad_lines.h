/* bad_lines.h: unreadable lines are skipped, counted and reported once. */
#ifndef KILN_READERS_BAD_LINES_H
#define KILN_READERS_BAD_LINES_H

#include "model/profile.h"

/* `{0}`: none yet. */
struct bad_lines {
	uint64_t count, first; /* lines count from 1 */
	const char *reason;    /* of the first */
};

/* `reason` is a phrase that outlives this: what was expected, or what exceeds a limit. */
void bad_lines_add(struct bad_lines *b, uint64_t line, const char *reason);

/* At the end of an input of `lines` lines: add a note to the profile if lines were skipped. */
void bad_lines_note(const struct bad_lines *b, uint64_t lines, struct profile *out);

/* The same, and fail when no samples were read. */
bool bad_lines_finish(const struct bad_lines *b, uint64_t lines, uint64_t samples,
	struct profile *out, struct error *err);

#endif
