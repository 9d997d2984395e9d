/* csv.h: the fields of a line of comma-separated values. */
#ifndef KILN_READERS_LINES_CSV_H
#define KILN_READERS_LINES_CSV_H

#include "base/bytes.h"

/* The length of a field that starts behind a quote, up to the quote that ends it; SIZE_MAX: there
 * is none. */
size_t csv_quoted(struct bytes behind_quote, char delimiter);

/* The next field of *line, without the quotes around it; *line moves behind it and is {0} behind
 * the last one, where false follows. In quotes, a quote only ends the field before a delimiter or
 * the end: writers that do not double quotes are understood, and doubled ones stay double. */
static inline bool csv_next(struct bytes *line, char delimiter, struct bytes *ret_field)
{
	const char *at = line->at;
	size_t len = line->len, field = SIZE_MAX, quotes = 0;

	if (!at)
		return false;
	if (len && *at == '"') {
		field = csv_quoted((struct bytes){at + 1, len - 1}, delimiter);
		quotes = field == SIZE_MAX ? 0 : 2;
	}
	if (!quotes)
		field = bytes_until((struct bytes){at, len}, delimiter);
	*ret_field = (struct bytes){at + (quotes != 0), field};
	field += quotes;
	*line = field < len ? (struct bytes){at + field + 1, len - field - 1} : (struct bytes){0};
	return true;
}

/* "2,893,824", "2.893.824", "2 893 824": groups of three, one kind of separator. */
bool csv_grouped(struct bytes field, uint64_t *ret_value);

#endif
