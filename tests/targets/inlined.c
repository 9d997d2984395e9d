/* inlined.c: functions inlined into each other, in one piece and in several, with and without
 * names that others see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINED static inline __attribute__((always_inline))

static volatile unsigned sink;

INLINED unsigned innermost(unsigned x)
{
	return x * 2654435761u ^ x >> 7;
}

INLINED unsigned middle(unsigned x, unsigned rounds)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < rounds; i++) {
		if (i & 1)
			sum += innermost(x + i);
		else
			sum ^= innermost(x - i) + innermost(sum);
	}
	return sum;
}

INLINED unsigned outer(const char *text)
{
	unsigned sum = 0;

	while (*text)
		sum += middle((unsigned char)*text++, 3);
	return sum;
}

/* The unlikely part is moved away: its ranges are two. */
__attribute__((noinline)) unsigned splits(unsigned x)
{
	if (__builtin_expect(x == 77, 0)) {
		fprintf(stderr, "%u\n", middle(x, 5));
		abort();
	}
	return outer("splits") + x;
}

__attribute__((noinline, cold)) static unsigned is_cold(unsigned x)
{
	return middle(x, x & 7) + innermost(x);
}

__attribute__((noinline)) static unsigned may_be_cloned(unsigned x, const char *unused, unsigned y)
{
	(void)unused;
	return x > 5 ? innermost(x) + may_be_cloned(x - 1, "", y) : y;
}

static int compares(const void *a, const void *b)
{
	unsigned x = innermost(*(const unsigned *)a), y = innermost(*(const unsigned *)b);

	return x < y ? -1 : x > y;
}

__attribute__((noinline)) static unsigned sorts(void)
{
	unsigned values[32];

	for (unsigned i = 0; i < 32; i++)
		values[i] = middle(i, 2);
	qsort(values, 32, sizeof(*values), compares);
	return values[3];
}

unsigned elsewhere(unsigned x);

int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		sink += outer(argv[i]);
	sink += splits((unsigned)argc) + sorts() + may_be_cloned((unsigned)argc, "x", sink);
	if (sink == 99)
		sink += is_cold(sink);
	return (int)(elsewhere(sink) & 1) - (int)(sink & 0);
}
