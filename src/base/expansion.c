/* expansion.c: how much memory and output may an input cause? */
#include "base/expansion.h"

static uint64_t chosen; /* set by expansion_set; 0: by the size of the input */

void expansion_set(uint64_t limit)
{
	chosen = limit;
}

static uint64_t multiply(uint64_t value, uint64_t factor)
{
	return value > UINT64_MAX / factor ? UINT64_MAX : value * factor;
}

uint64_t expansion_limit(uint64_t size)
{
	uint64_t limit = multiply(size, EXPANSION_FACTOR);

	if (chosen)
		return chosen;
	return limit > EXPANSION_MIN ? limit : EXPANSION_MIN;
}

uint64_t expansion_output_limit(uint64_t limit)
{
	return multiply(limit, EXPANSION_OUTPUT_FACTOR);
}

bool expansion_error(const char *what, uint64_t limit, struct error *err)
{
	return error_set(err, ERR_LIMIT,
		"%s: more than %llu MB; --" EXPANSION_OPTION " raises the limit", what,
		(unsigned long long)(limit >> 20));
}
