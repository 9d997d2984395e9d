/* busy.c: a known stack for a known CPU time: busy SECONDS [THREADS [DEPTH]]. Compiled without
 * frame pointers. Each thread's stack is entry, DEPTH times deeper, leaf; half of leaf's work is in
 * heavy, a third in middle, a sixth in light. Prints its CPU time in ns. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static volatile uint64_t sink;
static uint64_t seconds_ns;
static int depth;

#define WORK(name, parts)                                                                          \
	__attribute__((noinline)) static void name(int rounds)                                     \
	{                                                                                          \
		for (int i = 0; i < (parts)*rounds; i++)                                           \
			sink = sink * 6364136223846793005u + 1442695040888963407u;                 \
	}
WORK(heavy, 3)
WORK(middle, 2)
WORK(light, 1)

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Rounds of changing length: of equal ones a timer could keep hitting the same part. */
__attribute__((noinline)) static void leaf(void)
{
	for (uint32_t random = 1; thread_ns() < seconds_ns;
		random = random * 1664525u + 1013904223u) {
		int rounds = 2000 + (int)(random >> 18);

		heavy(rounds);
		middle(rounds);
		light(rounds);
	}
	sink++;
}

__attribute__((noinline, noipa)) static void deeper(int left)
{
	if (left > 0)
		deeper(left - 1);
	else
		leaf();
	sink++; /* so that the call is no jump */
}

static void *entry(void *unused)
{
	deeper(depth);
	sink++;
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t ids[64];
	struct rusage used;

	seconds_ns = (uint64_t)(atof(argv[1]) * 1e9);
	depth = argc > 3 ? atoi(argv[3]) : 40;
	if (threads == 1)
		entry(NULL);
	for (int i = 0; threads > 1 && i < threads && i < 64; i++)
		pthread_create(&ids[i], NULL, entry, NULL);
	for (int i = 0; threads > 1 && i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	printf("%lld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ll +
				 (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ll);
	return 0;
}
