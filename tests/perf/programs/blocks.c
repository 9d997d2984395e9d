/* blocks.c: a third of its time is third()'s, the rest two_thirds()'s; then it keeps 100 blocks of
 * 1,000 bytes, and frees 200 of 3,000. */
#include <stdlib.h>

static volatile unsigned long sink;
static void *volatile kept[100];

#define OWN static __attribute__((noinline))

OWN void leaf(unsigned turns)
{
	while (turns--)
		sink += turns;
}

OWN void third(void)
{
	leaf(100000);
	sink++;
}

OWN void two_thirds(void)
{
	leaf(200000);
	sink++;
}

OWN void *keep(size_t size)
{
	return malloc(size);
}

OWN void churn(void)
{
	void *volatile block = malloc(3000);

	free(block);
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 1500;

	for (int i = 0; i < turns; i++) {
		third();
		two_thirds();
	}
	for (int i = 0; i < 100; i++) {
		kept[i] = keep(1000);
		churn();
		churn();
	}
	return 0;
}
