/* clock.h: what is the time of CLOCK_MONOTONIC, in nanoseconds? */
#ifndef KILN_BASE_CLOCK_H
#define KILN_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

#endif
