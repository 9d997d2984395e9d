/* json.c: how is JSON read at memory speed without having it all in memory?
 *
 * The state is small: a position in the input's window, the depth, and one bit for each open level
 * (object or array), so nothing recurses and nothing is allocated but the text of strings with
 * escapes. Most bytes of an input belong to values that the caller does not need: such a value is
 * only searched for brackets and quotes (skip_open). The end of a string is found eight bytes at a
 * time (quote_or_escape). A caller that knows which key usually comes next compares it in place
 * (json_key_is). Columns of numbers are in json_numbers.c. */
#include "base/json_internal.h"

#include "base/utf8.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void json_open(struct json *j, struct input *in, struct error *err)
{
	*j = (struct json){.in = in, .err = err};
	j->at = in->window.at;
	j->end = in->window.len ? j->at + in->window.len : j->at;
}

void json_open_within(struct json *j, struct input *in, unsigned depth, struct error *err)
{
	json_open(j, in, err);
	j->depth = depth;
	j->at_start = true;
}

void json_release(struct json *j)
{
	buffer_release(&j->text);
	j->in = NULL;
}

/* ---- Errors ---- */

typedef unsigned char sixteen __attribute__((vector_size(16)));

/* Sixteen bytes at a time. Each of the 16 lanes counts in a byte of its own, which is added up
 * before it can overflow. */
static uint64_t newlines(const char *from, const char *to)
{
	uint64_t count = 0;

	while (to - from >= 16) {
		sixteen counts = {0}, here;

		for (int i = 0; i < UINT8_MAX && to - from >= 16; i++, from += 16) {
			memcpy(&here, from, sizeof(here));
			counts -= (sixteen)(here == '\n');
		}
		for (int i = 0; i < 16; i++)
			count += counts[i];
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

bool json_more(struct json *j, const char **keep)
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

static bool json_unexpected_end(struct json *j, const char *expected)
{
	if (j->failed)
		return false;
	j->truncated = true;
	return json_fail(j, "unexpected end of input; expected %s", expected);
}

bool json_unexpected(struct json *j, const char *expected)
{
	unsigned char c;

	if (j->at == j->end)
		return json_unexpected_end(j, expected);
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
		return c == '-' || (c >= '0' && c <= '9') ? JSON_NUMBER : JSON_END;
	}
}

enum json_kind json_peek(struct json *j)
{
	return kind_of(json_next_byte(j));
}

bool json_literal(struct json *j, const char *word)
{
	size_t len = strlen(word);

	while ((size_t)(j->end - j->at) < len + 1 && json_more(j, &j->at))
		;
	if ((size_t)(j->end - j->at) < len || memcmp(j->at, word, len))
		return json_unexpected(j, "a value");
	j->at += len;
	return true;
}

/* ---- Arrays and objects ---- */

static bool open_one(struct json *j, bool object)
{
	uint64_t bit = 1ull << j->depth % 64;

	if (j->depth == JSON_DEPTH_LIMIT)
		return json_fail(j, "more than %u nested arrays and objects", JSON_DEPTH_LIMIT);
	if (object)
		j->objects[j->depth / 64] |= bit;
	else
		j->objects[j->depth / 64] &= ~bit;
	j->depth++;
	j->at++;
	j->at_start = true;
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
	j->at_start = false;
	return false;
}

bool json_object(struct json *j)
{
	return json_next_byte(j) == '{' ? open_one(j, true) : json_unexpected(j, "an object");
}

bool json_array(struct json *j)
{
	return json_next_byte(j) == '[' ? open_one(j, false) : json_unexpected(j, "an array");
}

/* The input ends between two items, where it may be cut (may_end_in). */
static bool end_early(struct json *j)
{
	j->truncated = true;
	j->depth--;
	return false;
}

/* Go to the next item or key of the innermost level, which `close` ends. False at its end. */
static inline bool advance(struct json *j, char close, const char *expected)
{
	int c = json_next_byte(j);
	bool may_end = j->depth <= j->may_end_in && !j->failed;

	if (c == close)
		return close_one(j);
	if (c < 0 && may_end)
		return end_early(j);
	if (!j->at_start) {
		if (c != ',')
			return json_unexpected(j, expected);
		j->at++;
		if (may_end && (c = json_next_byte(j)) == close)
			return close_one(j);
		if (may_end && c < 0)
			return end_early(j);
	}
	j->at_start = false;
	return !j->failed;
}

bool json_item(struct json *j)
{
	return advance(j, ']', "',' or ']'");
}

static inline const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

size_t json_peek_arrays(const struct json *j, struct bytes *ret_texts, size_t max)
{
	const char *at = skip_blanks(j->at, j->end), *close;
	size_t count = 0;

	while (count < max && at < j->end && *at == '[') {
		close = memchr(at, ']', (size_t)(j->end - at));
		if (!close)
			break;
		ret_texts[count++] = (struct bytes){at, (size_t)(close + 1 - at)};
		at = skip_blanks(close + 1, j->end);
		if (at == j->end || *at != ',')
			break;
		at = skip_blanks(at + 1, j->end);
	}
	return count;
}

void json_skip_to(struct json *j, uint64_t byte)
{
	while (byte - json_byte(j) > (uint64_t)(j->end - j->at)) {
		j->at = j->end;
		if (!json_more(j, &j->at))
			return;
	}
	j->at += byte - json_byte(j);
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

/* Read the rest of a string whose opening quote has been consumed; *ret_raw is the text between
 * the quotes. */
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
			if (!json_more(j, &start))
				return json_unexpected_end(j, "the end of a string");
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

/* The value of the four hexadecimal digits at the start of `text`, or -1. */
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

/* Unescape what follows "\u". Returns how many bytes that was; 0: not a code point. */
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

/* Copy up to the next escape or `end`. `out` has room for eight bytes more. */
static inline const char *copy_plain(const char *at, const char *end, struct buffer *out)
{
	char *to = out->at + out->len, *start = to;

	while (end - at >= 8) {
		uint64_t word, hits;

		memcpy(&word, at, 8);
		memcpy(to, &word, 8);
		hits = has_zero(word ^ 0x5c5c5c5c5c5c5c5cu);
		if (hits) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			out->len += (size_t)(to - start) + (size_t)__builtin_ctzll(hits) / 8;
			return at + __builtin_ctzll(hits) / 8;
#else
			break;
#endif
		}
		at += 8;
		to += 8;
	}
	while (at < end && *at != '\\')
		*to++ = *at++;
	out->len += (size_t)(to - start);
	return at;
}

static bool unescape(struct json *j, struct bytes raw)
{
	static const char meant[UINT8_MAX + 1] = {['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t'};
	const char *at = raw.at, *end = raw.at + raw.len;
	struct buffer *out = &j->text;

	out->len = 0;
	buffer_reserve(out,
		raw.len + 8); /* an escape is never shorter than the character that it encodes */
	while ((at = copy_plain(at, end, out)) < end) {
		char known = meant[(unsigned char)at[1]];
		size_t used = 0;

		at += 2;
		if (known)
			out->at[out->len++] = known;
		else if (at[-1] == 'u')
			used = unescape_unit(out, (struct bytes){at, (size_t)(end - at)});
		if (!known && !used)
			return json_fail(j, "the string before this has an invalid escape");
		at += used;
	}
	out->at[out->len] = '\0';
	return true;
}

struct bytes json_string(struct json *j)
{
	struct bytes raw = {"", 0};
	bool escapes = false;

	if (json_next_byte(j) != '"') {
		json_unexpected(j, "a string");
		return (struct bytes){"", 0};
	}
	j->at++;
	if (!string_raw(j, &raw, &escapes) || (escapes && !unescape(j, raw)))
		return (struct bytes){"", 0};
	return escapes ? buffer_bytes(&j->text) : raw;
}

/* Reading more input may move the window, and the key in it: copy the key. */
static void keep_key(struct json *j, struct bytes *key)
{
	if (key->at == j->text.at && j->text.at)
		return;
	buffer_set(&j->text, *key);
	*key = buffer_bytes(&j->text);
}

/* Get the value's first byte into the window now, so that json_peek does not move the key. */
static void reach_value(struct json *j, struct bytes *key)
{
	j->at = skip_blanks(j->at, j->end);
	if (j->at < j->end)
		return;
	keep_key(j, key);
	json_next_byte(j);
}

/* Most keys have no escapes, at most one blank before them and one after the colon, and are in the
 * window as a whole. */

/* The start of such a key, behind its quote; NULL: not one, or fewer than `room` bytes are in
 * the window. */
static inline const char *plain_quote(const struct json *j, size_t room)
{
	const char *at = j->at;

	if (j->failed || (size_t)(j->end - at) < room || (!j->at_start && *at++ != ','))
		return NULL;
	at += is_space(*at);
	return *at == '"' ? at + 1 : NULL;
}

/* Go from the closing quote of such a key, behind which KEY_BEHIND bytes are in the window, to
 * its value; false: not possible. */
#define KEY_BEHIND 4
static inline bool plain_colon(struct json *j, const char *quote)
{
	const char *at = quote + 2 + (quote[2] == ' ');

	if (quote[0] != '"' || quote[1] != ':' || is_space(*at))
		return false;
	j->at = at;
	j->at_start = false;
	return true;
}

#define KEY_BEFORE 3 /* a comma, a blank, the opening quote */

static inline bool plain_key(struct json *j, struct bytes *ret_key)
{
	const char *at = plain_quote(j, KEY_BEFORE), *quote;

	if (!at)
		return false;
	quote = quote_or_escape(at, j->end);
	if (j->end - quote < KEY_BEHIND || !plain_colon(j, quote))
		return false;
	*ret_key = (struct bytes){at, (size_t)(quote - at)};
	return true;
}

bool json_key_is(struct json *j, struct bytes key)
{
	const char *at = plain_quote(j, KEY_BEFORE + key.len + KEY_BEHIND);

	return at && !memcmp(at, key.at, key.len) && plain_colon(j, at + key.len);
}

bool json_key(struct json *j, struct bytes *ret_key)
{
	if (plain_key(j, ret_key))
		return true;
	*ret_key = (struct bytes){"", 0};
	if (!advance(j, '}', "',' or '}'"))
		return false;
	if (json_next_byte(j) != '"')
		return json_unexpected(j, "a key");
	*ret_key = json_string(j);
	/* The colon may not have been read yet; reading it must not lose the key. */
	if (j->at == j->end || *j->at != ':') {
		keep_key(j, ret_key);
		if (json_next_byte(j) != ':')
			return json_unexpected(j, "':'");
	}
	j->at++;
	reach_value(j, ret_key);
	return !j->failed;
}

/* ---- Skipping ---- */

static void skip_string(struct json *j)
{
	j->at++;
	for (;;) {
		j->at = quote_or_escape(j->at, j->end);
		if (j->at == j->end || (*j->at == '\\' && j->at + 1 == j->end)) {
			if (!json_more(j, &j->at)) {
				json_unexpected_end(j, "the end of a string");
				return;
			}
		} else if (*j->at++ == '"') {
			return;
		} else {
			j->at++;
		}
	}
}

/* Skip to the end of the level that was opened at `depth`. */
static void skip_open(struct json *j, unsigned depth)
{
	while (j->depth >= depth) {
		int c;

		/* Bytes other than brackets and quotes have no effect here. */
		while (j->at < j->end && (*j->at | 0x20) != '{' && (*j->at | 0x20) != '}' &&
			*j->at != '"')
			j->at++;
		c = json_next_byte(j);
		if (c == '"') {
			skip_string(j);
		} else if (c == '{' || c == '[') {
			open_one(j, c == '{');
		} else if (c == '}' || c == ']') {
			if (in_object(j) != (c == '}')) {
				json_unexpected(j, in_object(j) ? "'}'" : "']'");
				return;
			}
			close_one(j);
		} else if (c < 0) {
			json_unexpected_end(j, in_object(j) ? "'}'" : "']'");
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
	int c = json_next_byte(j);
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
		behind = json_number_text(j, &n);
		j->at = behind ? behind : j->at;
		break;
	case JSON_NULL:
		json_literal(j, "null");
		break;
	case JSON_TRUE:
		json_literal(j, "true");
		break;
	case JSON_FALSE:
		json_literal(j, "false");
		break;
	default:
		json_unexpected(j, "a value");
	}
}

struct bytes json_string_if(struct json *j)
{
	if (json_peek(j) == JSON_STRING)
		return json_string(j);
	json_skip(j);
	return (struct bytes){"", 0};
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
	if (!j->failed && !j->truncated && json_next_byte(j) >= 0)
		json_unexpected(j, "the end of the input");
	return !j->failed;
}
