/* shares.c: three quarters of its time is three_quarters()'s, in turns too short to beat with a
 * sampler. */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

static __attribute__((noinline)) void spin(uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++)
		sink += i * i;
}

static __attribute__((noinline)) void three_quarters(void)
{
	spin(90000);
	sink++;
}

static __attribute__((noinline)) void one_quarter(void)
{
	spin(30000);
	sink++;
}

/* Forever, or as often as told. */
int main(int argc, char **argv)
{
	uint64_t left = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;

	while (left--) {
		three_quarters();
		one_quarter();
	}
	return 0;
}
