/* input_range.h: ranges of one input that several threads read.
 *
 * How a long input is read in parallel: input_whole gives the whole mapped file; the caller cuts
 * it where the format allows (at a line, at a record) and opens each range as an input of its
 * own, so that a reader need not know whether it reads a file or a part. A range is claimed
 * piece by piece under its lock: `at` moves up as the reading thread takes pieces, and a thread
 * that has nothing left to do may lower `end`, take over the rest as a new range, and thereby
 * balance parts of unequal cost. */
#ifndef KILN_BASE_INPUT_RANGE_H
#define KILN_BASE_INPUT_RANGE_H

#include <pthread.h>
#include <stdint.h>

/* The bytes [at, end) of input_whole's content that are still to be read. Another thread may
 * lower `end` to take over the rest; both change under the lock. */
struct input_range {
	pthread_mutex_t lock;
	uint64_t at, end;
};

#endif
