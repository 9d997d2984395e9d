/* calls.c: into the kernel and the C library by every road: system calls, page faults, the vdso,
 * a signal's handler, qsort with a function of ours, and abort's like: a call that never returns.
 */
#include "work.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static jmp_buf back;

static int compares(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

SOLID static void sorts(void)
{
	enum { COUNT = 100000 };
	int *values = malloc(COUNT * sizeof(*values));

	for (unsigned i = 0, random = 1; i < COUNT; i++, random = random * 1664525u + 1013904223u)
		values[i] = (int)(random >> 2);
	qsort(values, COUNT, sizeof(*values), compares);
	free(values);
}

SOLID static void faults(void)
{
	for (int i = 0; i < 20; i++) {
		size_t size = 4 << 20;
		char *room = mmap(
			NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t at = 0; at < size; at += 4096)
			room[at] = 1;
		munmap(room, size);
	}
}

SOLID static void asks_kernel(void)
{
	double end = work_cpu_seconds() + 0.05;
	int ends[2];
	char byte = 0;

	if (pipe(ends))
		return;
	while (work_cpu_seconds() < end)
		for (int i = 0; i < 500; i++)
			work_sink += (unsigned)write(ends[1], &byte, 1) +
				     (unsigned)read(ends[0], &byte, 1);
	close(ends[0]);
	close(ends[1]);
}

SOLID static void asks_vdso(void)
{
	struct timeval t;

	for (int i = 0; i < 1000000; i++)
		gettimeofday(&t, NULL);
	work_sink += (uint64_t)t.tv_usec;
}

static void handles(int number)
{
	(void)number;
	WORK(0.05);
}

SOLID static void interrupted(void)
{
	raise(SIGUSR1);
	work_sink++;
}

__attribute__((noreturn)) SOLID static void never_returns(void)
{
	WORK(0.05);
	longjmp(back, 1);
}

/* Its last instruction is the call: the return address belongs to the next function. */
__attribute__((noreturn)) SOLID static void calls_last(void)
{
	never_returns();
}

SOLID static void next_function(void)
{
	WORK(0.02);
}

int main(void)
{
	signal(SIGUSR1, handles);
	sorts();
	faults();
	asks_kernel();
	asks_vdso();
	interrupted();
	if (!setjmp(back))
		calls_last();
	next_function();
	return 0;
}
