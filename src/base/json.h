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
 * Whoever pulls says what has to come next. The first thing that is not as expected is the error;
 *from then on nothing comes any more (no key, no item, zeroes, empty strings), so that only the end
 *has to ask whether all went well. Memory is bounded by the longest string that is asked for: the
 *input is never whole in memory, and what is skipped is not unescaped (nor are commas and colons in
 *it checked).
 *
 * Nothing recurses; JSON_DEPTH_LIMIT is for inputs that nest without an end. */
#ifndef KILN_BASE_JSON_H
#define KILN_BASE_JSON_H

#include "base/buffer.h"
#include "base/input.h"
#include "base/memory.h"

#define JSON_DEPTH_LIMIT  4096u		      /* arrays and objects inside each other */
#define JSON_STRING_LIMIT ((size_t)16 << 20)  /* bytes of a string that is asked for */
#define JSON_COLUMN_LIMIT ((size_t)256 << 20) /* items of an array that is collected */

enum json_kind {
	JSON_NOTHING, /* the end of the input, or an error before */
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
	const char *at, *end; /* what has not been read of the input's window */
	uint64_t lines;	      /* before the window */
	unsigned depth;	      /* arrays and objects that are open */
	unsigned may_end_in;  /* up to this depth the input may end between two items */
	bool fresh;	      /* nothing has been read of the innermost one */
	bool failed;
	bool cut;				 /* the input ended inside of something */
	struct buffer text;			 /* the last string, when it had to be unescaped */
	uint64_t objects[JSON_DEPTH_LIMIT / 64]; /* a bit for each that is open: is it an object? */
};

/* Both are borrowed until release. */
void json_open(struct json *j, struct input *in, struct error *err);
/* The same within an array, so deep, of which nothing has been read: its first item comes next. */
void json_open_within(struct json *j, struct input *in, unsigned depth, struct error *err);
void json_release(struct json *j);
/* After the value: only blanks may follow. True when there was no error. */
bool json_finish(struct json *j);

/* What kind of value comes next? It stays to be read. */
enum json_kind json_peek(struct json *j);

/* Enter it. */
bool json_object(struct json *j);
bool json_array(struct json *j);

/* Of the object that was entered last: the next key, whose value is to be read (or skipped) next;
 * false behind the last, and the object is left. The key is valid until the next call other than
 * json_peek, json_object and json_array. */
bool json_key(struct json *j, struct bytes *ret_key);
/* The same for who knows which key comes next, mostly: false when it is not this one, or not plain
 * to see, and nothing was read. */
bool json_key_is(struct json *j, struct bytes key);
/* Is there another item in the array that was entered last? When not, it is left. */
bool json_item(struct json *j);

/* Unescaped; valid until the next call. What is not UTF-8 stays as it is; a lone surrogate becomes
 * U+FFFD. */
struct bytes json_string(struct json *j);
/* A number times 10^decimals, rounded; one in a string counts. null is `if_null`. */
int64_t json_number(struct json *j, unsigned decimals, int64_t if_null);
/* The number that comes next, if it is a short one, in a string or not, with nothing unusual about
 * it; false: it is not, and nothing was read. For who expects one mostly, and takes time for all
 * others. */
bool json_plain_number(struct json *j, unsigned decimals, int64_t *ret_value);
/* The nearest double of a number; "NaN", "Infinity" and one in a string count. */
double json_double(struct json *j);
/* true, or a number that is not 0; null is false. */
bool json_flag(struct json *j);
void json_skip(struct json *j);

/* The same of a value that should be a string (a number, ...) but is passed over when it is not. */
struct bytes json_string_if(struct json *j);
int64_t json_number_if(struct json *j, unsigned decimals, int64_t if_none);

/* A number as it is written, whose unit is known later: digits x 10^exponent. */
struct json_decimal {
	uint64_t digits;
	int exponent;
	bool negative;
};
/* False, and passed over, when it is no number, also none in a string. */
bool json_decimal_if(struct json *j, struct json_decimal *ret_number);
/* Times 10^decimals, rounded; `if_beyond` when that does not fit. */
int64_t json_decimal_times(const struct json_decimal *n, unsigned decimals, int64_t if_beyond);

bool json_object_if(struct json *j);
bool json_array_if(struct json *j);

/* Of an array whose item comes next: the texts of the first items that are arrays, each from its
 * bracket to the first closing one, as far as they are in the window; how many, at most `most`.
 * Nothing is read. One that has no arrays and no strings with a bracket in it is all there: it ends
 * where its text does (json_byte) when it has been read, and the texts stay where they are. */
size_t json_arrays_ahead(const struct json *j, struct bytes *ret_texts, size_t most);
/* Pass over the item that comes next, an array of this text, as the same has been read before. */
static inline void json_pass(struct json *j, struct bytes text)
{
	j->at = text.at + text.len;
}

/* Pass over all that is before this byte, as if it had been read. */
void json_pass_to(struct json *j, uint64_t byte);

/* A whole array of numbers, appended; what is none counts as null; null as an array is an empty
 * one. */
struct json_numbers {
	int64_t *items;
	size_t len, cap;
};
void json_numbers(struct json *j, unsigned decimals, int64_t if_null, struct json_numbers *out);
/* Of an array whose item comes next (json_item said so): the first ones, times 10^decimals, as long
 * as they are short numbers with another number right behind them; how many, at most `most`. There
 * is another item behind these. */
size_t json_plain_items(struct json *j, unsigned decimals, int64_t *ret_values, size_t most);
/* A whole array of indices: what is none (null, a string, negative, 2^32 - 1 and more) is
 * JSON_NO_INDEX. */
#define JSON_NO_INDEX UINT32_MAX
struct json_indices {
	uint32_t *items;
	size_t len, cap;
};
void json_indices(struct json *j, struct json_indices *out);

/* The line and the byte that is read next, for messages. */
uint64_t json_line(const struct json *j);
uint64_t json_byte(const struct json *j);

/* What was read last is not what it should be: "line 1, byte 23: ..." becomes the error. */
__attribute__((format(printf, 2, 3))) bool json_fail(struct json *j, const char *fmt, ...);

#endif
