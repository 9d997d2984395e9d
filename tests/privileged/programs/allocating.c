/* allocating.c: threads that allocate memory, and know how much and what they do not free:
 * allocating ROUNDS [GO]. Prints lines "FUNCTION BYTES CALLS LIVE_BYTES LIVE_BLOCKS" of functions,
 * then "freed KNOWN BEFORE". With GO, 50 blocks of before are freed after it waited for that file.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLED	__attribute__((noinline, noipa))
#define THREADS 4
#define BEFORE	50

static int rounds;

struct tally {
	const char *function;
	long bytes, calls, live_bytes, live;
};

struct thread {
	struct tally mallocs, callocs, reallocs, arrays, aligned, shared, failed;
	long frees;
};

/* Blocks that are for any thread to free. */
static void *slots[64];

/* The compiler leaves out what nobody looks at. */
CALLED static void count(struct tally *t, const void *block, size_t size, int keep)
{
	__asm__ volatile("" ::"r"(block) : "memory");
	t->bytes += (long)size;
	t->calls++;
	t->live_bytes += keep ? (long)size : 0;
	t->live += keep;
}

/* One of four is kept. */
CALLED static void mallocs(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		size_t size = (size_t)i % 2000 + 1;
		void *p = malloc(size);

		count(&t->mallocs, p, size, i % 4 == 0);
		if (i % 4) {
			free(p);
			t->frees++;
		}
		free(NULL);
	}
}

CALLED static void callocs(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		void *p = calloc((size_t)i % 30 + 1, 24);

		count(&t->callocs, p, ((size_t)i % 30 + 1) * 24, i % 7 == 0);
		if (i % 7) {
			free(p);
			t->frees++;
		}
	}
}

/* Blocks grow, in place or not; a realloc of nothing is a malloc, one to nothing a free. */
CALLED static void reallocs(struct thread *t)
{
	char *p = NULL;

	for (int i = 0; i < rounds; i++) {
		size_t size = (size_t)(i % 50 + 1) * 100;

		t->frees += p != NULL;
		p = realloc(p, size);
		count(&t->reallocs, p, size, i == rounds - 1);
		if (i % 50 == 49 && i < rounds - 1) {
			p = realloc(p, 0);
			t->frees++;
		}
	}
}

CALLED static void arrays(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		void *p = reallocarray(NULL, (size_t)i % 9 + 1, 16);

		count(&t->arrays, p, ((size_t)i % 9 + 1) * 16, i % 5 == 0);
		if (i % 5 == 0)
			continue;
		free(p);
		t->frees++;
	}
}

CALLED static void aligned(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		size_t size = (size_t)i % 3000 + 8;
		void *p = NULL;

		if (i % 4 == 0)
			p = aligned_alloc(64, size);
		else if (i % 4 == 1)
			p = memalign(128, size);
		else if (i % 4 == 2)
			p = valloc(size);
		else if (posix_memalign(&p, 256, size))
			abort();
		count(&t->aligned, p, size, i % 3 == 0);
		if (i % 3 == 0)
			continue;
		free(p);
		t->frees++;
	}
}

/* Blocks that are freed by whichever thread finds them, or by the main one in the end. */
CALLED static void shared(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		void *p = malloc(40), *other;

		count(&t->shared, p, 40, 0);
		other = __atomic_exchange_n(&slots[i % 64], p, __ATOMIC_ACQ_REL);
		t->frees += other != NULL;
		free(other);
	}
}

/* What is not to be had leaves the old block as it is. */
CALLED static void failed(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		volatile size_t most = SIZE_MAX / 4;
		void *p = malloc(30), *none = realloc(p, most);

		count(&t->failed, &p, 30, i % 2);
		if (none || malloc(most) || calloc(most, 8))
			abort();
		if (i % 2)
			continue;
		free(p);
		t->frees++;
	}
}

CALLED static void *run(void *argument)
{
	struct thread *t = argument;

	mallocs(t);
	callocs(t);
	reallocs(t);
	arrays(t);
	aligned(t);
	shared(t);
	failed(t);
	return t;
}

static void print(const char *function, const struct tally *t)
{
	fprintf(stderr, "%s %ld %ld %ld %ld\n", function, t->bytes, t->calls, t->live_bytes,
		t->live);
}

int main(int argc, char **argv)
{
	static struct thread threads[THREADS];
	pthread_t ids[THREADS];
	void *before[BEFORE];
	long frees = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	for (int i = 0; i < BEFORE; i++)
		before[i] = malloc(1000);
	while (argc > 2 && access(argv[2], F_OK))
		usleep(1000);
	for (int i = 0; i < BEFORE; i++)
		free(before[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, run, &threads[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 64; i++) {
		frees += slots[i] != NULL;
		free(slots[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		const struct thread *t = &threads[i];

		print("mallocs", &t->mallocs);
		print("callocs", &t->callocs);
		print("reallocs", &t->reallocs);
		print("arrays", &t->arrays);
		print("aligned", &t->aligned);
		print("shared", &t->shared);
		print("failed", &t->failed);
		frees += t->frees;
	}
	fprintf(stderr, "freed %ld %d\n", frees, argc > 2 ? BEFORE : 0);
	return 0;
}
