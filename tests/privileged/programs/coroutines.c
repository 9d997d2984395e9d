/* coroutines.c: burn CPU time in functions that makecontext starts. coroutines MILLISECONDS */
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

static ucontext_t scheduler, routines[2];
static char stacks[2][65536];
static volatile unsigned sink;

static __attribute__((noinline)) void burn(void)
{
	for (unsigned i = 0; i < 100000; i++)
		sink += i * 7;
}

static __attribute__((noinline)) void work(int number)
{
	for (;;) {
		burn();
		swapcontext(&routines[number], &scheduler);
	}
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atol(argv[1]) : 1000) * (CLOCKS_PER_SEC / 1000);

	for (int i = 0; i < 2; i++) {
		getcontext(&routines[i]);
		routines[i].uc_stack.ss_sp = stacks[i];
		routines[i].uc_stack.ss_size = sizeof(stacks[i]);
		/* One that could be returned to is no caller either. */
		routines[i].uc_link = i ? &scheduler : NULL;
		makecontext(&routines[i], (void (*)(void))work, 1, i);
	}
	while (clock() < end)
		for (int i = 0; i < 2; i++)
			swapcontext(&scheduler, &routines[i]);
	return 0;
}
