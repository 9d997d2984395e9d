/* naps.c: three quarters of its waiting are meant to be long_nap()'s. How much it was is in the
 * file `napped` at the end, "LONG SHORT" in ns: a busy machine lets nobody wake up in time. The
 * system call is made here, because libc's functions have no frame pointers. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

static volatile sig_atomic_t ended;

static void end(int number)
{
	ended = number;
}

static inline __attribute__((always_inline)) void nap(long ms)
{
	struct timespec ts = {0, ms * 1000000};
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_nanosleep), "D"(&ts), "S"(NULL)
			 : "rcx", "r11", "memory");
	(void)result;
}

static __attribute__((noinline)) void long_nap(void)
{
	nap(30);
	__asm__ volatile("");
}

static __attribute__((noinline)) void short_nap(void)
{
	nap(10);
	__asm__ volatile("");
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Until SIGTERM, or as often as told. */
int main(int argc, char **argv)
{
	long left = argc > 1 ? atol(argv[1]) : -1;
	uint64_t longer = 0, shorter = 0, start = now();
	FILE *file;

	signal(SIGTERM, end);
	while (left-- && !ended) {
		uint64_t between, stop;

		long_nap();
		between = now();
		short_nap();
		stop = now();
		longer += between - start;
		shorter += stop - between;
		start = stop;
	}
	file = fopen("napped", "w");
	if (!file)
		return 1;
	fprintf(file, "%llu %llu\n", (unsigned long long)longer, (unsigned long long)shorter);
	return fclose(file) != 0;
}
