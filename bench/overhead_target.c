/* overhead_target.c: the same work each time, 45 calls deep, without frame pointers:
 * overhead_target ROUNDS [THREADS]. Prints its CPU time in ns. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define DEPTH 45

static long rounds;

__attribute__((noinline, noipa)) static uint64_t leaf(uint64_t x)
{
	for (int i = 0; i < 400; i++)
		x = x * 6364136223846793005u + 1442695040888963407u + (x >> 33);
	return x;
}

__attribute__((noinline, noipa)) static uint64_t deeper(int left, uint64_t x)
{
	return (left > 0 ? deeper(left - 1, x + 1) : leaf(x)) + 1;
}

static void *work(void *state)
{
	uint64_t x = (uintptr_t)state;

	for (long i = 0; i < rounds; i++)
		x += deeper(DEPTH, x);
	return (void *)(uintptr_t)x; /* so that the work is needed */
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t ids[64];
	struct rusage used;

	rounds = argc > 1 ? atol(argv[1]) : 1000000;
	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	printf("%lld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ll +
				 (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ll);
	return 0;
}
