/* packed_path.c: which locations does a packed stack share with the one before it? */
#include "readers/stacks/packed_path.h"

#include "base/cursor.h"
#include "readers/lines/scan.h"

#include <endian.h>
#include <stdlib.h>

void packed_path_release(struct packed_path *p)
{
	vector_release(&p->levels);
	*p = (struct packed_path){0};
}

void packed_path_clear(struct packed_path *p)
{
	p->last.len = p->levels.len = 0;
}

/* Where in eight bytes numbers end. */
#define ENDS 0x8080808080808080u

/* ---- What is shared ---- */

/* How many numbers end in these bytes? */
static size_t count_numbers(struct bytes bytes)
{
	size_t count = 0, at = 0;

	for (uint64_t word; bytes.len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes.at + at, sizeof(word));
		count += ((~word & ENDS) >> 7) * 0x0101010101010101u >> 56;
	}
	for (; at < bytes.len; at++)
		count += !(bytes.at[at] & 0x80);
	return count;
}

/* Does a number start there? */
static bool is_start(struct bytes bytes, size_t at)
{
	return !at || !(bytes.at[at - 1] & 0x80);
}

size_t packed_path_cut(const struct packed_path *p, struct bytes *locations)
{
	size_t common = scan_common_end(p->last, *locations);
	size_t at = locations->len - common, before = p->last.len - common;
	size_t skipped = at;

	if (!is_start(*locations, at) || !is_start(p->last, before)) {
		while (at < locations->len && locations->at[at] & 0x80)
			at++;
		at += at < locations->len;
	}
	before += at - skipped;
	locations->len = at;
	if (before <= p->last.len / 2) /* the shorter of the two */
		return p->levels.len - count_numbers((struct bytes){p->last.at, before});
	return count_numbers((struct bytes){p->last.at + before, p->last.len - before});
}

uint32_t *packed_path_take(
	struct packed_path *p, struct bytes locations, size_t shared, size_t more)
{
	p->level = shared ? p->levels.items[shared - 1] : 0;
	p->last = locations;
	p->levels.len = shared;
	vector_reserve(&p->levels, more + 1); /* there is a place to return */
	p->levels.len += more;
	return p->levels.items + shared;
}

/* ---- Numbers ---- */

/* The number of up to four bytes that these are the first of, and `bits` all that it has. */
static inline uint64_t short_number(uint64_t bytes, unsigned bits)
{
	bytes &= ((uint64_t)1 << bits) - 1;
	return (bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
	       (bytes >> 3 & 0xfe00000);
}

struct table {
	const uint32_t *items;
	size_t count;
};

static inline uint32_t look_up(const struct table *t, uint64_t number)
{
	return number < t->count ? t->items[number] : 0;
}

/* The next one or two numbers, if they are short and eight bytes may be read there; returns how
 * many: 0 for others. There are mostly two left, so that nearly all branches are foretold, which
 * those on the lengths of numbers of one to three bytes would not be. */
static inline size_t look_up_two(
	struct cursor *c, const char *end, const struct table *table, uint32_t *to)
{
	uint64_t word, ends, more;
	unsigned first, both;

	if (end - (const char *)c->at < (ptrdiff_t)sizeof(word))
		return 0;
	memcpy(&word, c->at, sizeof(word));
	word = le64toh(word);
	ends = ~word & ENDS;
	more = ends & (ends - 1);
	if (!more)
		return 0;
	first = (unsigned)__builtin_ctzll(ends) + 1;
	both = (unsigned)__builtin_ctzll(more) + 1;
	if (first > 32 || both - first > 32 || first / 8 > cursor_left(c))
		return 0;
	to[0] = look_up(table, short_number(word, first));
	if (both / 8 > cursor_left(c)) {
		c->at += first / 8;
		return 1;
	}
	to[1] = look_up(table, short_number(word >> first, both - first));
	c->at += both / 8;
	return 2;
}

size_t packed_look_up(
	struct bytes numbers, const char *end, const uint32_t *table, size_t count, uint32_t *to)
{
	const struct table all = {table, count};
	struct cursor c = cursor_of(numbers);
	uint32_t *start = to;

	while (c.at < c.end) {
		size_t taken = look_up_two(&c, end, &all, to);

		if (!taken) {
			*to = look_up(&all, cursor_uleb(&c));
			taken = 1;
		}
		to += taken;
	}
	return c.bad ? SIZE_MAX : (size_t)(to - start);
}
