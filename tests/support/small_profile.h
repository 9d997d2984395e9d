/* small_profile.h: a profile that fits on a line, for tests. */
#ifndef KILN_SUPPORT_SMALL_PROFILE_H
#define KILN_SUPPORT_SMALL_PROFILE_H

#include "model/profile.h"

/* "a;b 2,a;c_[k] 1": a sample for each stack, in one stream {"samples","count"}. "_[k]", "_[j]" and
 * "_[i]" make kernel, jit and inlined frames; a name that starts with "[truncated" is a meta frame.
 * With `times` the nth sample is at n seconds; "@N" in front of a stack sets its thread, "+T"
 * behind that its time in seconds: "@1+30a;b 2". */
void small_profile(struct profile *p, const char *text, bool times);

#endif
