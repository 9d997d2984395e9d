/* record_summary.h: messages about a recording while it runs and when it is over. */
#ifndef KILN_COMMANDS_RECORD_SUMMARY_H
#define KILN_COMMANDS_RECORD_SUMMARY_H

#include "model/view.h"
#include "process/symbolize.h"
#include "recorders/session.h"

/* Samples, losses and time left on one line that is written over; nothing unless stderr is a
 * terminal. */
void record_live_line(const struct session *s);
void record_live_end(void);

/* Samples, losses, broken stacks, who used the CPU, the hottest functions, what has no names, what
 * would make the picture better, and what to type next. `v` is a view of all that was recorded;
 * `path` the finished file, NULL: the caller goes on with it. */
void record_summary(const struct session *s, const struct view *v,
	const struct symbolize_report *report, const char *path);

#endif
