/* csv.c: the fields of a line of comma-separated values. */
#include "readers/csv.h"

/* The quote that ends a field which starts at `text`, or NULL. */
static const char *closing_quote(struct bytes text, char delimiter)
{
	const char *end = text.at + text.len, *at = text.at;

	while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
		if (at + 1 == end || at[1] == delimiter)
			return at;
		at++;
	}
	return NULL;
}

bool csv_next(struct bytes *line, char delimiter, struct bytes *ret_field)
{
	struct bytes rest = *line;
	const char *end;

	if (!rest.at)
		return false;
	if (rest.len && *rest.at == '"') {
		rest = (struct bytes){rest.at + 1, rest.len - 1};
		end = closing_quote(rest, delimiter);
		if (end) {
			*ret_field = (struct bytes){rest.at, (size_t)(end - rest.at)};
			rest = (struct bytes){end + 1, rest.len - ret_field->len - 1};
			*line = rest.len ? (struct bytes){rest.at + 1, rest.len - 1}
					 : (struct bytes){0};
			return true;
		}
		rest = *line;
	}
	end = rest.len ? memchr(rest.at, delimiter, rest.len) : NULL;
	*ret_field = (struct bytes){rest.at, end ? (size_t)(end - rest.at) : rest.len};
	*line = end ? (struct bytes){end + 1, rest.len - ret_field->len - 1} : (struct bytes){0};
	return true;
}

bool csv_grouped(struct bytes field, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t group = 0;
	char separator = '\0';

	for (size_t i = 0; i < field.len; i++) {
		char c = field.at[i];

		if (c >= '0' && c <= '9') {
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
