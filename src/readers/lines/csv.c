/* csv.c: the fields of a line of comma-separated values. */
#include "readers/lines/csv.h"

size_t csv_quoted(struct bytes behind_quote, char delimiter)
{
	const char *at = behind_quote.at, *end = at + behind_quote.len;

	while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
		if (at + 1 == end || at[1] == delimiter)
			return (size_t)(at - behind_quote.at);
		at++;
	}
	return SIZE_MAX;
}

bool csv_grouped(struct bytes field, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t group = 0;
	char separator = '\0';

	for (size_t i = 0; i < field.len; i++) {
		char c = field.at[i];

		if (is_digit(c)) {
			if ((separator && group == 3) ||
				__builtin_mul_overflow(value, 10, &value) ||
				__builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
				return false;
			group++;
			continue;
		}
		if ((c != ',' && c != '.' && c != ' ') || (separator && c != separator) ||
			(separator ? group != 3 : !group || group > 3))
			return false;
		separator = c;
		group = 0;
	}
	*ret_value = value;
	return field.len && (!separator || group == 3);
}
