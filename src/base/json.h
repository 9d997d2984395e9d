/* json.h: JSON, pulled value by value out of an input.
 *
 *	struct json j;
 *	json_open(&j, in, err);
 *	for (json_object(&j); json_key(&j, &key);)
 *		if (bytes_equal(key, BYTES("time")))
 *			time = json_number(&j, 3, 0);
 *		else
 *			json_skip(&j);
 *	done = json_finish(&j);
 *	json_release(&j);
 *
 * The caller states the type it expects next. The first mismatch becomes the error, and from then
 * on every call returns nothing (no key, no item, zeroes, empty strings), so that only json_finish
 * has to be checked. Memory is bounded by the longest string that the caller asks for: the input is
 * never whole in memory. Skipped values are neither unescaped nor checked for commas and colons.
 *
 * Nothing recurses; JSON_DEPTH_LIMIT bounds inputs that nest without an end.
 *
 * By hand: the common libraries (cJSON, jansson, yyjson) build a tree of the whole document,
 * several times its size in memory; profiles of 400 MB are common. json.c pulls values at 300 to
 * 700 MB/s on two CPUs, reading included: `bench/readers.sh`. */
#ifndef KILN_BASE_JSON_H
#define KILN_BASE_JSON_H

#include "base/buffer.h"
#include "base/input.h"
#include "base/memory.h"

#define JSON_DEPTH_LIMIT  4096u		      /* arrays and objects inside each other */
#define JSON_STRING_LIMIT ((size_t)16 << 20)  /* bytes of a string that the caller asks for */
#define JSON_COLUMN_LIMIT ((size_t)256 << 20) /* items of an array that is read as a column */

enum json_kind {
	JSON_END, /* the end of the input, or an error before it */
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	struct input *in;
	struct error *err;
	const char *at, *end; /* the part of the input's window that has not been read */
	uint64_t lines;	      /* before the window */
	unsigned depth;	      /* number of open arrays and objects */
	unsigned may_end_in;  /* the input may end between two items at this depth or less */
	bool at_start;	      /* nothing of the innermost array or object has been read */
	bool failed;
	bool truncated;				 /* the input ended inside a value */
	struct buffer text;			 /* the last string, if it had to be unescaped */
	uint64_t objects[JSON_DEPTH_LIMIT / 64]; /* one bit per open level: is it an object? */
};

/* The input and the error are borrowed until release. */
void json_open(struct json *j, struct input *in, struct error *err);
/* As json_open, but inside an array at this depth, of which nothing has been read: its first
 * item comes next. */
void json_open_within(struct json *j, struct input *in, unsigned depth, struct error *err);
void json_release(struct json *j);
/* Call after the value: only blanks may follow. True when there was no error. */
bool json_finish(struct json *j);

/* The type of the next value, which is not consumed. */
enum json_kind json_peek(struct json *j);

/* Enter the next value, an object. */
bool json_object(struct json *j);
bool json_array(struct json *j);

/* The next key of the innermost object; its value has to be read or skipped next. False behind
 * the last key; the object is then closed. The key is valid until the next call other than
 * json_peek, json_object and json_array. */
bool json_key(struct json *j, struct bytes *ret_key);
/* For callers that mostly know the next key: true and consumed if it is this one. False when it
 * is another one or not in the window as a whole; then nothing is consumed. */
bool json_key_is(struct json *j, struct bytes key);
/* Does the innermost array have another item? If not, the array is closed. */
bool json_item(struct json *j);

/* Unescaped; valid until the next call. Bytes that are not UTF-8 are kept; a lone surrogate
 * becomes U+FFFD. */
struct bytes json_string(struct json *j);
/* A number times 10^decimals, rounded; a number in a string counts. null gives `if_null`. */
int64_t json_number(struct json *j, unsigned decimals, int64_t if_null);
/* The same for a value that may be large: *decimals falls to as many as fit into 64 bits. */
int64_t json_number_fit(struct json *j, unsigned *decimals, int64_t if_null);
/* A fast path for callers that mostly meet short numbers, in a string or not. False for anything
 * else; then nothing is consumed. */
bool json_plain_number(struct json *j, unsigned decimals, int64_t *ret_value);
/* The double nearest to a number; "NaN", "Infinity" and a number in a string count. */
double json_double(struct json *j);
/* true, or a number that is not 0; null is false. */
bool json_bool(struct json *j);
void json_skip(struct json *j);

/* The next value if it is a string (a number, ...); any other value is skipped. */
struct bytes json_string_if(struct json *j);
int64_t json_number_if(struct json *j, unsigned decimals, int64_t if_none);

/* A number as it is written, for callers that learn its unit later: digits x 10^exponent. */
struct json_decimal {
	uint64_t digits;
	int exponent;
	bool negative;
};
/* False if the value is no number, or a string without one; it is skipped. */
bool json_decimal_if(struct json *j, struct json_decimal *ret_number);
/* Times 10^decimals, rounded; `if_beyond` on overflow. */
int64_t json_decimal_scale(const struct json_decimal *n, unsigned decimals, int64_t if_beyond);

bool json_object_if(struct json *j);
bool json_array_if(struct json *j);

/* Look ahead in an array whose item comes next: the texts of the items that are arrays, each
 * from its bracket to the first closing one, as far as they are in the window. Returns how many,
 * at most `max`; nothing is consumed. A text is the whole item if the item contains no arrays
 * and no brackets in strings: after it has been read, json_byte is where the text ends. The
 * texts do not move meanwhile. */
size_t json_peek_arrays(const struct json *j, struct bytes *ret_texts, size_t max);
/* Skip the next item, an array with this text: the caller has read an equal text before. */
static inline void json_skip_text(struct json *j, struct bytes text)
{
	j->at = text.at + text.len;
}

/* Skip to this byte, as if everything before it had been read. */
void json_skip_to(struct json *j, uint64_t byte);

/* Read a whole array of numbers and append them. Items of other types count as null; null in
 * place of the array is an empty array. */
struct json_numbers {
	int64_t *items;
	size_t len, cap;
};
void json_numbers(struct json *j, unsigned decimals, int64_t if_null, struct json_numbers *out);
/* The same for values that may be large: *decimals falls, for all items so far, to as many as fit
 * into 64 bits. */
void json_numbers_fit(
	struct json *j, unsigned *decimals, int64_t if_null, struct json_numbers *out);
/* Divide by 10^by and round all items but INT64_MIN. */
void json_numbers_lower(struct json_numbers *numbers, unsigned by);
/* Read the first items of an array whose item comes next (json_item was true), times
 * 10^decimals, as long as they are short numbers that another number follows directly. Returns
 * how many, at most `max`. The array has another item behind them. */
size_t json_plain_numbers(struct json *j, unsigned decimals, int64_t *ret_values, size_t max);
/* Read a whole array of indices. Anything else (null, a string, negative, 2^32 - 1 and more) is
 * JSON_NO_INDEX. */
#define JSON_NO_INDEX UINT32_MAX
struct json_indices {
	uint32_t *items;
	size_t len, cap;
};
void json_indices(struct json *j, struct json_indices *out);

/* Line and byte of what is read next, for messages. */
uint64_t json_line(const struct json *j);
uint64_t json_byte(const struct json *j);

/* The value that was read last is not valid: the error becomes "line 1, byte 23: ...". */
__attribute__((format(printf, 2, 3))) bool json_fail(struct json *j, const char *fmt, ...);

#endif
