/* pingpong.c: two threads that send a byte to and fro, 20 calls deep: pingpong TRIPS. Begins when
 * it gets SIGUSR1; prints the CPU time of a trip, two switches at least, in ns. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int there[2], back[2];
static long trips;

__attribute__((noinline)) static int call(int depth, int from, int to)
{
	char byte = 'x';

	if (depth)
		return call(depth - 1, from, to) + 1;
	return (int)(write(to, &byte, 1) + read(from, &byte, 1));
}

static void *answer(void *unused)
{
	char byte;

	(void)unused;
	if (read(there[0], &byte, 1) != 1)
		return NULL;
	for (long i = 1; i < trips; i++)
		call(20, there[0], back[1]);
	return write(back[1], &byte, 1) == 1 ? NULL : &trips;
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
	pthread_t other;
	sigset_t start;
	double before;
	int ignored;

	trips = argc > 1 ? atol(argv[1]) : 100000;
	sigemptyset(&start);
	sigaddset(&start, SIGUSR1);
	sigprocmask(SIG_BLOCK, &start, NULL);
	if (pipe(there) || pipe(back) || pthread_create(&other, NULL, answer, NULL))
		return 1;
	sigwait(&start, &ignored);
	before = used_ns();
	for (long i = 0; i < trips; i++)
		call(20, back[0], there[1]);
	printf("%.0f\n", (used_ns() - before) / (double)trips);
	pthread_join(other, NULL);
	return 0;
}
