/* faults.c: waits in page faults that another thread serves, 100 ms later each. Prints how long, in
 * ns. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGES 5
#define PAGE  4096

static int faults;
static volatile char *pages;

static void *serve(void *unused)
{
	static char zeroes[PAGE];
	struct uffd_msg fault;

	for (int i = 0; i < PAGES; i++) {
		if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
			return NULL;
		nanosleep(&(struct timespec){0, 100000000}, NULL);
		ioctl(faults, UFFDIO_COPY,
			&(struct uffdio_copy){.dst = fault.arg.pagefault.address & -PAGE,
				.src = (uintptr_t)zeroes,
				.len = PAGE});
	}
	return unused;
}

__attribute__((noinline)) static long touches(void)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < PAGES; i++)
		pages[i * PAGE]++;
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
}

int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	pthread_t server;

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	pages = mmap(
		NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)pages;
	range.range.len = PAGES * PAGE;
	if (faults < 0 || pages == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
		ioctl(faults, UFFDIO_REGISTER, &range) ||
		pthread_create(&server, NULL, serve, NULL))
		return 1;
	printf("%ld\n", touches());
	return pthread_join(server, NULL);
}
