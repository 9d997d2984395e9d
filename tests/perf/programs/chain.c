/* chain.c: one process, many programs: chain NAME... works and then executes the first NAME with
 * the others, so that one pid runs different files at the same addresses, one after another. */
#include "work.h"

#include <unistd.h>

#ifndef LINK
#define LINK link_0
#endif

SOLID static void LINK(void)
{
	WORK(0.06);
}

int main(int argc, char **argv)
{
	LINK();
	if (argc > 1)
		execv(argv[1], argv + 1);
	return argc > 1;
}
