/* large_pages.h: memory on large pages, which takes fewer page faults. */
#ifndef KILN_BASE_LARGE_PAGES_H
#define KILN_BASE_LARGE_PAGES_H

#include <stddef.h>

#define LARGE_PAGE ((size_t)2 << 20) /* bytes */

/* Ask for large pages in [p, p + size), which need not be aligned. Best effort: a kernel without
 * them refuses, without harm. */
void large_pages_advise(void *p, size_t size);

/* Let malloc map only blocks that large pages are used for, and keep freed memory, which it
 * would otherwise return and request again with a fault for each page. Call once, before other
 * threads start. */
void large_pages_heap(void);

/* Let all threads share one heap, so that large_pages_trim can return all of it: malloc
 * keeps the end of a thread's own heap. Call before other threads start. */
void large_pages_single_heap(void);

/* Return free memory that malloc keeps, of all threads, to the kernel. For a thread that is about
 * to wait. */
void large_pages_trim(void);

/* How many bytes of the block that malloc returned at `p` may be used: at least `size`. */
size_t large_pages_usable(void *p, size_t size);

#endif
