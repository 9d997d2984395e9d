/* churn.c: CPU time of pairs of malloc and free: churn PAIRS DEPTH. Waits for SIGUSR1; prints ns in
 * all. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t go;

static void begin(int number)
{
	(void)number;
	go = 1;
}

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline, noipa)) static void churn(long pairs, int depth)
{
	if (depth > 1) {
		churn(pairs, depth - 1);
		__asm__ volatile("");
		return;
	}
	for (long i = 0; i < pairs; i++) {
		void *p = malloc(100);

		__asm__ volatile("" ::"r"(p) : "memory");
		free(p);
	}
}

int main(int argc, char **argv)
{
	long long before;

	if (argc < 3)
		return 2;
	signal(SIGUSR1, begin);
	while (!go) {
		struct timespec pause = {0, 1000000};

		nanosleep(&pause, NULL);
	}
	before = cpu_ns();
	churn(atol(argv[1]), atoi(argv[2]));
	printf("%lld\n", cpu_ns() - before);
	return 0;
}
