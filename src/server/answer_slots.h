/* answer_slots.h: limits how many answers are computed at once, and the CPU time of each.
 *
 * One set of slots for the process, which runs one server. */
#ifndef KILN_SERVER_ANSWER_SLOTS_H
#define KILN_SERVER_ANSWER_SLOTS_H

#include "answers/question.h"
#include "base/deadline.h"

/* Limit each answer to `limit` ns of CPU time from now on; 0: no limit. */
void answer_slots_open(uint64_t limit);

/* question_answer(), once a slot is free. *ret_cut: it failed because it exceeded its CPU time or
 * the server is stopping. */
bool answer_slots_answer(const struct question *q, struct profile_store *store, struct answer *ret,
	bool *ret_cut, struct error *err);

/* Reading a file has no time limit and holds no slot: release the slot of this thread before it,
 * and wait for one again with what pause returned. */
struct deadline *answer_slots_pause(void);
void answer_slots_resume(struct deadline *paused);

/* Stop: no slot is given any more, and running answers end at their next deadline check. */
void answer_slots_stop(void);

#endif
