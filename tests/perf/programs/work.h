/* work.h: some CPU time, in the caller's own frame. */
#ifndef KILN_TESTS_PERF_WORK_H
#define KILN_TESTS_PERF_WORK_H

#include <stdint.h>
#include <time.h>

#define SOLID __attribute__((noinline, noclone))

static volatile uint64_t work_sink;

static inline double work_cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A macro, so that the loop belongs to the function that it stands in. Ends with a store, so that
 * no call before it is a jump. */
#define WORK(seconds)                                                                              \
	do {                                                                                       \
		double work_end = work_cpu_seconds() + (seconds);                                  \
		do                                                                                 \
			for (unsigned work_i = 0; work_i < 20000; work_i++)                        \
				work_sink = work_sink * 6364136223846793005u + 1442695u;           \
		while (work_cpu_seconds() < work_end);                                             \
		work_sink++;                                                                       \
	} while (0)

#endif
