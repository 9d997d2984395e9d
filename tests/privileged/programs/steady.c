/* steady.c: a program that goes on with the same work, and keeps count of it where it can be read
 * while it runs: steady FILE [DEVICE].
 *
 * A round is one lseek, one write of 100 bytes, one malloc, one mmap of a page that is touched, one
 * read of DEVICE past the page cache, one FUTEX_WAIT and one sleep. A second thread computes for a
 * third of the time. FILE holds, for each SLOT_NS of CLOCK_MONOTONIC since its first word, how many
 * rounds have ended and how many us were computed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLOT_NS 10000000u
#define SLOTS	120000u /* 20 minutes, then it ends */
#define BLOCK	4096

struct slot {
	uint32_t rounds, computed_us;
};

struct counts {
	uint64_t start; /* ns */
	struct slot slots[SLOTS];
};

static struct counts *counts;
static uint32_t word;
static volatile uint64_t sink;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct slot *slot_now(void)
{
	uint64_t slot = (now(CLOCK_MONOTONIC) - counts->start) / SLOT_NS;

	if (slot >= SLOTS)
		exit(0);
	return &counts->slots[slot];
}

static void pause_ns(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static void *compute(void *ignored)
{
	uint64_t begun = now(CLOCK_THREAD_CPUTIME_ID), used;

	for (;;) {
		do {
			for (int i = 0; i < 20000; i++)
				sink = sink * 6364136223846793005u + 1442695040888963407u;
			used = now(CLOCK_THREAD_CPUTIME_ID) - begun;
		} while (used < 3000000);
		begun += used;
		slot_now()->computed_us += (uint32_t)(used / 1000);
		pause_ns(6000000);
	}
	return ignored;
}

__attribute__((noinline, noipa)) static void go_round(int file, int device, void *block)
{
	struct timespec short_time = {0, 300000};
	char *page = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *allocated = malloc(1000);

	*page = *allocated = 1;
	__asm__ volatile("" ::"r"(allocated) : "memory");
	free(allocated);
	munmap(page, BLOCK);
	lseek(file, 0, SEEK_SET);
	if (write(file, block, 100) != 100 ||
		(device >= 0 && pread(device, block, BLOCK, 0) != BLOCK))
		exit(1);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &short_time, NULL, 0);
	pause_ns(1000000);
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	int device = argc > 2 ? open(argv[2], O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
	int file = memfd_create("written", MFD_CLOEXEC);
	void *block = aligned_alloc(BLOCK, BLOCK);
	pthread_t other;

	if (fd < 0 || file < 0 || (argc > 2 && device < 0) || ftruncate(fd, sizeof(*counts))) {
		perror("steady");
		return 1;
	}
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	counts->start = now(CLOCK_MONOTONIC);
	pthread_create(&other, NULL, compute, NULL);
	for (;;) {
		go_round(file, device, block);
		slot_now()->rounds++;
	}
}
