/* forks.c: children that run on in the memory of their parents, map more, and end before them. */
#include "work.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

SOLID static void child_work(void)
{
	WORK(0.05);
}

SOLID static void grandchild_work(void)
{
	WORK(0.05);
}

SOLID static void parent_work(void)
{
	WORK(0.05);
}

/* libm is mapped in the child only. */
SOLID static void maps_more(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*gamma)(double) = NULL, end = work_cpu_seconds() + 0.05, x = 1;

	if (library)
		*(void **)&gamma = dlsym(library, "lgamma");
	while (gamma && work_cpu_seconds() < end)
		for (int i = 0; i < 2000; i++)
			x = 1 + gamma(x + 3.5) / 100;
	work_sink += (uint64_t)x;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			child_work();
			if (fork() == 0) {
				grandchild_work();
				maps_more();
				_exit(0);
			}
			wait(NULL);
			_exit(0);
		}
	}
	parent_work();
	while (wait(NULL) > 0)
		;
	parent_work();
	return 0;
}
