/* waiting.c: threads that sleep, hold a lock and want it, wait for input, and compete for CPUs.
 *
 * Each function prints how long it took and how much of that it was on the CPU, in ns, by its own
 * clocks: the rest it was off. How much of the rest it could have run, and had no CPU, is what the
 * scheduler counts. Its system calls are in it, so that its name is in any stack. */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L

static atomic_int lock; /* 0: free; 1: held; 2: held, and somebody waits */
static int ends[2];
static pthread_barrier_t together;

static inline __attribute__((always_inline)) long call(
	long number, long a, const void *b, const void *c, const void *d)
{
	register const void *fourth __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return ret;
}

#define PAUSE(ns)                                                                                  \
	do {                                                                                       \
		struct timespec time = {0, ns};                                                    \
		call(SYS_clock_nanosleep, CLOCK_MONOTONIC, NULL, &time, NULL);                     \
	} while (0)

#define TAKE                                                                                       \
	do {                                                                                       \
		int free = 0;                                                                      \
		if (!atomic_compare_exchange_strong(&lock, &free, 1))                              \
			while (atomic_exchange(&lock, 2))                                          \
				call(SYS_futex, (long)&lock, (void *)FUTEX_WAIT_PRIVATE,           \
					(void *)2, NULL);                                          \
	} while (0)

#define GIVE                                                                                       \
	do {                                                                                       \
		if (atomic_exchange(&lock, 0) == 2)                                                \
			call(SYS_futex, (long)&lock, (void *)FUTEX_WAKE_PRIVATE, (void *)1, NULL); \
	} while (0)

__attribute__((noinline)) static void sleeps(void)
{
	for (int i = 0; i < 20; i++)
		PAUSE(50 * MS);
}

__attribute__((noinline)) static void holds(void)
{
	for (int i = 0; i < 10; i++) {
		TAKE;
		PAUSE(80 * MS);
		GIVE;
		PAUSE(20 * MS);
	}
}

__attribute__((noinline)) static void wants(void)
{
	for (int i = 0; i < 10; i++) {
		TAKE;
		GIVE;
		PAUSE(30 * MS);
	}
}

__attribute__((noinline)) static void reads(void)
{
	char byte;

	for (int i = 0; i < 10; i++)
		call(SYS_read, ends[0], &byte, (void *)1, NULL);
}

__attribute__((noinline)) static void writes(void)
{
	for (int i = 0; i < 10; i++) {
		PAUSE(100 * MS);
		call(SYS_write, ends[1], "x", (void *)1, NULL);
	}
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The ns that this thread has been in a queue for a CPU: the second figure of its schedstat. */
static uint64_t queued(void)
{
	char text[128] = "";
	int fd = open("/proc/thread-self/schedstat", O_RDONLY);
	unsigned long long ns = 0;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0 || sscanf(text, "%*u %llu", &ns) != 1)
		abort();
	close(fd);
	return ns;
}

/* A second of its own CPU time. */
__attribute__((noinline)) static void burns(void)
{
	struct timespec used;
	long end = 0;

	do {
		for (volatile int i = 0; i < 3000000; i++)
			;
		call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &used, NULL, NULL);
		end = end ? end : used.tv_sec * 1000 + used.tv_nsec / MS + 1000;
	} while (used.tv_sec * 1000 + used.tv_nsec / MS < end);
}

struct part {
	const char *name;
	void (*function)(void);
};

static void *run(void *argument)
{
	const struct part *part = argument;
	uint64_t wall, cpu, queue;

	pthread_barrier_wait(&together);
	queue = queued();
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	part->function();
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC) - wall;
	queue = queued() - queue;
	printf("%s %llu %llu %llu\n", part->name, (unsigned long long)wall, (unsigned long long)cpu,
		(unsigned long long)queue);
	return NULL;
}

/* waiting [BURNERS] */
int main(int argc, char **argv)
{
	static const struct part parts[] = {{"sleeps", sleeps}, {"holds", holds}, {"wants", wants},
		{"reads", reads}, {"writes", writes}, {"burns", burns}};
	unsigned burners = argc > 1 ? (unsigned)atoi(argv[1]) : 0, count = 5 + burners;
	pthread_t threads[128];

	if (pipe(ends) || count > 128 || pthread_barrier_init(&together, NULL, count))
		return 1;
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)&parts[i < 5 ? i : 5]);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
