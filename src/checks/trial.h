/* trial.h: does recording in a mode work? A child process tries it on itself. */
#ifndef KILN_CHECKS_TRIAL_H
#define KILN_CHECKS_TRIAL_H

#include "base/buffer.h"
#include "recorders/recorders.h"

/* A running trial. `{0}` is none. */
struct trial {
	pid_t child;
	int result; /* readable end of a pipe: lines, "+TEXT" for a notice, "-TEXT" for the error */
};

/* Start recording in a child process, for a moment. Nothing that the recorder gives up, attaches or
 * opens remains here. False: no process could be made. */
bool trial_start(struct trial *ret, const struct recorder *recorder, enum record_way way);

/* Wait for its end. Returns whether it recorded; *ret_notices are its notices, a line each, and
 * *err says why it did not. */
bool trial_end(struct trial *t, struct buffer *ret_notices, struct error *err);

#endif
