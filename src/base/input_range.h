/* input_range.h: parts of an input that several threads read. */
#ifndef KILN_BASE_INPUT_RANGE_H
#define KILN_BASE_INPUT_RANGE_H

#include "base/input.h"

#include <pthread.h>

/* Bytes of what input_whole would give, from `at` to `end`, that are being read: what lies before
 * `at` has been taken. The end may be brought forward meanwhile by who reads the rest. */
struct input_range {
	pthread_mutex_t lock;
	uint64_t at, end;
};

/* A range as an input of its own, which may be read in another thread while `in` is open. The range
 * outlives it. */
bool input_open_range(
	struct input *part, const struct input *in, struct input_range *range, struct error *err);

#endif
