/* address_space.c: what is mapped where in a process?
 *
 * A sorted array; the last hit is tried first, since consecutive addresses of a stack are mostly
 * in the same mapping. Spaces are shared by reference and copied before a change if someone else
 * refers to them: fork makes no copy, and a sample that is walked later keeps the mappings of
 * its time. */
#include "process/address_space.h"

#include "base/search.h"

#include <stdlib.h>

void address_space_unref(struct address_space **space)
{
	struct address_space *s = *space;

	*space = NULL;
	if (!s || --s->references)
		return;
	vector_release(&s->maps);
	memory_free(s);
}

struct address_space *address_space_new(uint32_t id)
{
	struct address_space *s = memory_new(1, sizeof(*s));

	s->references = 1;
	s->id = id;
	return s;
}

struct address_space *address_space_make_private(struct address_space **space, uint32_t id)
{
	struct address_space *old = *space, *s;

	if (old && old->references == 1) {
		old->id = id;
		return old;
	}
	s = address_space_new(id);
	if (old && old->maps.len) {
		vector_reserve(&s->maps, old->maps.len + 1);
		memcpy(s->maps.items, old->maps.items, old->maps.len * sizeof(*old->maps.items));
		s->maps.len = old->maps.len;
	}
	address_space_unref(space);
	*space = s;
	return s;
}

/* Index of the first mapping that ends behind `address`. */
static size_t space_search(const struct address_space *s, uint64_t address)
{
	return search_up_to(&s->maps, end, address);
}

static void space_insert(struct address_space *s, size_t at, const struct mapped *m)
{
	vector_reserve(&s->maps, 1);
	memmove(s->maps.items + at + 1, s->maps.items + at,
		(s->maps.len - at) * sizeof(*s->maps.items));
	s->maps.items[at] = *m;
	s->maps.len++;
}

bool address_space_replaces(const struct address_space *s, const struct mapped *m)
{
	for (size_t i = space_search(s, m->start);
		i < s->maps.len && s->maps.items[i].start < m->end; i++) {
		const struct mapped *old = &s->maps.items[i];

		if (old->mapping != m->mapping || old->start - old->offset != m->start - m->offset)
			return true;
	}
	return false;
}

/* Make a hole: remove mappings inside it, cut those that reach into it, split one around it. */
static size_t space_cut(struct address_space *s, uint64_t start, uint64_t end)
{
	size_t at = space_search(s, start), last;
	struct mapped *m;

	if (at == s->maps.len) /* all mappings are below it */
		return at;
	if (s->maps.items[at].start < start) {
		struct mapped right = s->maps.items[at];

		s->maps.items[at].end = start;
		at++;
		if (right.end > end) {
			right.offset += end - right.start;
			right.start = end;
			space_insert(s, at, &right);
			return at;
		}
	}
	for (last = at; last < s->maps.len && s->maps.items[last].end <= end; last++)
		;
	if (at == s->maps.len)
		return at;
	memmove(s->maps.items + at, s->maps.items + last,
		(s->maps.len - last) * sizeof(*s->maps.items));
	s->maps.len -= last - at;
	m = s->maps.items + at;
	if (at < s->maps.len && m->start < end) {
		m->offset += end - m->start;
		m->start = end;
	}
	return at;
}

void address_space_map(struct address_space *s, const struct mapped *m)
{
	size_t at;

	if (m->start >= m->end)
		return;
	at = space_cut(s, m->start, m->end);
	/* Beyond the limit the newest mapping is dropped, and its addresses get no names: the names
	 * of the mapping that it replaced would be wrong. */
	if (s->maps.len < ADDRESS_SPACE_LIMIT)
		space_insert(s, at, m);
}

const struct mapped *address_space_find_shared(
	const struct address_space *s, uint64_t address, uint32_t *last)
{
	const struct mapped *m;
	size_t at;

	if (!s || !s->maps.len)
		return NULL;
	m = *last < s->maps.len ? &s->maps.items[*last] : s->maps.items;
	if (address >= m->start && address < m->end)
		return m;
	at = space_search(s, address);
	if (at == s->maps.len || address < s->maps.items[at].start)
		return NULL;
	*last = (uint32_t)at;
	return &s->maps.items[at];
}

const struct mapped *address_space_find(struct address_space *s, uint64_t address)
{
	return s ? address_space_find_shared(s, address, &s->last) : NULL;
}
