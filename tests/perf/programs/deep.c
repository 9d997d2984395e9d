/* deep.c: deep DEPTH: a function that calls itself so many times, in two turns. */
#include "work.h"

#include <stdlib.h>

static void even(int left);

SOLID static void bottom(void)
{
	WORK(0.25);
}

SOLID static void odd(int left)
{
	if (left)
		even(left - 1);
	else
		bottom();
	work_sink++;
}

SOLID static void even(int left)
{
	if (left)
		odd(left - 1);
	else
		bottom();
	work_sink++;
}

int main(int argc, char **argv)
{
	even(argc > 1 ? atoi(argv[1]) : 50);
	return 0;
}
