/* paged.c: a thread that is deep in a stack of which only the innermost pages are in memory.
 *
 *	paged SECONDS FILE [SINK | sleep]
 *
 * The stack is a mapped file: what is let go of there is fetched again when it is needed, which is
 * not before the end. It computes, or writes much to a file at a time, in which case all of its
 * time is the kernel's, or sleeps for a millisecond at a time. Says how much CPU time it has used,
 * ns; and to stderr how often it has done so. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define STACK	(1 << 20)
#define DEPTH	40
#define FRAME	6000	   /* bytes: each on other pages */
#define WRITTEN (32 << 20) /* bytes, at a time */

#ifndef LET_GO
#define LET_GO 5000000 /* ns, between times */
#endif

static char *stack;
static double seconds;
static int sink = -1;
static int sleeps;
static volatile unsigned long sum, rounds;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void work(char *room)
{
	if (sleeps)
		usleep(1000);
	else if (sink >= 0)
		sum += (unsigned long)write(sink, room, WRITTEN);
	else
		for (int i = 0; i < 1000; i++)
			sum += (unsigned long)i;
}

static __attribute__((noinline)) void leaf(void)
{
	uint64_t end = now(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), next = 0, time;
	char *outer = (char *)(((uintptr_t)&end | 4095) + 1 + 4096);
	char *room = malloc(WRITTEN);

	while ((time = now(CLOCK_MONOTONIC)) < end) {
		if (time >= next) {
			madvise(outer, (size_t)(stack + STACK - outer), MADV_DONTNEED);
			next = time + LET_GO;
		}
		work(room);
		rounds++;
	}
	free(room);
}

static __attribute__((noinline)) void deeper(int more)
{
	volatile char frame[FRAME];

	frame[0] = (char)more;
	if (more)
		deeper(more - 1);
	else
		leaf();
	frame[1] = frame[0];
}

static void *run(void *nothing)
{
	deeper(DEPTH);
	return nothing;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_attr_t attributes;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, STACK))
		return 1;
	seconds = atof(argv[1]);
	sleeps = argc > 3 && !strcmp(argv[3], "sleep");
	if (argc > 3 && !sleeps && (sink = open(argv[3], O_WRONLY)) < 0)
		return 1;
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (stack == MAP_FAILED || pthread_attr_init(&attributes) ||
		pthread_attr_setstack(&attributes, stack, STACK) ||
		pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, NULL))
		return 1;
	fprintf(stderr, "%lu\n", rounds);
	printf("%llu\n", (unsigned long long)now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
