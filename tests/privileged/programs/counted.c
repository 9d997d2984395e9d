/* counted.c: threads that come by functions, static probes and system calls, and know how often:
 * counted ROUNDS [GO]. Prints lines "WHAT FUNCTION HITS SUM": what its callers passed in the end.
 * With GO, it waits for that file; with GO as "fork", a child does the same again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED	__attribute__((noinline, noipa))
#define THREADS 4

/* <sys/sdt.h> is not everywhere. */
#define PROBE(name, semaphore, arguments, ...)                                                     \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                       \
			 ".asciz \"counted\"\n"                                                    \
			 ".asciz \"" name "\"\n"                                                   \
			 ".asciz \"" arguments "\"\n"                                              \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n" ::__VA_ARGS__)
__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n.popsection\n");

unsigned short listened __attribute__((section(".probes"), used));
static int rounds;
static long in_memory;

struct tally {
	long hits, sum;
};

CALLED long add(struct tally *t, int value)
{
	t->hits++;
	t->sum += value;
	return 2l * value;
}

CALLED static void plain(int value)
{
	PROBE("plain", "0", "-4@%0 8@$7", "r"(value));
}

/* Only who listens comes by. */
CALLED static void guarded(struct tally *t, long value)
{
	if (!__atomic_load_n(&listened, __ATOMIC_RELAXED))
		return;
	t->hits++;
	t->sum += value;
	in_memory = 0;
	long here[2] = {0, value};
	PROBE("guarded", "listened", "-8@8(%0)", "r"(here), "m"(here));
}

struct thread {
	struct tally odd, even, probes, guarded, calls;
};

CALLED static void odd(struct thread *t)
{
	for (int i = 1; i < rounds; i += 2)
		add(&t->odd, i - rounds / 4);
}

CALLED static void even(struct thread *t)
{
	for (int i = 0; i < rounds; i += 2)
		add(&t->even, i);
}

CALLED static void probes(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		plain(i - 3);
		t->probes.hits++;
		t->probes.sum += i - 3;
		guarded(&t->guarded, i);
	}
}

CALLED static void calls(struct thread *t)
{
	for (int i = 0; i < rounds; i++) {
		syscall(SYS_lseek, -1, (long)i, 0);
		t->calls.hits++;
		t->calls.sum += i;
	}
}

CALLED static void *run(void *argument)
{
	struct thread *t = argument;

	odd(t);
	even(t);
	probes(t);
	calls(t);
	return t;
}

static void print(const char *what, const char *function, const struct tally *t)
{
	fprintf(stderr, "%s %s %ld %ld\n", what, function, t->hits, t->sum);
}

static void all(void)
{
	static struct thread threads[THREADS];
	pthread_t ids[THREADS];

	memset(threads, 0, sizeof(threads));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, run, &threads[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
		print("add", "odd", &threads[i].odd);
		print("add", "even", &threads[i].even);
		print("plain", "probes", &threads[i].probes);
		print("guarded", "probes", &threads[i].guarded);
		print("lseek", "calls", &threads[i].calls);
	}
}

int main(int argc, char **argv)
{
	bool forks = argc > 2 && !strcmp(argv[2], "fork");

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	while (argc > 2 && !forks && access(argv[2], F_OK))
		usleep(1000);
	all();
	if (forks && !fork()) {
		all();
		_exit(0);
	}
	while (forks && wait(NULL) > 0)
		;
	return 0;
}
