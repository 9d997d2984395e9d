/* record_advice.h: what would make the picture of a recording better? */
#ifndef KILN_COMMANDS_RECORD_ADVICE_H
#define KILN_COMMANDS_RECORD_ADVICE_H

#include "process/symbolize.h"
#include "recorders/session.h"

/* Append a line about what the largest part of the profile lacks, and how to get it; nothing if no
 * part above 1% lacks anything that can be got. `path` is the finished file, or NULL. */
void record_advice(struct buffer *out, const struct session *s,
	const struct symbolize_report *report, const char *path);

#endif
