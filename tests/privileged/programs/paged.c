/* paged.c: a thread that is deep in a stack of which only the innermost pages are in memory.
 *
 *	paged SECONDS FILE [SINK | sleep | read | allocate | wait | contend | request DEVICE]
 *
 * The stack is a mapped file: what is let go of there is fetched again when it is needed, which is
 * not before the end. Nothing is read ahead, as that makes large folios, of which one fault maps
 * all pages (Linux 6.18): where the kernel had dropped the innermost page, all came back with it.
 *
 * It computes, or writes much to a file at a time, in which case all of its time is the kernel's;
 * or sleeps for a millisecond at a time, reads a little of FILE, allocates memory and frees it,
 * waits for a lock that it does not get, asks about a pipe whose lock another thread has nearly
 * always, or reads from a device. Says how much CPU time it has used, ns; and to stderr how often
 * it has done so. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK	(1 << 20)
#define DEPTH	40
#define FRAME	6000	   /* bytes: each on other pages */
#define WRITTEN (32 << 20) /* bytes, at a time */
#define PIPE	(1 << 20)  /* bytes */
#define BLOCK	4096	   /* bytes, of a device */
#define SOME	100000	   /* turns, some 50 us */

#ifndef LET_GO
#define LET_GO 5000000 /* ns, between times */
#endif

static char *stack;
static double seconds;
static enum what { COMPUTE, WRITE, SLEEP, READ, ALLOCATE, WAIT, CONTEND, REQUEST } what;
static const char *const names[] = {
	"", "", "sleep", "read", "allocate", "wait", "contend", "request"};
static int at = -1; /* where it writes or reads */
static int ends[2];
static char *room, *waited_for;
static volatile unsigned long sum, rounds;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void compute(int turns)
{
	for (int i = 0; i < turns; i++)
		sum += (unsigned long)i;
}

static void work(void)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};
	void *volatile block;
	int waiting;

	switch (what) {
	case COMPUTE:
		compute(1000);
		break;
	case WRITE:
		sum += (unsigned long)write(at, room, WRITTEN);
		break;
	case SLEEP:
		usleep(1000);
		break;
	case READ:
		sum += (unsigned long)pread(at, room, 64, 0);
		compute(SOME);
		break;
	case ALLOCATE:
		block = malloc(100);
		free(block);
		compute(SOME);
		break;
	case WAIT:
		syscall(SYS_futex, waited_for, FUTEX_WAIT_PRIVATE, 0, &millisecond, NULL, 0);
		break;
	case CONTEND:
		usleep(1000);
		ioctl(ends[0], FIONREAD, &waiting);
		break;
	case REQUEST:
		sum += (unsigned long)pread(at, room, BLOCK, 0);
		break;
	}
}

static void *contends(void *nothing)
{
	for (;;)
		sum += (unsigned long)(write(ends[1], room, PIPE) + read(ends[0], room, PIPE));
	return nothing;
}

static __attribute__((noinline)) void leaf(void)
{
	uint64_t end = now(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), next = 0, time;
	char *outer = (char *)(((uintptr_t)&end | 4095) + 1 + 4096);

	while ((time = now(CLOCK_MONOTONIC)) < end) {
		if (time >= next) {
			madvise(outer, (size_t)(stack + STACK - outer), MADV_DONTNEED);
			next = time + LET_GO;
		}
		work();
		rounds++;
	}
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

/* What it does is prepared elsewhere: the thread's own stack is as it is. */
static int prepare(int argc, char **argv, int fd)
{
	pthread_t thread;

	room = aligned_alloc(BLOCK, WRITTEN);
	waited_for = calloc(1, sizeof(int));
	if (argc < 4)
		return room && waited_for;
	for (what = REQUEST; what > WRITE && strcmp(argv[3], names[what]); what--)
		;
	if (what == READ)
		at = fd;
	if (what == WRITE)
		at = open(argv[3], O_WRONLY);
	if (what == REQUEST)
		at = open(argv[4], O_RDONLY | O_DIRECT);
	if (what == CONTEND)
		at = pipe(ends) || fcntl(ends[0], F_SETPIPE_SZ, PIPE) != PIPE ||
				     pthread_create(&thread, NULL, contends, NULL)
			     ? -1
			     : ends[0];
	return at >= 0 || what == SLEEP || what == ALLOCATE || what == WAIT;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_attr_t attributes;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, STACK))
		return 1;
	seconds = atof(argv[1]);
	if (!prepare(argc, argv, fd))
		return 1;
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (stack == MAP_FAILED || madvise(stack, STACK, MADV_RANDOM) ||
		pthread_attr_init(&attributes) ||
		pthread_attr_setstack(&attributes, stack, STACK) ||
		pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, NULL))
		return 1;
	fprintf(stderr, "%lu\n", rounds);
	printf("%llu\n", (unsigned long long)now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
