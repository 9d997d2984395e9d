/* large_pages.h: memory that is there after a few faults. */
#ifndef KILN_BASE_LARGE_PAGES_H
#define KILN_BASE_LARGE_PAGES_H

#include <stddef.h>

#define LARGE_PAGE ((size_t)2 << 20) /* bytes */

/* Ask for large pages in [p, p + size), which need not be aligned. Best effort: a kernel without
 * them says no, and that is fine. */
void large_pages_ask(void *p, size_t size);

/* Let malloc map only what large pages are asked for, and keep the rest, which it would otherwise
 * give back and take again, a fault for each page. Once, before there are threads. */
void large_pages_heap(void);

/* Let all threads have one heap, for who gives back: of a thread's own, malloc would keep the end.
 * Before there are threads. */
void large_pages_one_heap(void);

/* What malloc keeps for later, whoever has used it: to be called by who waits for others from here
 * on. */
void large_pages_give_back(void);

/* How much of what malloc gave at `p`, at least `size` bytes, may be used. */
size_t large_pages_usable(void *p, size_t size);

#endif
