/* json_numbers.c: how are JSON's numbers parsed, one by one and in columns?
 *
 * Profiles in JSON are mostly long arrays of short integers. So a column is read by a fast path,
 * plain_item: a number of at most DIGITS_LIMIT digits with a comma and another number behind it,
 * all in the window. It is parsed in words of eight bytes without a branch for each digit. Items
 * that are equal to the one before, which is common for weights, are compared as text and not
 * parsed at all (same_items). Anything unusual falls back to the general path, which gives the
 * same values. `bench/readers.sh` measures both; strtoll and strtod need a copy with a NUL and
 * depend on the locale. */
#include "base/json_internal.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#define NUMBER_LIMIT 4096 /* characters */
#define DIGITS_LIMIT                                                                               \
	19u /* significant digits: more do not fit into 64 bits and do not change the result */

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000u};

/* Parse digits into *n. Returns the end. */
static inline const char *parse_digits(
	const char *at, const char *end, struct json_decimal *n, bool fraction)
{
	for (; at < end && is_digit(*at); at++) {
		if (n->digits < powers[DIGITS_LIMIT - 1]) {
			n->digits = n->digits * 10 + (uint64_t)(*at - '0');
			n->exponent -= fraction;
		} else {
			n->exponent += !fraction;
		}
	}
	return at;
}

static const char *parse_exponent(const char *at, const char *end, struct json_decimal *n)
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

/* Parse the number at the start of [at, end). Returns its end, NULL: not a number. One that
 * reaches `end` may continue there. */
static inline const char *parse_number(const char *at, const char *end, struct json_decimal *n)
{
	const char *start;

	*n = (struct json_decimal){.negative = at < end && *at == '-'};
	at += n->negative;
	start = at;
	at = parse_digits(at, end, n, false);
	if (at == start)
		return NULL;
	if (at < end && *at == '.') {
		start = ++at;
		at = parse_digits(at, end, n, true);
		if (at == start)
			return NULL;
	}
	return at < end && (*at | 0x20) == 'e' ? parse_exponent(at, end, n) : at;
}

/* False on overflow. */
static inline bool number_scaled(
	const struct json_decimal *n, unsigned decimals, int64_t *ret_value)
{
	int exponent = n->exponent + (int)decimals;
	uint64_t value = n->digits;

	if (exponent > 0) {
		if (value && (exponent > (int)DIGITS_LIMIT ||
				     __builtin_mul_overflow(value, powers[exponent], &value)))
			return false;
	} else if (exponent < -(int)DIGITS_LIMIT) {
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

/* ---- Short numbers ---- */

#define WORD_DIGITS 8u

/* Parse a number of up to WORD_DIGITS digits at `at`; returns the number of digits. Lengths vary
 * from number to number, so a branch for each digit would be mispredicted.
 *
 * Instead, all eight bytes are one word: `others` has the top bit of each byte that is no digit,
 * the first of which ends the number. The digits are shifted to the upper end of the word, which
 * puts leading zeroes before them. One multiplication then joins digits to four numbers of two
 * digits, and two more multiply these by 10^6, 10^4, 100 and 1 and add them up in the upper
 * half. */
static inline unsigned word_number(const char *at, uint64_t *ret_value)
{
	const uint64_t low = 0x0101010101010101u;
	uint64_t word, others;
	unsigned digits;

	memcpy(&word, at, sizeof(word));
	word = le64toh(word) ^ low * '0';
	others = (word | (word + low * (0x80 - 10))) & low << 7;
	digits = others ? (unsigned)__builtin_ctzll(others) / 8 : WORD_DIGITS;
	if (!digits)
		return 0;
	word <<= 64 - 8 * digits;
	word = word * 10 + (word >> 8); /* a number of two digits in every other byte */
	word = (word & 0xff000000ffu) * (100 + (1000000ull << 32)) +
	       (word >> 16 & 0xff000000ffu) * (1 + (10000ull << 32));
	*ret_value = word >> 32;
	return digits;
}

/* The same for up to three words; more than DIGITS_LIMIT digits do not fit. */
static inline unsigned words_number(const char *at, uint64_t *ret_value)
{
	unsigned digits = word_number(at, ret_value), more = digits;

	while (more == WORD_DIGITS && digits < 3 * WORD_DIGITS) {
		uint64_t rest = 0;

		more = word_number(at + digits, &rest);
		*ret_value = *ret_value * powers[more] + rest;
		digits += more;
	}
	return digits;
}

#define PLAIN_LENGTH                                                                               \
	56 /* characters that may be read: a quote, a sign, two times 24 digits, a point and what  \
	      follows */

/* Parse the number at `at`, times 10^decimals, if it is a short one. Returns its end, or NULL.
 * PLAIN_LENGTH characters are in the window. */
static inline const char *plain_value(const char *at, unsigned decimals, int64_t *ret_value)
{
	bool negative = *at == '-';
	uint64_t value = 0, part = 0;
	unsigned digits;

	at += negative;
	digits = words_number(at, &value);
	at += digits;
	if (!digits || digits > DIGITS_LIMIT - decimals)
		return NULL;
	if (*at == '.') {
		digits = words_number(++at, &part);
		at += digits;
		if (!digits || digits > decimals)
			return NULL;
		value = value * powers[digits] + part;
		decimals -= digits;
	}
	value *= powers[decimals];
	if (value > INT64_MAX)
		return NULL;
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return at;
}

bool json_plain_number(struct json *j, unsigned decimals, int64_t *ret_value)
{
	const char *at = j->at;
	bool quoted;

	if (j->failed || j->end - at < PLAIN_LENGTH)
		return false;
	quoted = *at == '"';
	at = plain_value(at + quoted, decimals, ret_value);
	if (!at || (quoted ? *at++ != '"' : *at != ',' && *at != '}' && *at != ']'))
		return false;
	j->at = at;
	return true;
}

/* ---- Numbers ---- */

/* Times 10^*decimals; if that is too large and `fit`, *decimals falls to as many as fit. */
static bool number_fits(struct json *j, const struct json_decimal *n, unsigned *decimals, bool fit,
	int64_t *ret_value)
{
	for (unsigned fewer = *decimals;; fewer--) {
		if (number_scaled(n, fewer, ret_value)) {
			*decimals = fewer;
			return true;
		}
		if (!fit || !fewer)
			break;
	}
	return json_fail(j, "a number above 2^63");
}

static int64_t number_in_text(struct json *j, unsigned *decimals, bool fit)
{
	struct bytes text = bytes_trim(json_string(j));
	const char *end = text.at + text.len;
	struct json_decimal n;
	int64_t value;

	if (parse_number(text.at, end, &n) != end)
		json_fail(j, "expected a number, got a string before this");
	else if (number_fits(j, &n, decimals, fit, &value))
		return value;
	return 0;
}

const char *json_number_text(struct json *j, struct json_decimal *n)
{
	const char *behind;

	while ((behind = parse_number(j->at, j->end, n)) == j->end ||
		(!behind && j->end - j->at < NUMBER_LIMIT))
		if (j->end - j->at > NUMBER_LIMIT || !json_more(j, &j->at))
			break;
	if (!behind)
		json_unexpected(j, "a number");
	return behind;
}

static int64_t number_here(struct json *j, unsigned *decimals, bool fit)
{
	struct json_decimal n;
	int64_t value;
	const char *behind;

	behind = json_number_text(j, &n);
	if (!behind)
		return 0;
	if (!number_fits(j, &n, decimals, fit, &value))
		return 0;
	j->at = behind;
	return value;
}

static inline int64_t number_read(struct json *j, unsigned *decimals, bool fit, int64_t if_null)
{
	int64_t value;
	int c;

	if (json_plain_number(j, *decimals, &value))
		return value;
	c = json_next_byte(j);
	if (is_digit((char)c) || c == '-')
		return number_here(j, decimals, fit);
	if (c == 'n')
		return json_literal(j, "null") ? if_null : 0;
	if (c == '"')
		return number_in_text(j, decimals, fit);
	json_unexpected(j, "a number");
	return 0;
}

int64_t json_number(struct json *j, unsigned decimals, int64_t if_null)
{
	return number_read(j, &decimals, false, if_null);
}

int64_t json_number_fit(struct json *j, unsigned *decimals, int64_t if_null)
{
	return number_read(j, decimals, true, if_null);
}

static bool double_of(struct bytes text, double *ret_value)
{
	bool minus = bytes_starts_with(text, BYTES("-"));

	if (bytes_equal(text, BYTES("NaN")))
		*ret_value = (double)NAN;
	else if (bytes_ends_with(text, BYTES("Infinity")) && text.len == 8u + minus)
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

	if (json_next_byte(j) == '"') {
		if (!double_of(json_string(j), &value) && !j->failed)
			json_fail(j, "expected a number, got a string before this");
		return value;
	}
	behind = json_number_text(j, &n);
	if (!behind)
		return 0;
	if (!bytes_double((struct bytes){j->at, (size_t)(behind - j->at)}, &value))
		json_fail(j, "a number of more than 63 characters");
	j->at = behind;
	return value;
}

bool json_bool(struct json *j)
{
	int c = json_next_byte(j);

	if (c == 't')
		return json_literal(j, "true");
	if (c == 'f')
		return json_literal(j, "false") && false;
	return json_number(j, 0, 0) != 0;
}

/* ---- Values of any type ---- */

bool json_decimal_if(struct json *j, struct json_decimal *ret_number)
{
	int c = json_next_byte(j);
	const char *behind;
	struct bytes text;

	if (is_digit((char)c) || c == '-') {
		behind = json_number_text(j, ret_number);
		if (behind)
			j->at = behind;
		return behind;
	}
	if (c == '"') {
		text = bytes_trim(json_string(j));
		return text.len &&
		       parse_number(text.at, text.at + text.len, ret_number) == text.at + text.len;
	}
	json_skip(j);
	return false;
}

int64_t json_decimal_scale(const struct json_decimal *n, unsigned decimals, int64_t if_beyond)
{
	int64_t value;

	return number_scaled(n, decimals, &value) ? value : if_beyond;
}

static inline int64_t number_if(struct json *j, unsigned *decimals, bool fit, int64_t if_none)
{
	struct json_decimal n;
	int64_t value;

	if (json_plain_number(j, *decimals, &value))
		return value;
	if (!json_decimal_if(j, &n))
		return if_none;
	return number_fits(j, &n, decimals, fit, &value) ? value : 0;
}

int64_t json_number_if(struct json *j, unsigned decimals, int64_t if_none)
{
	return number_if(j, &decimals, false, if_none);
}

/* ---- Columns ---- */

static inline bool column_item(struct json *j, size_t len)
{
	if (!json_item(j))
		return false;
	return len < JSON_COLUMN_LIMIT ||
	       json_fail(j, "an array of more than %zu items", JSON_COLUMN_LIMIT);
}

/* Most items of columns are short numbers with a comma and the next number directly behind.
 * Reads such an item and moves to the next; false: not one, and nothing is consumed. */
static inline bool plain_item(struct json *j, unsigned decimals, int64_t *ret_value)
{
	const char *at = j->at;

	if (j->end - at < PLAIN_LENGTH)
		return false;
	at = plain_value(at, decimals, ret_value);
	if (!at || *at++ != ',')
		return false;
	at += *at == ' ';
	if (!is_digit(*at) && *at != '-')
		return false;
	j->at = at;
	return true;
}

/* The first `len` of sixteen bytes as words; masks clear the rest. */
struct head {
	uint64_t words[2], masks[2];
};

static inline void load_words(const char *at, uint64_t words[2])
{
	memcpy(words, at, 2 * sizeof(*words));
	words[0] = le64toh(words[0]);
	words[1] = le64toh(words[1]);
}

#define HEAD_LIMIT 16

static inline struct head head_of(const char *at, size_t len)
{
	struct head h;

	h.masks[0] = len < 8 ? (1ull << len * 8) - 1 : UINT64_MAX;
	h.masks[1] = len < 8 ? 0 : len < 16 ? (1ull << (len - 8) * 8) - 1 : UINT64_MAX;
	load_words(at, h.words);
	return h;
}

static inline bool begins_with(const char *at, const struct head *h)
{
	uint64_t words[2];

	load_words(at, words);
	return !(((words[0] ^ h->words[0]) & h->masks[0]) |
		 ((words[1] ^ h->words[1]) & h->masks[1]));
}

/* Skip repetitions of the item at `at`, which has just been read, and return how many they were.
 * Comparing text is faster than parsing, which must find the end of each number first. */
static inline size_t same_items(struct json *j, const char *at, size_t max)
{
	size_t len = (size_t)(j->at - at), count = 0;
	struct head item;

	if (len > HEAD_LIMIT)
		return 0;
	item = head_of(at, len);
	for (at = j->at; count < max && j->end - at >= PLAIN_LENGTH; at += len, count++)
		if (!begins_with(at, &item) || !(is_digit(at[len]) || at[len] == '-'))
			break;
	j->at = at;
	return count;
}

size_t json_plain_numbers(struct json *j, unsigned decimals, int64_t *ret_values, size_t max)
{
	size_t count = 0, again;

	while (count < max) {
		const char *at = j->at;
		int64_t value;

		if (!plain_item(j, decimals, &value))
			break;
		ret_values[count++] = value;
		for (again = same_items(j, at, max - count); again; again--)
			ret_values[count++] = value;
	}
	return count;
}

#define AT_ONCE 256u /* items */

/* Read the plain items that come next in a column that has `len` items so far. */
static inline size_t column_plain_items(
	struct json *j, unsigned decimals, int64_t values[AT_ONCE], size_t len)
{
	size_t room = JSON_COLUMN_LIMIT - len;

	return json_plain_numbers(j, decimals, values, room < AT_ONCE ? room : AT_ONCE);
}

void json_numbers_lower(struct json_numbers *numbers, unsigned by)
{
	for (size_t i = 0; by && i < numbers->len; i++) {
		int64_t *item = &numbers->items[i], down = (int64_t)powers[by];

		if (*item != INT64_MIN)
			*item = *item / down + *item % down * 2 / down;
	}
}

static void column_read(
	struct json *j, unsigned *decimals, bool fit, int64_t if_null, struct json_numbers *out)
{
	int64_t values[AT_ONCE], value;
	size_t count;

	if (json_peek(j) == JSON_NULL) {
		json_skip(j);
		return;
	}
	for (json_array(j); column_item(j, out->len);) {
		unsigned before = *decimals;

		do {
			count = column_plain_items(j, before, values, out->len);
			vector_reserve(out, count + 1);
			memcpy(out->items + out->len, values, count * sizeof(*values));
			out->len += count;
		} while (count == AT_ONCE);
		value = number_if(j, decimals, fit, if_null);
		json_numbers_lower(out, before - *decimals);
		vector_push(out, value);
	}
}

void json_numbers(struct json *j, unsigned decimals, int64_t if_null, struct json_numbers *out)
{
	column_read(j, &decimals, false, if_null, out);
}

void json_numbers_fit(struct json *j, unsigned *decimals, int64_t if_null, struct json_numbers *out)
{
	column_read(j, decimals, true, if_null, out);
}

static inline uint32_t index_from(int64_t value)
{
	return value < 0 || value >= JSON_NO_INDEX ? JSON_NO_INDEX : (uint32_t)value;
}

void json_indices(struct json *j, struct json_indices *out)
{
	int64_t values[AT_ONCE];
	size_t count;

	if (json_peek(j) == JSON_NULL) {
		json_skip(j);
		return;
	}
	for (json_array(j); column_item(j, out->len);) {
		do {
			count = column_plain_items(j, 0, values, out->len);
			vector_reserve(out, count + 1);
			for (size_t i = 0; i < count; i++)
				out->items[out->len + i] = index_from(values[i]);
			out->len += count;
		} while (count == AT_ONCE);
		vector_push(out, index_from(json_number_if(j, 0, -1)));
	}
}
