/* memory.h: allocation that returns only when it succeeded, vectors, and an arena.
 *
 * An allocation that fails ends the call of libkiln with an error (scope_fail), or the process
 * where there is no scope. Sizes that depend on input are limited by the caller before they
 * reach these functions. */
#ifndef KILN_BASE_MEMORY_H
#define KILN_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memory_new(size_t count, size_t size); /* zeroed; release with memory_free() */
/* As memory_new, for a table with random access: its pages are populated at once. A page that is
 * read before it is written costs two faults and, with several threads, an interrupt of the
 * other CPUs. */
void *memory_new_table(size_t count, size_t size);
void *memory_resize(void *p, size_t count, size_t size); /* as reallocarray */
char *memory_copy_text(const char *text, size_t len);	 /* NUL-terminated copy; memory_free() it */

void *memory_new_aligned(size_t size, size_t alignment); /* not zeroed */
/* NULL is allowed, and so is memory that a library allocated. The floors of libkiln never call
 * free() directly. */
void memory_free(void *p);

/* Keep the block beyond the running call of libkiln: in a static variable, or in another thread. */
void memory_keep(void *p);

/* A vector is any struct with `items`, `len` and `cap`. `cap == 0` with items means that the
 * items are borrowed (from a mapped file, for instance): growing copies them first, releasing
 * does not free them. */
#define VECTOR(type)                                                                               \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t len, cap;                                                                   \
	}

/* Make room for `more` items behind `len`. */
#define vector_reserve(v, more)                                                                    \
	((v)->len + (more) <= (v)->cap ? (void)0                                                   \
				       : (void)((v)->items = vector_grow((v)->items, (v)->len,     \
							&(v)->cap, (more), sizeof(*(v)->items))))
#define vector_push(v, item) (vector_reserve((v), 1), (void)((v)->items[(v)->len++] = (item)))
#define vector_release(v)                                                                          \
	((v)->cap ? memory_free((v)->items) : (void)0, (v)->items = NULL, (v)->len = (v)->cap = 0)

void *vector_grow(void *items, size_t len, size_t *cap, size_t more, size_t item_size);

/* Memory that is released all at once. `{0}` is an empty arena. */
struct arena {
	struct arena_block *last;
};

void *arena_alloc(struct arena *a, size_t size);		 /* aligned to 16, not zeroed */
char *arena_copy(struct arena *a, const char *text, size_t len); /* NUL-terminated */
void arena_release(struct arena *a);

#endif
