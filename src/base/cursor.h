/* cursor.h: reads the numbers of DWARF and protobuf from bytes that may be truncated.
 *
 * Reading beyond the end gives zeroes and sets `bad`, so that a caller checks once. */
#ifndef KILN_BASE_CURSOR_H
#define KILN_BASE_CURSOR_H

#include "base/bytes.h"

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct cursor cursor_of(struct bytes b)
{
	const uint8_t *at = (const uint8_t *)(b.at ? b.at : "");

	return (struct cursor){at, at + b.len, false};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* A little-endian number of up to 8 bytes. */
static inline uint64_t cursor_fixed(struct cursor *c, unsigned size)
{
	uint64_t value = 0;
	uint32_t word;

	if (cursor_left(c) < size) {
		c->bad = true;
		c->at = c->end;
		return 0;
	}
	/* memcpy with a variable size would cost several times as much as these branches. */
	if (size == 8) {
		memcpy(&value, c->at, 8);
	} else if (size == 4) {
		memcpy(&word, c->at, 4);
		value = word;
	} else if (size == 1) {
		value = *c->at;
	} else {
		memcpy(&value, c->at, size);
	}
	c->at += size;
	return value;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)cursor_fixed(c, 1);
}

/* Sign-extended. */
static inline int64_t cursor_signed(struct cursor *c, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(cursor_fixed(c, size) << shift) >> shift;
}

/* LEB128 (DWARF 5, 7.6). More than 10 bytes are bad; bits beyond the 64th are dropped. */
static inline uint64_t cursor_leb(struct cursor *c, bool is_signed)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (shift >= 70)
			break;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift + 7 < 64)
			value |= ~(uint64_t)0 << (shift + 7);
		return value;
	}
	c->bad = true;
	return 0;
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	return cursor_leb(c, false);
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	return (int64_t)cursor_leb(c, true);
}

/* The next `len` bytes. */
static inline struct bytes cursor_take(struct cursor *c, uint64_t len)
{
	struct bytes taken = {(const char *)c->at, 0};

	if (len > cursor_left(c)) {
		c->bad = true;
		c->at = c->end;
		return taken;
	}
	taken.len = (size_t)len;
	c->at += len;
	return taken;
}

/* Bytes up to a NUL, which is skipped. */
static inline struct bytes cursor_text(struct cursor *c)
{
	const uint8_t *nul = memchr(c->at, 0, cursor_left(c));
	struct bytes text = {(const char *)c->at, 0};

	if (!nul) {
		c->bad = true;
		c->at = c->end;
		return text;
	}
	text.len = (size_t)(nul - c->at);
	c->at = nul + 1;
	return text;
}

#endif
