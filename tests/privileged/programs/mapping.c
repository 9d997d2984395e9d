/* mapping.c: memory from the kernel, each way by a function of its own: mapping [GO]. It maps
 * 3,000,000 bytes in 30 pieces, lets the heap grow by 480,000 in 10 steps (and shrink again), and
 * touches 400 pages. With GO, it waits for that file. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noipa))

CALLED static void maps(void)
{
	for (int i = 0; i < 30; i++)
		munmap(mmap(NULL, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0),
			100000);
}

CALLED static void grows(void)
{
	for (int i = 0; i < 10; i++)
		sbrk(48000);
	sbrk(-480000);
}

CALLED static void touches(volatile char *pages)
{
	for (int i = 0; i < 400; i++)
		pages[i * 4096] = 1;
}

int main(int argc, char **argv)
{
	char *pages;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	pages = mmap(NULL, 400 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (argc > 1 && access(argv[1], F_OK))
		usleep(1000);
	maps();
	grows();
	touches(pages);
	return 0;
}
