/* utf16.c: text in UTF-16 with its byte order mark, as PowerShell writes what is redirected.
 *
 * It is no compression, but the same kind of work: text in another encoding becomes UTF-8 before a
 * reader sees it. Marks are left out wherever they are, so that files can be concatenated; a half
 * of a surrogate pair becomes U+FFFD. */
#include "base/filters/filter.h"
#include "base/memory.h"

#include <stdlib.h>

#define CHARACTER_LIMIT 4u /* bytes in UTF-8 */
#define REPLACEMENT	0xFFFDu
#define MARK		0xFEFFu

struct utf16 {
	bool big;      /* the higher byte comes first */
	bool has_half; /* `half` is the first byte of a unit whose second one comes with the next
			  input */
	unsigned char half;
	uint32_t first; /* of a surrogate pair; 0: none */
};

static void *open_little(void)
{
	return memory_new(1, sizeof(struct utf16));
}

static void *open_big(void)
{
	struct utf16 *u = open_little();

	u->big = true;
	return u;
}

static size_t put(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

/* A code unit. Returns the bytes written, at most two characters. */
static size_t take_unit(struct utf16 *u, uint32_t unit, char *out)
{
	size_t len = 0;

	if (u->first && unit >= 0xDC00 && unit < 0xE000) {
		len = put(0x10000 + ((u->first - 0xD800) << 10) + (unit - 0xDC00), out);
		u->first = 0;
		return len;
	}
	if (u->first)
		len = put(REPLACEMENT, out);
	u->first = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
	if (u->first || unit == MARK)
		return len;
	return len + put(unit >= 0xDC00 && unit < 0xE000 ? REPLACEMENT : unit, out + len);
}

/* The next byte; true: it completes a unit. */
static bool take_byte(struct utf16 *u, unsigned char byte, uint32_t *ret_unit)
{
	u->has_half = !u->has_half;
	if (u->has_half) {
		u->half = byte;
		return false;
	}
	*ret_unit = u->big ? (uint32_t)u->half << 8 | byte : (uint32_t)byte << 8 | u->half;
	return true;
}

static bool step(void *state, struct bytes *in, bool last, char *out, size_t room, size_t *ret_len,
	bool *ret_done, struct error *err)
{
	struct utf16 *u = state;
	size_t len = 0;
	uint32_t unit;

	for (; in->len && len + 2 * CHARACTER_LIMIT <= room; in->at++, in->len--)
		if (take_byte(u, (unsigned char)*in->at, &unit))
			len += take_unit(u, unit, out + len);
	*ret_len = len;
	*ret_done = last && !in->len;
	if (*ret_done && u->first) {
		*ret_len += put(REPLACEMENT, out + len);
		u->first = 0;
	}
	return !*ret_done || !u->has_half || error_set(err, ERR_FORMAT, "truncated UTF-16 text");
}

const struct filter filter_utf16_little = {
	.name = "UTF-16",
	.magic = {"\xFF\xFE", 2},
	.open = open_little,
	.close = memory_free,
	.step = step,
};

const struct filter filter_utf16_big = {
	.name = "UTF-16",
	.magic = {"\xFE\xFF", 2},
	.open = open_big,
	.close = memory_free,
	.step = step,
};
