/* recent.c: finds the common part of this call chain and the last one of the same program. */
#include "readers/perf/recent.h"

#include "readers/lines/scan.h"

#include <stdlib.h>

#define FEW 8 /* marks below which a linear search is faster than a binary one */

void recent_table_release(struct recent_table *t)
{
	for (size_t i = 0; i < RECENT_PROGRAMS; i++) {
		memory_free(t->of[i].room);
		vector_release(&t->of[i].marks);
	}
}

/* A mark holds when its line is in the shared part from its first byte on. */
static bool mark_holds(const struct recent_mark *m, struct bytes text, size_t shared)
{
	if (m->from_end > shared)
		return false;
	return m->from_end == text.len || m->from_end == 0 ||
	       text.at[text.len - m->from_end - 1] == '\n';
}

/* Valid marks precede invalid ones; mostly all but the last few are valid. */
static size_t marks_that_hold(const struct recent *r, struct bytes text, size_t shared)
{
	const struct recent_mark *marks = r->marks.items;
	size_t low = 0, high = r->marks.len;

	for (int i = 0; i < FEW; i++, high--)
		if (!high || mark_holds(&marks[high - 1], text, shared))
			return high;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (mark_holds(&marks[middle], text, shared))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct recent *recent_share(struct recent_table *t, stack_id root, struct bytes text)
{
	struct recent *r = &t->of[root % RECENT_PROGRAMS];

	if (r->root != root) {
		r->root = root;
		r->text.len = 0;
		r->marks.len = 0;
		vector_push(&r->marks, (struct recent_mark){.stack = root});
	}
	r->marks.len = marks_that_hold(r, text, r->text.len ? scan_common_end(r->text, text) : 0);
	return r;
}

void recent_keep(struct recent *r, struct bytes text)
{
	r->text = text;
	if (text.len > RECENT_TEXT_LIMIT)
		r->root = 0;
}

void recent_table_settle(struct recent_table *t)
{
	for (size_t i = 0; i < RECENT_PROGRAMS; i++) {
		struct recent *r = &t->of[i];

		if (!r->root || !r->text.len || r->text.at == r->room)
			continue;
		if (r->text.len > r->cap) {
			memory_free(r->room);
			r->cap = r->text.len * 2;
			r->room = memory_new(r->cap, 1);
		}
		memcpy(r->room, r->text.at, r->text.len);
		r->text.at = r->room;
	}
}
