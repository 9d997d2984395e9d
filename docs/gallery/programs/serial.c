/* serial.c: two threads compute, but inherit that they may only use the CPU of the thread that
 * started them.
 *
 * serial [fixed]: fixed gives each thread all the CPUs that the program began with. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define THREADS 2
#define ROUNDS	400000000u

static cpu_set_t all;
static bool fixed;

__attribute__((noinline)) static uint32_t compute(uint32_t seed)
{
	for (uint32_t i = 0; i < ROUNDS; i++)
		seed = seed * 1664525u + (seed >> 7);
	return seed;
}

static void *worker(void *arg)
{
	uint32_t *result = arg;
	if (fixed)
		sched_setaffinity(0, sizeof(all), &all);
	*result = compute(*result);
	return NULL;
}

int main(int argc, char **argv)
{
	uint32_t results[THREADS] = {1, 2};
	pthread_t threads[THREADS];
	cpu_set_t one;

	fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
	sched_getaffinity(0, sizeof(all), &all);
	/* "The thread that listens stays where its interrupts are." */
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, &results[i]);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", results[0] ^ results[1]);
	return 0;
}
