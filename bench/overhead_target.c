/* overhead_target.c: the same work each time, 45 calls deep, without frame pointers:
 * overhead_target ROUNDS [THREADS]; or in turn with another, a fifo's byte being the word to go on:
 * overhead_target ROUNDS TURNS OWN_FIFO ITS_FIFO. Prints the CPU time of its work in ns. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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

static long long work_of_threads(int threads)
{
	pthread_t ids[64];
	struct rusage used;

	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ll +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ll;
}

static long long used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000ll + used.tv_nsec;
}

/* Both of a pair are on one CPU: the last one they may use. */
static void take_last_cpu(void)
{
	cpu_set_t cpus;
	int last = CPU_SETSIZE - 1;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (last && !CPU_ISSET(last, &cpus))
		last--;
	CPU_ZERO(&cpus);
	CPU_SET(last, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* After its last turn it waits for the other process, so that its exit and output slow nothing
 * down. */
static long long work_in_turn(int turns, int own, int its)
{
	long long all = 0, before;
	char word;

	take_last_cpu();
	for (int turn = 0; turn <= turns; turn++) {
		if (read(own, &word, 1) != 1)
			exit(1);
		before = used_ns();
		if (turn < turns)
			work(NULL);
		all += used_ns() - before;
		if (write(its, &word, 1) != 1)
			exit(1);
	}
	return all;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 1;

	rounds = argc > 1 ? atol(argv[1]) : 1000000;
	printf("%lld\n",
		argc > 4 ? work_in_turn(count, open(argv[3], O_RDONLY), open(argv[4], O_WRONLY))
			 : work_of_threads(count));
	return 0;
}
