/* json.c: how is JSON read at memory speed without having it all in memory? */
#include "base/json.h"

#include "base/utf8.h"

#include <endian.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_LIMIT 4096 /* characters */
#define PLAIN_DIGITS 18u  /* decimals among them: they fit into 64 bits */
#define DIGITS_MOST                                                                                \
	19u /* of a number: more do not fit into 64 bits, and change nothing that is kept */

void json_open(struct json *j, struct input *in, struct error *err)
{
	*j = (struct json){.in = in, .err = err};
	j->at = in->window.at;
	j->end = in->window.len ? j->at + in->window.len : j->at;
	if (in->window.len >= 3 && !memcmp(j->at, "\xEF\xBB\xBF", 3) && !in->offset)
		j->at += 3;
}

void json_release(struct json *j)
{
	buffer_release(&j->text);
	j->in = NULL;
}

/* ---- Errors ---- */

/* Eight bytes at a time: what is left of a byte by this is its highest bit if it is a newline. */
static uint64_t newlines(const char *from, const char *to)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
	uint64_t count = 0, word;

	for (; to - from >= 8; from += 8) {
		memcpy(&word, from, 8);
		word ^= 0x0a0a0a0a0a0a0a0au;
		count += ((~(((word & low) + low) | word | low)) >> 7) * 0x0101010101010101u >> 56;
	}
	for (; from < to; from++)
		count += *from == '\n';
	return count;
}

uint64_t json_line(const struct json *j)
{
	return j->lines + newlines(j->in->window.at, j->at) + 1;
}

uint64_t json_byte(const struct json *j)
{
	return j->in->offset + (uint64_t)(j->at - j->in->window.at);
}

bool json_fail(struct json *j, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (j->failed)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set(j->err, ERR_FORMAT, "line %llu, byte %llu: %s", (unsigned long long)json_line(j),
		(unsigned long long)json_byte(j), text);
	j->failed = true;
	return false;
}

/* ---- Bytes ---- */

/* More of the input behind what the window has, which from `*keep` on stays; both it and j->at are
 * moved along. False at the end of the input. */
static bool more(struct json *j, const char **keep)
{
	size_t before = (size_t)(*keep - j->in->window.at), behind = (size_t)(j->at - *keep), had;

	if (j->failed || j->in->ended)
		return false;
	j->lines += newlines(j->in->window.at, *keep);
	input_skip(j->in, before);
	had = j->in->window.len;
	if (!input_fill(j->in, had + 1, j->err)) {
		j->failed = true;
		error_prefix(j->err, "line %llu: ", (unsigned long long)j->lines + 1);
	}
	*keep = j->in->window.at;
	j->at = *keep + behind;
	j->end = *keep + j->in->window.len;
	return !j->failed && j->in->window.len > had;
}

/* The next byte that is no blank, which stays to be read; -1: none. */
static inline int next_byte(struct json *j)
{
	for (;;) {
		for (; j->at < j->end; j->at++) {
			unsigned char c = (unsigned char)*j->at;

			if (c > ' ' || !(c == ' ' || c == '\n' || c == '\r' || c == '\t'))
				return j->failed ? -1 : c;
		}
		if (!more(j, &j->at))
			return -1;
	}
}

static bool ended(struct json *j, const char *expected)
{
	if (j->failed)
		return false;
	j->cut = true;
	return json_fail(j, "the input ends where %s should be", expected);
}

static bool unexpected(struct json *j, const char *expected)
{
	unsigned char c;

	if (j->at == j->end)
		return ended(j, expected);
	c = (unsigned char)*j->at;
	if (c > ' ' && c < 0x7f)
		return json_fail(j, "expected %s, got '%c'", expected, c);
	return json_fail(j, "expected %s, got byte 0x%02x", expected, c);
}

static enum json_kind kind_of(int c)
{
	switch (c) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 'n':
		return JSON_NULL;
	case 't':
		return JSON_TRUE;
	case 'f':
		return JSON_FALSE;
	default:
		return c == '-' || (c >= '0' && c <= '9') ? JSON_NUMBER : JSON_NOTHING;
	}
}

enum json_kind json_peek(struct json *j)
{
	return kind_of(next_byte(j));
}

/* ---- Arrays and objects ---- */

static bool open_one(struct json *j, bool object)
{
	uint64_t bit = 1ull << j->depth % 64;

	if (j->depth == JSON_DEPTH_LIMIT)
		return json_fail(
			j, "more than %u arrays and objects inside each other", JSON_DEPTH_LIMIT);
	if (object)
		j->objects[j->depth / 64] |= bit;
	else
		j->objects[j->depth / 64] &= ~bit;
	j->depth++;
	j->at++;
	j->fresh = true;
	return true;
}

static bool in_object(const struct json *j)
{
	unsigned level = j->depth - 1;

	return j->objects[level / 64] >> level % 64 & 1;
}

static bool close_one(struct json *j)
{
	j->depth--;
	j->at++;
	j->fresh = false;
	return false;
}

bool json_object(struct json *j)
{
	return next_byte(j) == '{' ? open_one(j, true) : unexpected(j, "an object");
}

bool json_array(struct json *j)
{
	return next_byte(j) == '[' ? open_one(j, false) : unexpected(j, "an array");
}

/* The input ends between two items of what may be cut there. */
static bool end_early(struct json *j)
{
	j->cut = true;
	j->depth--;
	return false;
}

/* Before the next item or key of the innermost one, which `close` ends: false when that comes. */
static inline bool advance(struct json *j, char close, const char *expected)
{
	int c = next_byte(j);
	bool may_end = j->depth <= j->may_end_in && !j->failed;

	if (c == close)
		return close_one(j);
	if (c < 0 && may_end)
		return end_early(j);
	if (!j->fresh) {
		if (c != ',')
			return unexpected(j, expected);
		j->at++;
		if (may_end && (c = next_byte(j)) == close)
			return close_one(j);
		if (may_end && c < 0)
			return end_early(j);
	}
	j->fresh = false;
	return !j->failed;
}

bool json_item(struct json *j)
{
	return advance(j, ']', "',' or ']'");
}

/* ---- Strings ---- */

static inline uint64_t has_zero(uint64_t x)
{
	return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* The first quote or backslash of [at, end), or `end`. */
static inline const char *quote_or_escape(const char *at, const char *end)
{
	while (end - at >= 8) {
		uint64_t word, hits;

		memcpy(&word, at, 8);
		hits = has_zero(word ^ 0x2222222222222222u) | has_zero(word ^ 0x5c5c5c5c5c5c5c5cu);
		if (hits)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			return at + __builtin_ctzll(hits) / 8;
#else
			break;
#endif
		at += 8;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* Behind the string whose opening quote has been read; *ret_raw lies between the quotes. */
static bool string_raw(struct json *j, struct bytes *ret_raw, bool *ret_escapes)
{
	const char *start = j->at;

	*ret_escapes = false;
	for (;;) {
		j->at = quote_or_escape(j->at, j->end);
		if (j->at == j->end || (*j->at == '\\' && j->at + 1 == j->end)) {
			if ((size_t)(j->at - start) > JSON_STRING_LIMIT)
				return json_fail(j, "a string of more than %zu MiB",
					JSON_STRING_LIMIT >> 20);
			if (!more(j, &start))
				return ended(j, "the end of a string");
		} else if (*j->at == '"') {
			break;
		} else {
			*ret_escapes = true;
			j->at += 2;
		}
	}
	*ret_raw = (struct bytes){start, (size_t)(j->at - start)};
	j->at++;
	return true;
}

/* The four digits at the start of `text`, or -1. */
static int32_t four_digits(struct bytes text)
{
	int32_t value = 0;

	if (text.len < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		char c = text.at[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		if (digit < 0 || digit > 15 || (digit > 9 && !((c | 0x20) >= 'a')))
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

static void add_code_point(struct buffer *b, uint32_t c)
{
	if (c < 0x80) {
		buffer_char(b, (char)c);
	} else if (c < 0x800) {
		buffer_char(b, (char)(0xC0 | c >> 6));
		buffer_char(b, (char)(0x80 | (c & 0x3F)));
	} else if (c < 0x10000) {
		buffer_char(b, (char)(0xE0 | c >> 12));
		buffer_char(b, (char)(0x80 | (c >> 6 & 0x3F)));
		buffer_char(b, (char)(0x80 | (c & 0x3F)));
	} else {
		buffer_char(b, (char)(0xF0 | c >> 18));
		buffer_char(b, (char)(0x80 | (c >> 12 & 0x3F)));
		buffer_char(b, (char)(0x80 | (c >> 6 & 0x3F)));
		buffer_char(b, (char)(0x80 | (c & 0x3F)));
	}
}

/* What follows "\u". Returns how many bytes that was; 0: no code. */
static size_t unescape_unit(struct buffer *out, struct bytes rest)
{
	int32_t high = four_digits(rest), low = -1;

	if (high < 0)
		return 0;
	if (high >= 0xD800 && high < 0xDC00 && rest.len >= 10 && !memcmp(rest.at + 4, "\\u", 2))
		low = four_digits((struct bytes){rest.at + 6, rest.len - 6});
	if (low >= 0xDC00 && low < 0xE000) {
		add_code_point(out,
			0x10000u + ((uint32_t)high - 0xD800u) * 0x400u + ((uint32_t)low - 0xDC00u));
		return 10;
	}
	add_code_point(out, high >= 0xD800 && high < 0xE000 ? 0xFFFD : (uint32_t)high);
	return 4;
}

static bool unescape(struct json *j, struct bytes raw)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	size_t at = 0;

	j->text.len = 0;
	while (at < raw.len) {
		const char *escape = memchr(raw.at + at, '\\', raw.len - at);
		size_t plain = escape ? (size_t)(escape - raw.at) - at : raw.len - at;
		const char *known;

		buffer_add(&j->text, raw.at + at, plain);
		at += plain;
		if (!escape)
			break;
		known = memchr(from, (unsigned char)raw.at[at + 1], sizeof(from) - 1);
		if (known) {
			buffer_char(&j->text, to[known - from]);
			at += 2;
		} else {
			size_t used =
				raw.at[at + 1] == 'u'
					? unescape_unit(&j->text,
						  (struct bytes){raw.at + at + 2, raw.len - at - 2})
					: 0;

			if (!used)
				return json_fail(j, "the string before has an escape that is none");
			at += 2 + used;
		}
	}
	return true;
}

struct bytes json_string(struct json *j)
{
	struct bytes raw = {"", 0};
	bool escapes = false;

	if (next_byte(j) != '"') {
		unexpected(j, "a string");
		return (struct bytes){"", 0};
	}
	j->at++;
	if (!string_raw(j, &raw, &escapes) || (escapes && !unescape(j, raw)))
		return (struct bytes){"", 0};
	return escapes ? buffer_bytes(&j->text) : raw;
}

/* More of the input may move what is in the window. */
static void keep_key(struct json *j, struct bytes *key)
{
	if (key->at == j->text.at && j->text.at)
		return;
	buffer_set(&j->text, *key);
	*key = buffer_bytes(&j->text);
}

/* The value's first byte is in the window from here on, so that json_peek does not move the key. */
static void reach_value(struct json *j, struct bytes *key)
{
	while (j->at < j->end &&
		(*j->at == ' ' || *j->at == '\n' || *j->at == '\r' || *j->at == '\t'))
		j->at++;
	if (j->at < j->end)
		return;
	keep_key(j, key);
	next_byte(j);
}

bool json_key(struct json *j, struct bytes *ret_key)
{
	*ret_key = (struct bytes){"", 0};
	if (!advance(j, '}', "',' or '}'"))
		return false;
	if (next_byte(j) != '"')
		return unexpected(j, "a key");
	*ret_key = json_string(j);
	/* The colon may be in a part of the input that is not there yet, and the key must stay. */
	if (j->at == j->end || *j->at != ':') {
		keep_key(j, ret_key);
		if (next_byte(j) != ':')
			return unexpected(j, "':'");
	}
	j->at++;
	reach_value(j, ret_key);
	return !j->failed;
}

/* ---- Numbers ---- */

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000u};

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read digits into *n. Returns behind them. */
static inline const char *take_digits(
	const char *at, const char *end, struct json_decimal *n, bool fraction)
{
	for (; at < end && is_digit(*at); at++) {
		if (n->digits < powers[DIGITS_MOST - 1]) {
			n->digits = n->digits * 10 + (uint64_t)(*at - '0');
			n->exponent -= fraction;
		} else {
			n->exponent += !fraction;
		}
	}
	return at;
}

static const char *take_exponent(const char *at, const char *end, struct json_decimal *n)
{
	const char *start = ++at;
	bool negative = at < end && *at == '-';
	int exponent = 0;

	if (at < end && (*at == '-' || *at == '+'))
		start = ++at;
	for (; at < end && is_digit(*at); at++)
		if (exponent < 100000)
			exponent = exponent * 10 + (*at - '0');
	n->exponent += negative ? -exponent : exponent;
	return at == start ? NULL : at;
}

/* Behind the number at the start of [at, end), or NULL when there is none. One that reaches `end`
 * may go on there. */
static inline const char *take_number(const char *at, const char *end, struct json_decimal *n)
{
	const char *start;

	*n = (struct json_decimal){.negative = at < end && *at == '-'};
	at += n->negative;
	start = at;
	at = take_digits(at, end, n, false);
	if (at == start)
		return NULL;
	if (at < end && *at == '.') {
		start = ++at;
		at = take_digits(at, end, n, true);
		if (at == start)
			return NULL;
	}
	return at < end && (*at | 0x20) == 'e' ? take_exponent(at, end, n) : at;
}

/* False when it does not fit. */
static inline bool number_scaled(
	const struct json_decimal *n, unsigned decimals, int64_t *ret_value)
{
	int exponent = n->exponent + (int)decimals;
	uint64_t value = n->digits;

	if (exponent > 0) {
		if (value && (exponent > (int)DIGITS_MOST ||
				     __builtin_mul_overflow(value, powers[exponent], &value)))
			return false;
	} else if (exponent < -(int)DIGITS_MOST) {
		value = 0;
	} else if (exponent < 0) {
		uint64_t by = powers[-exponent], rest = value % by;

		value = value / by + (rest >= by - rest);
	}
	if (value > INT64_MAX)
		return false;
	*ret_value = n->negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static int64_t number_in_text(struct json *j, unsigned decimals)
{
	struct bytes text = bytes_trim(json_string(j));
	const char *end = text.at + text.len;
	struct json_decimal n;
	int64_t value;

	if (take_number(text.at, end, &n) == end && number_scaled(&n, decimals, &value))
		return value;
	json_fail(j, "expected a number, got a string before");
	return 0;
}

/* A word such as null, and nothing that goes on behind it. */
static bool take_word(struct json *j, const char *word)
{
	size_t len = strlen(word);

	while ((size_t)(j->end - j->at) < len + 1 && more(j, &j->at))
		;
	if ((size_t)(j->end - j->at) < len || memcmp(j->at, word, len))
		return unexpected(j, "a value");
	j->at += len;
	return true;
}

/* Behind the number that comes next, with all of it in the window; NULL: it is none. */
static inline const char *number_text(struct json *j, struct json_decimal *n)
{
	const char *behind;

	while ((behind = take_number(j->at, j->end, n)) == j->end ||
		(!behind && j->end - j->at < NUMBER_LIMIT))
		if (j->end - j->at > NUMBER_LIMIT || !more(j, &j->at))
			break;
	if (!behind)
		unexpected(j, "a number");
	return behind;
}

static inline int64_t number_here(struct json *j, unsigned decimals)
{
	struct json_decimal n;
	int64_t value;
	const char *behind;

	behind = number_text(j, &n);
	if (!behind)
		return 0;
	if (!number_scaled(&n, decimals, &value)) {
		json_fail(j, "a number that exceeds 2^63");
		return 0;
	}
	j->at = behind;
	return value;
}

int64_t json_number(struct json *j, unsigned decimals, int64_t if_null)
{
	int c = next_byte(j);

	if (is_digit((char)c) || c == '-')
		return number_here(j, decimals);
	if (c == 'n')
		return take_word(j, "null") ? if_null : 0;
	if (c == '"')
		return number_in_text(j, decimals);
	unexpected(j, "a number");
	return 0;
}

static bool double_of(struct bytes text, double *ret_value)
{
	bool minus = bytes_start(text, BYTES("-"));

	if (bytes_equal(text, BYTES("NaN")))
		*ret_value = (double)NAN;
	else if (bytes_end(text, BYTES("Infinity")) && text.len == 8u + minus)
		*ret_value = minus ? -(double)INFINITY : (double)INFINITY;
	else
		return bytes_double(text, ret_value);
	return true;
}

double json_double(struct json *j)
{
	double value = 0;
	const char *behind;
	struct json_decimal n;

	if (next_byte(j) == '"') {
		if (!double_of(json_string(j), &value) && !j->failed)
			json_fail(j, "expected a number, got a string before");
		return value;
	}
	behind = number_text(j, &n);
	if (!behind)
		return 0;
	if (!bytes_double((struct bytes){j->at, (size_t)(behind - j->at)}, &value))
		json_fail(j, "a number of more than 63 characters");
	j->at = behind;
	return value;
}

bool json_flag(struct json *j)
{
	int c = next_byte(j);

	if (c == 't')
		return take_word(j, "true");
	if (c == 'f')
		return take_word(j, "false") && false;
	return json_number(j, 0, 0) != 0;
}

static inline bool column_item(struct json *j, size_t len)
{
	if (!json_item(j))
		return false;
	return len < JSON_COLUMN_LIMIT ||
	       json_fail(j, "an array of more than %zu items", JSON_COLUMN_LIMIT);
}

#define WORD_DIGITS 7u

/* Numbers of up to WORD_DIGITS digits, each of another length: eight bytes at once are faster than
 * branches that nobody can foretell. Returns how many digits there are; 0: none, or more. */
static inline unsigned word_number(const char *at, int64_t *ret_value)
{
	const uint64_t low = 0x0101010101010101u;
	uint64_t word, others;
	unsigned digits;

	memcpy(&word, at, sizeof(word));
	word = le64toh(word) ^ low * '0';
	others = (word | (word + low * (0x80 - 10))) & low << 7;
	digits = others ? (unsigned)__builtin_ctzll(others) / 8 : 0;
	if (!digits)
		return 0;
	word <<= 64 - 8 * digits;
	word = word * 10 + (word >> 8); /* of two digits, in every other byte */
	word = (word & 0xff000000ffu) * (100 + (1000000ull << 32)) +
	       (word >> 16 & 0xff000000ffu) * (1 + (10000ull << 32));
	*ret_value = (int64_t)(word >> 32);
	return digits;
}

/* Most items of columns are short numbers with a comma and the next one right behind: reads one
 * that is, and moves to the next. False: it is not, and nothing was read. */
static inline bool plain_item(struct json *j, unsigned decimals, int64_t *ret_value)
{
	bool negative = j->at < j->end && *j->at == '-';
	const char *start = j->at + negative, *at = start, *end = at + PLAIN_DIGITS - decimals;
	int64_t value = 0;

	if (j->end - start < (ptrdiff_t)PLAIN_DIGITS + 3)
		return false;
	if (!decimals && !negative) {
		at += word_number(at, &value);
		if (at > start && *at == ',' && is_digit(at[1])) {
			*ret_value = value;
			j->at = at + 1;
			return true;
		}
		at = start;
		value = 0;
	}
	for (; at < end && is_digit(*at); at++)
		value = value * 10 + (*at - '0');
	if (*at == '.' && at > start)
		for (start = ++at; decimals && is_digit(*at); at++, decimals--)
			value = value * 10 + (*at - '0');
	if (at == start || *at != ',' || !(is_digit(at[1]) || at[1] == '-'))
		return false;
	value *= (int64_t)powers[decimals];
	*ret_value = negative ? -value : value;
	j->at = at + 1;
	return true;
}

size_t json_plain_items(struct json *j, int64_t *ret_values, size_t most)
{
	size_t count = 0;

	while (count < most && plain_item(j, 0, &ret_values[count]))
		count++;
	return count;
}

void json_numbers(struct json *j, unsigned decimals, int64_t if_null, struct json_numbers *out)
{
	int64_t value;

	if (json_peek(j) == JSON_NULL) {
		json_skip(j);
		return;
	}
	for (json_array(j); column_item(j, out->len);) {
		while (plain_item(j, decimals, &value) && out->len < JSON_COLUMN_LIMIT)
			vector_push(out, value);
		value = json_number_if(j, decimals, if_null);
		vector_push(out, value);
	}
}

static inline uint32_t index_from(int64_t value)
{
	return value < 0 || value >= JSON_NO_INDEX ? JSON_NO_INDEX : (uint32_t)value;
}

void json_indices(struct json *j, struct json_indices *out)
{
	int64_t value;

	if (json_peek(j) == JSON_NULL) {
		json_skip(j);
		return;
	}
	for (json_array(j); column_item(j, out->len);) {
		while (plain_item(j, 0, &value) && out->len < JSON_COLUMN_LIMIT)
			vector_push(out, index_from(value));
		value = json_number_if(j, 0, -1);
		vector_push(out, index_from(value));
	}
}

/* ---- Passing over ---- */

static void skip_string(struct json *j)
{
	j->at++;
	for (;;) {
		j->at = quote_or_escape(j->at, j->end);
		if (j->at == j->end || (*j->at == '\\' && j->at + 1 == j->end)) {
			if (!more(j, &j->at)) {
				ended(j, "the end of a string");
				return;
			}
		} else if (*j->at++ == '"') {
			return;
		} else {
			j->at++;
		}
	}
}

/* Behind the end of what was opened at `depth`. */
static void skip_open(struct json *j, unsigned depth)
{
	while (j->depth >= depth) {
		int c;

		/* Whatever opens, closes nothing and is no string has no say here. */
		while (j->at < j->end && (*j->at | 0x20) != '{' && (*j->at | 0x20) != '}' &&
			*j->at != '"')
			j->at++;
		c = next_byte(j);
		if (c == '"') {
			skip_string(j);
		} else if (c == '{' || c == '[') {
			open_one(j, c == '{');
		} else if (c == '}' || c == ']') {
			if (in_object(j) != (c == '}')) {
				unexpected(j, in_object(j) ? "'}'" : "']'");
				return;
			}
			close_one(j);
		} else if (c < 0) {
			ended(j, in_object(j) ? "'}'" : "']'");
			return;
		} else {
			j->at++;
		}
		if (j->failed)
			return;
	}
}

void json_skip(struct json *j)
{
	int c = next_byte(j);
	unsigned depth = j->depth + 1;
	const char *behind;
	struct json_decimal n;

	switch (kind_of(c)) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		if (open_one(j, c == '{'))
			skip_open(j, depth);
		break;
	case JSON_STRING:
		skip_string(j);
		break;
	case JSON_NUMBER:
		behind = number_text(j, &n);
		j->at = behind ? behind : j->at;
		break;
	case JSON_NULL:
		take_word(j, "null");
		break;
	case JSON_TRUE:
		take_word(j, "true");
		break;
	case JSON_FALSE:
		take_word(j, "false");
		break;
	default:
		unexpected(j, "a value");
	}
}

struct bytes json_string_if(struct json *j)
{
	if (json_peek(j) == JSON_STRING)
		return json_string(j);
	json_skip(j);
	return (struct bytes){"", 0};
}

bool json_decimal_if(struct json *j, struct json_decimal *ret_number)
{
	int c = next_byte(j);
	const char *behind;
	struct bytes text;

	if (is_digit((char)c) || c == '-') {
		behind = number_text(j, ret_number);
		if (behind)
			j->at = behind;
		return behind;
	}
	if (c == '"') {
		text = bytes_trim(json_string(j));
		return text.len &&
		       take_number(text.at, text.at + text.len, ret_number) == text.at + text.len;
	}
	json_skip(j);
	return false;
}

int64_t json_decimal_times(const struct json_decimal *n, unsigned decimals, int64_t if_beyond)
{
	int64_t value;

	return number_scaled(n, decimals, &value) ? value : if_beyond;
}

int64_t json_number_if(struct json *j, unsigned decimals, int64_t if_none)
{
	struct json_decimal n;
	int64_t value;

	if (!json_decimal_if(j, &n))
		return if_none;
	if (number_scaled(&n, decimals, &value))
		return value;
	json_fail(j, "a number that exceeds 2^63");
	return 0;
}

bool json_object_if(struct json *j)
{
	if (json_peek(j) == JSON_OBJECT)
		return json_object(j);
	json_skip(j);
	return false;
}

bool json_array_if(struct json *j)
{
	if (json_peek(j) == JSON_ARRAY)
		return json_array(j);
	json_skip(j);
	return false;
}

bool json_finish(struct json *j)
{
	if (!j->failed && !j->cut && next_byte(j) >= 0)
		unexpected(j, "the end of the input");
	return !j->failed;
}
