/* units.c: formats numbers for messages and tables. */
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>

void units_grouped(struct buffer *b, int64_t value)
{
	char digits[24];
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)left);

	if (value < 0)
		buffer_char(b, '-');
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buffer_char(b, ',');
		buffer_char(b, digits[i]);
	}
}

#define DECIMALS_LIMIT 18u /* 10 to this power fits into 63 bits */

unsigned units_decimals(struct bytes unit)
{
	const char *slash = bytes_find_last(unit, '/');
	size_t zeroes = slash ? (size_t)(unit.at + unit.len - slash) - 2 : 0;

	if (!slash || slash + 1 == unit.at + unit.len || slash[1] != '1' || zeroes > DECIMALS_LIMIT)
		return 0;
	for (size_t i = 0; i < zeroes; i++)
		if (slash[2 + i] != '0')
			return 0;
	return (unsigned)zeroes;
}

struct bytes units_base(struct bytes unit)
{
	const char *slash = units_decimals(unit) ? bytes_find_last(unit, '/') : NULL;

	return slash ? (struct bytes){unit.at, (size_t)(slash - unit.at)} : unit;
}

void units_fixed(struct buffer *b, int64_t value, unsigned decimals)
{
	int64_t one = 1;

	for (unsigned i = 0; i < decimals; i++)
		one *= 10;
	if (value < 0 && value > -one)
		buffer_char(b, '-');
	units_grouped(b, value / one);
	if (decimals)
		buffer_printf(b, ".%0*lld", (int)decimals, (long long)llabs(value % one));
}

struct scale {
	double size;
	const char *suffix;
};

/* Three significant digits in the largest unit that leaves at least 1 before the point. */
static void scaled(struct buffer *b, double value, const struct scale *scales)
{
	double magnitude = value < 0 ? -value : value;

	while (scales[1].suffix && magnitude < scales->size)
		scales++;
	magnitude /= scales->size;
	buffer_printf(b, "%.*f %s",
		scales->size <= 1 ? 0
		: magnitude < 10  ? 2
		: magnitude < 100 ? 1
				  : 0,
		value / scales->size, scales->suffix);
}

void units_human(struct buffer *b, int64_t value, struct bytes unit)
{
	static const struct scale times[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"},
		{1e3, "µs"}, {1, "ns"}, {0, NULL}};
	static const struct scale sizes[] = {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"},
		{1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}, {0, NULL}};

	if (bytes_equal(unit, BYTES("ns"))) {
		scaled(b, (double)value, times);
	} else if (bytes_equal(unit, BYTES("bytes"))) {
		scaled(b, (double)value, sizes);
	} else {
		units_grouped(b, value);
		buffer_char(b, ' ');
		buffer_add(b, unit.at, unit.len);
	}
}

void units_percent(struct buffer *b, int64_t part, int64_t whole)
{
	double percent = part && whole ? 100.0 * (double)part / (double)whole : 0;

	if (percent < 100 && percent > 99.99)
		percent = 99.99;
	buffer_printf(b, "%.2f", percent);
}

void units_percent_nonzero(struct buffer *b, int64_t part, int64_t whole)
{
	if (part > 0 && whole > 0 && (double)part / (double)whole < 0.00005)
		buffer_text(b, "<0.01");
	else
		units_percent(b, part, whole);
}
