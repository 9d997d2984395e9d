/* faults.c: has a table of 64 MB for each of its jobs, and uses a few bytes of every page.
 *
 * faults [fixed]: fixed keeps the same few bytes side by side. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS  30
#define ITEMS (1u << 14)

struct item {
	unsigned key;
	char name[4092]; /* "nobody will have a longer one" */
};

struct small_item {
	unsigned key;
	char *name;
};

__attribute__((noinline)) static unsigned job(void)
{
	struct item *items = malloc(ITEMS * sizeof(*items));
	unsigned sum = 0;
	for (unsigned i = 0; items && i < ITEMS; i++)
		items[i].key = i * 2654435761u;
	for (unsigned i = 0; items && i < ITEMS; i++)
		sum ^= items[i].key;
	free(items);
	return sum;
}

__attribute__((noinline)) static unsigned small_job(void)
{
	struct small_item *items = malloc(ITEMS * sizeof(*items));
	unsigned sum = 0;
	for (unsigned i = 0; items && i < ITEMS; i++)
		items[i].key = i * 2654435761u;
	for (unsigned i = 0; items && i < ITEMS; i++)
		sum ^= items[i].key;
	free(items);
	return sum;
}

int main(int argc, char **argv)
{
	bool fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
	unsigned sum = 0;

	for (int i = 0; i < JOBS; i++)
		sum += fixed ? small_job() : job();
	printf("%u\n", sum);
	return 0;
}
