/* input_range.h: parts of an input that several threads read. */
#ifndef KILN_BASE_INPUT_RANGE_H
#define KILN_BASE_INPUT_RANGE_H

#include <pthread.h>
#include <stdint.h>

/* Bytes of what input_whole would give, from `at` to `end`, that are being read: what lies before
 * `at` has been taken. The end may be brought forward meanwhile by who reads the rest. */
struct input_range {
	pthread_mutex_t lock;
	uint64_t at, end;
};

#endif
