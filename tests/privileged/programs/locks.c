/* locks.c: threads that wait for locks as long as is known: locks ROUNDS [GO]; or locks asks COUNT
 * GO; or locks stuck SECONDS. Begins when the file GO is there.
 *
 * Prints "function ns waits" of each, by its own clock and count: waits_futex for a lock of the
 * program, asks_futex for none (the call returns at once), waits_mutex for the kernel's lock of a
 * pipe, waits_rwsem for that of a file. These are held by a thread that writes there from a page
 * which is not there: userfaultfd(2) says when it is. Asks: only that. Stuck: waits for a lock for
 * ever. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HELD   50000 /* us, once somebody waits */
#define CALLED __attribute__((noinline, noipa))

static int rounds;

struct tally {
	const char *function;
	long ns, waits;
};

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* The turns of those who hold and those who wait, one after the other. */
static atomic_int turn;
static atomic_int waiter; /* its tid */

static void until_turn(int wanted)
{
	while (atomic_load(&turn) != wanted)
		usleep(200);
}

/* It sleeps in the kernel: S, or D for locks of the kernel. */
static void until_asleep(char state)
{
	char path[64], line[256], got = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", atomic_load(&waiter));
	while (got != state) {
		FILE *file = fopen(path, "r");

		if (file && fgets(line, sizeof(line), file))
			got = strrchr(line, ')')[2];
		if (file)
			fclose(file);
		usleep(200);
	}
}

/* ---- A lock of the program ---- */

static atomic_int lock; /* 0: free; 1: held */

static long futex(void *at, int operation, int value)
{
	return syscall(SYS_futex, at, operation, value, NULL, NULL, 0);
}

static void *holds_futex(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		atomic_store(&lock, 1);
		atomic_store(&turn, 2 * i + 1);
		until_asleep('S');
		usleep(HELD);
		atomic_store(&lock, 0);
		futex(&lock, FUTEX_WAKE_PRIVATE, 1);
		until_turn(2 * i + 2);
	}
	return unused;
}

CALLED static void waits_futex(struct tally *t)
{
	for (int i = 0; i < rounds; i++) {
		long since;

		until_turn(2 * i + 1);
		since = now();
		while (atomic_load(&lock)) {
			futex(&lock, FUTEX_WAIT_PRIVATE, 1);
			t->waits++;
		}
		t->ns += now() - since;
		atomic_store(&turn, 2 * i + 2);
	}
}

CALLED static void asks_futex(struct tally *t)
{
	for (int i = 0; i < rounds; i++) {
		futex(&lock, FUTEX_WAIT_PRIVATE, 7);
		futex(&lock, FUTEX_WAKE_PRIVATE, 1);
		t->waits++;
	}
}

/* ---- Locks of the kernel ---- */

static int faults = -1, held, wanted; /* the same pipe or file */
static char *absent, *filling;
static long page;

/* The page that a holder writes from comes when its lock has been held for long enough. */
static void *fills(void *unused)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)absent, .src = (uintptr_t)filling, .len = (size_t)page};
	struct uffd_msg fault;

	for (int i = 0; i < rounds; i++) {
		if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
			exit(1);
		atomic_store(&turn, 2 * i + 1);
		until_asleep('D');
		usleep(HELD);
		copy.copy = 0;
		if (ioctl(faults, UFFDIO_COPY, &copy))
			exit(1);
	}
	return unused;
}

static void *holds_kernel(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		madvise(absent, (size_t)page, MADV_DONTNEED);
		if (write(held, absent, 8) != 8)
			exit(1);
		until_turn(2 * i + 2);
	}
	return unused;
}

#define WAITS_KERNEL                                                                               \
	for (int i = 0; i < rounds; i++) {                                                         \
		long since;                                                                        \
		until_turn(2 * i + 1);                                                             \
		since = now();                                                                     \
		t->waits += write(wanted, "12345678", 8) == 8;                                     \
		t->ns += now() - since;                                                            \
		atomic_store(&turn, 2 * i + 2);                                                    \
	}

CALLED static void waits_mutex(struct tally *t){WAITS_KERNEL}

CALLED static void waits_rwsem(struct tally *t)
{
	WAITS_KERNEL
}

static bool watch_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register part = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	page = sysconf(_SC_PAGESIZE);
	absent = mmap(
		NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	filling = aligned_alloc((size_t)page, (size_t)page);
	memset(filling, 'x', (size_t)page);
	part.range.start = (uintptr_t)absent;
	part.range.len = (size_t)page;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	return faults >= 0 && !ioctl(faults, UFFDIO_API, &api) &&
	       !ioctl(faults, UFFDIO_REGISTER, &part);
}

/* ---- All ---- */

static void tell(const struct tally *t)
{
	printf("%s %ld %ld\n", t->function, t->ns, t->waits);
}

static void kernel_lock(struct tally *t, void (*waits)(struct tally *))
{
	pthread_t threads[2];

	atomic_store(&turn, 0);
	pthread_create(&threads[0], NULL, fills, NULL);
	pthread_create(&threads[1], NULL, holds_kernel, NULL);
	waits(t);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	tell(t);
}

static void *waits_stuck(void *unused)
{
	for (atomic_store(&lock, 1);;)
		futex(&lock, FUTEX_WAIT_PRIVATE, 1);
	return unused;
}

int main(int argc, char **argv)
{
	struct tally futexes = {"waits_futex", 0, 0}, asked = {"asks_futex", 0, 0},
		     mutexes = {"waits_mutex", 0, 0}, rwsems = {"waits_rwsem", 0, 0};
	pthread_t thread;
	int pipe_ends[2];

	if (argc > 2 && !strcmp(argv[1], "stuck")) {
		pthread_create(&thread, NULL, waits_stuck, NULL);
		sleep((unsigned)atoi(argv[2]));
		return 0;
	}
	rounds = argc > 1 ? atoi(argv[argc > 3 ? 2 : 1]) : 10;
	while (argc > 2 && access(argv[argc - 1], F_OK))
		usleep(1000);
	if (argc > 3) {
		asks_futex(&asked);
		return 0;
	}
	atomic_store(&waiter, gettid());
	pthread_create(&thread, NULL, holds_futex, NULL);
	waits_futex(&futexes);
	pthread_join(thread, NULL);
	tell(&futexes);
	asks_futex(&asked);
	tell(&asked);
	if (!watch_faults() || pipe(pipe_ends))
		return 0;
	held = wanted = pipe_ends[1];
	kernel_lock(&mutexes, waits_mutex);
	held = open("held", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	wanted = open("held", O_WRONLY); /* with a position of its own */
	kernel_lock(&rwsems, waits_rwsem);
	return 0;
}
