/* naps.c: three quarters of its waiting is long_nap()'s. The system call is made here, because
 * libc's functions have no frame pointers. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

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

/* Forever, or as often as told. */
int main(int argc, char **argv)
{
	long left = argc > 1 ? atol(argv[1]) : -1;

	while (left--) {
		long_nap();
		short_nap();
	}
	return 0;
}
