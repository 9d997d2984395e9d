/* callers.c: calls of one kind, from as deep as wanted: callers read | direct | futex COUNT DEPTH
 * [FILE].
 *
 * 4 KB of a file that is in memory, 4 KB of a device past it, a futex that is free already. Begins
 * when it gets SIGUSR1; prints the CPU time of a call in ns. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 4096

static int fd, word;
static char *buffer;
static long count;

__attribute__((noinline)) static long futexes(void)
{
	long refused = 0;

	for (long i = 0; i < count; i++)
		refused += syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) < 0;
	return refused;
}

__attribute__((noinline)) static long reads(void)
{
	long got = 0;

	for (long i = 0; i < count; i++)
		got += pread(fd, buffer, BLOCK, i % 1024 * BLOCK) == BLOCK;
	return got;
}

__attribute__((noinline)) static long call(int depth, long (*calls)(void))
{
	return depth > 1 ? call(depth - 1, calls) + 1 : calls();
}

static double used_ns(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return 1e9 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       1e3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	sigset_t start;
	double before;
	int ignored, depth;

	if (argc < 4)
		return 2;
	count = atol(argv[2]);
	depth = atoi(argv[3]);
	buffer = aligned_alloc(BLOCK, BLOCK);
	if (argc > 4)
		fd = open(argv[4], O_RDONLY | (strcmp(argv[1], "direct") ? 0 : O_DIRECT));
	sigemptyset(&start);
	sigaddset(&start, SIGUSR1);
	sigprocmask(SIG_BLOCK, &start, NULL);
	sigwait(&start, &ignored);
	before = used_ns();
	if (call(depth, strcmp(argv[1], "futex") ? reads : futexes) != count + depth - 1)
		return 1;
	printf("%.0f\n", (used_ns() - before) / (double)count);
	return 0;
}
