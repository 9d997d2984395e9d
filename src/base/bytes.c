/* bytes.c: how are lines, words and numbers read out of text? */
#include "base/bytes.h"

#include <stdlib.h>

int bytes_compare(struct bytes a, struct bytes b)
{
	size_t shared = a.len < b.len ? a.len : b.len;
	int order = shared ? memcmp(a.at, b.at, shared) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool bytes_line(struct bytes *text, struct bytes *ret_line)
{
	const char *newline;
	struct bytes line = *text;

	if (!text->len)
		return false;
	newline = memchr(text->at, '\n', text->len);
	if (newline)
		line.len = (size_t)(newline - text->at);
	text->at += line.len + (newline != NULL);
	text->len -= line.len + (newline != NULL);
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	*ret_line = line;
	return true;
}

const char *bytes_find(struct bytes whole, struct bytes needle)
{
	if (!whole.len || !needle.len)
		return needle.len ? NULL : whole.at;
	return memmem(whole.at, whole.len, needle.at, needle.len);
}

const char *bytes_find_last(struct bytes whole, char c)
{
	return whole.len ? memrchr(whole.at, c, whole.len) : NULL;
}

struct bytes bytes_base_name(struct bytes path)
{
	const char *slash = bytes_find_last(path, '/');

	if (!slash)
		return path;
	return (struct bytes){slash + 1, path.len - (size_t)(slash + 1 - path.at)};
}

bool bytes_u64(struct bytes text, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!text.len)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned char)text.at[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool bytes_hex(struct bytes text, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!text.len || text.len > 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int digit = hex_digit(text.at[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	*ret_value = value;
	return true;
}

/* "12.345" with up to 15 digits: the integer and the power of ten are exact as doubles, so their
 * quotient is the nearest double. */
static bool plain_double(struct bytes text, double *ret_value)
{
	static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	size_t point = text.len;

	if (!text.len || text.len > 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '.' && point == text.len && i + 1 < text.len)
			point = i;
		else if (is_digit(text.at[i]))
			digits = digits * 10 + (uint64_t)(text.at[i] - '0');
		else
			return false;
	}
	if (point == text.len ? text.len > 15 : point == 0)
		return false;
	*ret_value = (double)digits / powers[point == text.len ? 0 : text.len - 1 - point];
	return true;
}

bool bytes_double(struct bytes text, double *ret_value)
{
	char copy[64];
	char *end;
	double value;

	if (plain_double(text, ret_value))
		return true;
	if (!text.len || text.len >= sizeof(copy))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		bool digit = is_digit(text.at[i]);

		if (!digit && (!strchr("+-.eE", text.at[i]) || !text.at[i]))
			return false;
	}
	memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	value = strtod(copy, &end);
	if (*end)
		return false;
	*ret_value = value;
	return true;
}

bool bytes_duration(struct bytes text, uint64_t *ret_ns)
{
	static const struct {
		struct bytes suffix;
		double ns;
	} units[] = {
		{{"ns", 2}, 1},
		{{"us", 2}, 1e3},
		{{"ms", 2}, 1e6},
		{{"s", 1}, 1e9},
		{{"m", 1}, 60e9},
		{{"h", 1}, 3600e9},
	};
	double scale = 1e9, value;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (bytes_ends_with(text, units[i].suffix)) {
			text.len -= units[i].suffix.len;
			scale = units[i].ns;
			break;
		}
	}
	if (!bytes_double(text, &value) || value < 0 || value * scale >= 9.2e18)
		return false;
	*ret_ns = (uint64_t)(value * scale + 0.5);
	return true;
}
