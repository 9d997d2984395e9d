/* inlined_elsewhere.c: a second unit, so that addresses have to find theirs. */

static unsigned helps(unsigned x)
{
	return x % 17 + 5;
}

unsigned elsewhere(unsigned x);

unsigned elsewhere(unsigned x)
{
	switch (helps(x)) {
	case 5:
		return helps(x + 1);
	case 6:
		return helps(x * 3) * helps(x);
	default:
		return helps(x ^ 5) + 1;
	}
}
