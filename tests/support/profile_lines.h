/* profile_lines.h: what a profile says, whatever the order and the ids of its rows. */
#ifndef KILN_TEST_PROFILE_LINES_H
#define KILN_TEST_PROFILE_LINES_H

#include "base/buffer.h"
#include "model/profile.h"

/* Sorted lines: each stream, each meta row, and each stack with its thread, CPU and labels, and the
 * sum of its values in a stream unless that is 0. Times are left out. */
void profile_lines(const struct profile *p, struct buffer *out);

#endif
