/* units.h: formats numbers for messages and tables. */
#ifndef KILN_BASE_UNITS_H
#define KILN_BASE_UNITS_H

#include "base/buffer.h"

/* 1234567 as "1,234,567". */
void units_grouped(struct buffer *b, int64_t value);

/* How many decimals values in this unit have: 2 for "count/100", where 675 means 6.75; otherwise
 * 0. */
unsigned units_decimals(struct bytes unit);

/* 10^decimals, of at most 18. */
static inline int64_t units_power(unsigned decimals)
{
	int64_t power = 1;

	while (decimals--)
		power *= 10;
	return power;
}

/* "count" of "count/100". */
struct bytes units_base(struct bytes unit);

/* 123456 with two decimals as "1,234.56". */
void units_fixed(struct buffer *b, int64_t value, unsigned decimals);

/* A value in its unit with three significant digits: ns "1.23 s", "45.6 ms"; bytes "1.50 MiB";
 * anything else grouped, followed by the unit: "1,234 samples". */
void units_human(struct buffer *b, int64_t value, struct bytes unit);

/* part of whole in percent, two decimals, without the sign: "12.34"; "0.00" for an empty whole.
 * Rounded so that no share below 100% reads "100.00". */
void units_percent(struct buffer *b, int64_t part, int64_t whole);

/* The same, but a part above zero never reads "0.00": "<0.01". */
void units_percent_nonzero(struct buffer *b, int64_t part, int64_t whole);

#endif
