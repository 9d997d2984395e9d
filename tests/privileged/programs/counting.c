/* counting.c: knows how many page faults and context switches it had: counting ROUNDS. Prints
 * "FAULTS SWITCHES", of what happened between its two looks. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	struct timespec nap = {0, 100000};
	struct rusage before, after;
	volatile char *pages;

	pages = mmap(NULL, (size_t)rounds * 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	madvise((void *)pages, (size_t)rounds * 4096, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < rounds; i++) {
		pages[(size_t)i * 4096] = 1;
		nanosleep(&nap, NULL);
	}
	getrusage(RUSAGE_SELF, &after);
	printf("%ld %ld\n", after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt,
		after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
	return 0;
}
