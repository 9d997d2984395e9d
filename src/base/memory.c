/* memory.c: where does memory come from, and what happens when it runs out? */
#include "base/memory.h"

#include "base/large_pages.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

/* A large block gets large pages: a fault for each small page would mostly take longer than the
 * code that fills it. */
static void *on_large_pages(void *p, size_t size)
{
	if (size >= LARGE_PAGE)
		large_pages_advise(p, large_pages_usable(p, size));
	return p;
}

/* After scope_reserve: record that `now` has replaced `before`, or fail if it is NULL. */
static void *allocated(uintptr_t before, void *now, size_t size)
{
	if (!now) {
		scope_unreserve();
		scope_fail(size);
	}
	scope_change(before, now);
	return now;
}

static void reserve(size_t size)
{
	if (!scope_reserve())
		scope_fail(size);
}

void *memory_new(size_t count, size_t size)
{
	void *p;

	reserve(count * size);
	p = allocated(0, calloc(count ? count : 1, size ? size : 1), count * size);
	return on_large_pages(p, count * size);
}

void *memory_new_table(size_t count, size_t size)
{
	return memset(memory_resize(NULL, count, size), 0, count * size);
}

void *memory_resize(void *p, size_t count, size_t size)
{
	uintptr_t before = (uintptr_t)p;
	void *grown;

	reserve(count * size);
	grown = reallocarray(p, count ? count : 1, size ? size : 1);
	return on_large_pages(allocated(before, grown, count * size), count * size);
}

void *memory_new_aligned(size_t size, size_t alignment)
{
	void *p;

	reserve(size);
	return allocated(0, posix_memalign(&p, alignment, size) ? NULL : p, size);
}

void memory_free(void *p)
{
	scope_change((uintptr_t)p, NULL);
	free(p);
}

void memory_keep(void *p)
{
	scope_change((uintptr_t)p, NULL);
}

char *memory_copy_text(const char *text, size_t len)
{
	char *copy = memory_new(len + 1, 1);

	if (len)
		memcpy(copy, text, len);
	return copy;
}

/* Up to the size of a large page, growing copies the items into newly mapped memory; beyond it,
 * realloc only moves pages. So a vector of this many bytes or more grows fourfold until it fills a
 * large page. Room that is not used takes no memory. */
#define FEW_COPIES ((size_t)64 << 10)

void *vector_grow(void *items, size_t len, size_t *cap, size_t more, size_t item_size)
{
	size_t want = *cap ? *cap + *cap / 2 : 16, page = LARGE_PAGE / item_size;
	void *grown;

	if (*cap >= FEW_COPIES / item_size && want < page)
		want = 4 * *cap < page ? 4 * *cap : page;
	if (want < len + more)
		want = len + more;
	if (*cap) {
		grown = memory_resize(items, want, item_size);
	} else {
		grown = memory_resize(NULL, want, item_size);
		if (len)
			memcpy(grown, items, len * item_size);
	}
	*cap = want;
	return grown;
}

#define ARENA_BLOCK ((size_t)64 << 10)

struct arena_block {
	struct arena_block *before;
	size_t used, size;
	_Alignas(16) char bytes[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->last;
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < size) {
		size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;

		b = memory_resize(NULL, 1, sizeof(*b) + room);
		b->before = a->last;
		b->used = 0;
		b->size = room;
		a->last = b;
	}
	p = b->bytes + b->used;
	b->used += size;
	return p;
}

char *arena_copy(struct arena *a, const char *text, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

void arena_release(struct arena *a)
{
	while (a->last) {
		struct arena_block *b = a->last;

		a->last = b->before;
		memory_free(b);
	}
}
