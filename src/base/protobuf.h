/* protobuf.h: protobuf's wire format: messages read from untrusted bytes, and written.
 *
 * A schema states which wire types the fields of a message may have. Fields that it does not list
 * are skipped, as the format demands:
 *
 *	struct protobuf m = protobuf_open(bytes, &schema);
 *	for (struct protobuf_field f; protobuf_next(&m, &f);)
 *		switch (f.number) { ... }
 *	if (m.failed)
 *		... m.expected says what was expected at m.failed
 *
 * Source: protobuf.dev, "Encoding".
 *
 * By hand: protobuf-c and nanopb generate code that copies each message into structs with an
 * allocation for each field, and they need the whole message; pprof has millions of samples.
 * This reader visits fields in place: 2.7 million samples at 375 MB/s, `bench/readers.sh`. A
 * reader must also recognise a format by its fields (protobuf_match), which generated code cannot
 * do. */
#ifndef KILN_BASE_PROTOBUF_H
#define KILN_BASE_PROTOBUF_H

#include "base/buffer.h"
#include "base/cursor.h"

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2, /* text, a message, or packed numbers */
	PROTOBUF_FIXED32 = 5,
};

/* Wire types that a field may have; 0: the number is not in use. */
enum {
	PROTOBUF_NUMBER = 1 << PROTOBUF_VARINT,
	PROTOBUF_NUMBERS = 1 << PROTOBUF_VARINT | 1 << PROTOBUF_BYTES, /* packed or one by one */
	PROTOBUF_FIXED = 1 << PROTOBUF_FIXED64,
	PROTOBUF_FIXEDS = 1 << PROTOBUF_FIXED64 | 1 << PROTOBUF_BYTES,
	PROTOBUF_TEXT = 1 << PROTOBUF_BYTES,
};
struct protobuf_schema {
	uint32_t count; /* of the entries; the numbers of fields are below it */
	struct protobuf_field_type {
		uint8_t wires;
		const struct protobuf_schema
			*message; /* of the message in it; NULL: none, or not read */
	} fields[16];
};

#define PROTOBUF_PREFETCH_DISTANCE 1024 /* bytes ahead that are prefetched */

struct protobuf_field {
	uint32_t number;
	uint32_t wire;	    /* enum protobuf_wire */
	uint64_t value;	    /* of a number */
	struct bytes bytes; /* of a field with a length, else empty */
	const char *at;	    /* where the field starts */
};

struct protobuf {
	struct cursor cursor;
	const struct protobuf_schema *schema;
	const char *failed;   /* where the bytes are not a message; NULL: no failure */
	const char *expected; /* a phrase */
};

static inline struct protobuf protobuf_open(
	struct bytes message, const struct protobuf_schema *schema)
{
	return (struct protobuf){.cursor = cursor_of(message), .schema = schema};
}

bool protobuf_next_any(struct protobuf *m, struct protobuf_field *ret_field);

/* Works on a copy, so that the field in the caller's loop can stay in registers. */
static inline bool protobuf_next_long(struct protobuf *m, struct protobuf_field *ret_field)
{
	struct protobuf_field f;

	if (!protobuf_next_any(m, &f))
		return false;
	*ret_field = f;
	return true;
}

/* The next field. False at the end, and where the bytes are not a message. Most fields have one
 * byte for their number and one or two for their length, which is the fast path. */
static inline bool protobuf_next(struct protobuf *m, struct protobuf_field *ret_field)
{
	const uint8_t *at = m->cursor.at;
	size_t left = (size_t)(m->cursor.end - at), start = 2, len;
	uint32_t number;

	if (left < 3 || at[0] >= 0x80 || (at[0] & 7) != PROTOBUF_BYTES)
		return protobuf_next_long(m, ret_field);
	number = at[0] >> 3;
	len = at[1];
	if (len >= 0x80) {
		len = (len & 0x7f) | (size_t)at[2] << 7;
		start = 3;
		if (at[2] >= 0x80)
			return protobuf_next_long(m, ret_field);
	}
	if (len > left - start || !number || number >= m->schema->count ||
		!(m->schema->fields[number].wires & PROTOBUF_TEXT))
		return protobuf_next_long(m, ret_field);
	m->cursor.at = at + start + len;
	*ret_field = (struct protobuf_field){
		number, PROTOBUF_BYTES, 0, {(const char *)at + start, len}, (const char *)at};
	return true;
}

/* Skip consecutive fields of this number, which have a length in the schema, as long as they are
 * short. Returns how many. */
static inline size_t protobuf_skip(struct protobuf *m, uint32_t number)
{
	const uint8_t *at = m->cursor.at;
	size_t count = 0;

	while (m->cursor.end - at >= 3 && at[0] == (number << 3 | PROTOBUF_BYTES) &&
		(at[1] < 0x80 || at[2] < 0x80)) {
		size_t long_one = at[1] >> 7, len = (at[1] & 0x7f) | (at[2] * long_one) << 7;

		if (len > (size_t)(m->cursor.end - at) - 2 - long_one)
			break;
		at += 2 + long_one + len;
		__builtin_prefetch(at + PROTOBUF_PREFETCH_DISTANCE);
		count++;
	}
	m->cursor.at = at;
	return count;
}

/* The next number of a field that is one number or a packed list of them; start with `*at` 0.
 * False behind the last one; *ret_bad: a number is cut off. */
bool protobuf_number(
	const struct protobuf_field *field, size_t *at, uint64_t *ret_value, bool *ret_bad);

/* How many fields of the message, and of the messages in it, agree with the schema; -1 when a field
 * does not, or has an unknown number below 16. With `cut`, the message may end anywhere. */
int protobuf_match(struct bytes message, const struct protobuf_schema *schema, bool cut);

/* ---- Writing ---- */

#define PROTOBUF_VARINT_LIMIT 10 /* bytes */

/* Write a number to `to`, which has room for PROTOBUF_VARINT_LIMIT bytes. Returns its length. */
static inline size_t protobuf_write_varint(char *to, uint64_t value)
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		to[len++] = (char)(value | 0x80);
	to[len++] = (char)value;
	return len;
}

void protobuf_put_varint(struct buffer *b, uint64_t value);
/* Fields as in proto3: zeroes and empty bytes are left out. */
void protobuf_put_number(struct buffer *b, uint32_t field, uint64_t value);
void protobuf_put_bytes(struct buffer *b, uint32_t field, struct bytes bytes);
/* Fields that are written whatever their value: items of lists, and fields whose default is not
 * 0. */
void protobuf_put_explicit(struct buffer *b, uint32_t field, uint64_t value);
void protobuf_put_item(struct buffer *b, uint32_t field, struct bytes bytes);

#endif
