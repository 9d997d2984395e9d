/* turns.h: how many answers are made at once, and how much CPU time has each?
 *
 * Of one server, as there is one in a process. */
#ifndef KILN_SERVER_TURNS_H
#define KILN_SERVER_TURNS_H

#include "answers/question.h"
#include "base/deadline.h"

/* Each has this many ns of CPU time from now on; 0: as many as it takes. */
void turns_open(uint64_t limit);

/* question_answer, as soon as few enough others are being made. *ret_cut: it failed because it took
 * more than an answer may, or the server is stopping. */
bool turns_answer(const struct question *q, struct shelf *shelf, struct answer *ret, bool *ret_cut,
	struct error *err);

/* Reading a file takes as long as it takes, and others are answered meanwhile. Between these the
 * thread has no turn; what pause returned is for resume. */
struct deadline *turns_pause(void);
void turns_resume(struct deadline *paused);

/* Nobody gets a turn any more, and those who have one are to end. */
void turns_stop(void);

#endif
