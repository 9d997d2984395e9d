/* busy.c: a known stack for a known CPU time: busy SECONDS [THREADS [DEPTH [FILE]]]. Compiled
 * without frame pointers. Each thread's stack is entry, DEPTH times deeper, leaf; half of leaf's
 * work is in heavy, a third in middle, a sixth in light. Prints its CPU time in ns; and into FILE
 * how long its threads were there without waiting for a CPU, which is more where a hypervisor takes
 * CPUs away. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static volatile uint64_t sink;
static uint64_t seconds_ns;
static int depth;
static const char *unqueued_file;
static atomic_ullong unqueued;

#define WORK(name, parts)                                                                          \
	__attribute__((noinline)) static void name(int rounds)                                     \
	{                                                                                          \
		for (int i = 0; i < (parts)*rounds; i++)                                           \
			sink = sink * 6364136223846793005u + 1442695040888963407u;                 \
	}
WORK(heavy, 3)
WORK(middle, 2)
WORK(light, 1)

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How long the thread has been there but not waited for a CPU, as the scheduler counts it; from
 * some point in time on. */
static uint64_t unqueued_ns(void)
{
	unsigned long long used, queued = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file || fscanf(file, "%llu %llu", &used, &queued) != 2)
		exit(1);
	fclose(file);
	return now(CLOCK_MONOTONIC) - queued;
}

/* Rounds of changing length: of equal ones a timer could keep hitting the same part. */
__attribute__((noinline)) static void leaf(void)
{
	for (uint32_t random = 1; now(CLOCK_THREAD_CPUTIME_ID) < seconds_ns;
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
	uint64_t since = unqueued_file ? unqueued_ns() : 0;

	deeper(depth);
	sink++;
	if (unqueued_file)
		unqueued += unqueued_ns() - since;
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t ids[64];
	struct rusage used;
	FILE *file;

	seconds_ns = (uint64_t)(atof(argv[1]) * 1e9);
	depth = argc > 3 ? atoi(argv[3]) : 40;
	unqueued_file = argc > 4 ? argv[4] : NULL;
	if (threads == 1)
		entry(NULL);
	for (int i = 0; threads > 1 && i < threads && i < 64; i++)
		pthread_create(&ids[i], NULL, entry, NULL);
	for (int i = 0; threads > 1 && i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	printf("%lld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ll +
				 (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ll);
	file = unqueued_file ? fopen(unqueued_file, "w") : NULL;
	if (file)
		fprintf(file, "%llu\n", unqueued);
	return unqueued_file && (!file || fclose(file));
}
