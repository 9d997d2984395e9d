/* recent.c: what do this call chain and the last one of the same program share? */
#include "readers/recent.h"

#include "readers/scan.h"

#include <stdlib.h>

void recent_table_release(struct recent_table *t)
{
	for (size_t i = 0; i < RECENT_PROGRAMS; i++) {
		free(t->of[i].room);
		vector_release(&t->of[i].marks);
	}
}

static struct bytes recent_text(const struct recent *r)
{
	return (struct bytes){r->room + r->cap - r->len, r->len};
}

/* A mark holds when its line is in the shared part from its first byte on. */
static bool mark_holds(const struct recent_mark *m, struct bytes text, size_t shared)
{
	if (m->from_end > shared)
		return false;
	return m->from_end == text.len || m->from_end == 0 ||
	       text.at[text.len - m->from_end - 1] == '\n';
}

/* Marks that hold come before those that do not. */
static size_t marks_that_hold(const struct recent *r, struct bytes text, size_t shared)
{
	size_t low = 0, high = r->marks.len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (mark_holds(&r->marks.items[middle], text, shared))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct recent *recent_share(
	struct recent_table *t, stack_id root, struct bytes text, size_t *ret_shared)
{
	struct recent *r = &t->of[root % RECENT_PROGRAMS];

	if (r->root != root) {
		r->root = root;
		r->len = 0;
		r->marks.len = 0;
		vector_push(&r->marks, (struct recent_mark){.stack = root});
	}
	*ret_shared = r->len ? scan_common_end(recent_text(r), text) : 0;
	r->marks.len = marks_that_hold(r, text, *ret_shared);
	return r;
}

void recent_keep(struct recent *r, struct bytes text, size_t shared)
{
	if (text.len > RECENT_TEXT_LIMIT) {
		r->root = 0;
		return;
	}
	if (text.len > r->cap) {
		size_t cap = text.len * 2;
		char *room = memory_new(cap, 1);

		if (shared)
			memcpy(room + cap - shared, r->room + r->cap - shared, shared);
		free(r->room);
		r->room = room;
		r->cap = cap;
	}
	if (text.len > shared)
		memcpy(r->room + r->cap - text.len, text.at, text.len - shared);
	r->len = text.len;
}
