/* large_pages.c: how does memory come in large pieces? */
#include "base/large_pages.h"

#ifdef __linux__
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAP_SIZE ((size_t)64 << 20)
#define HEAP_FIRST                                                                                 \
	((size_t)100 << 10) /* two of them do not fit in what is there, one is no mapping */

void large_pages_ask(void *p, size_t size)
{
	uintptr_t start = (uintptr_t)p & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);

	madvise((void *)start, (uintptr_t)p + size - start, MADV_HUGEPAGE);
}

/* Pages are chosen for memory that is there: the heap grows to that size at once, in addresses
 * only. */
void large_pages_heap(void)
{
	char *before = sbrk(0);
	void *first, *second;

	mallopt(M_TOP_PAD, HEAP_SIZE);
	first = malloc(HEAP_FIRST);
	second = malloc(HEAP_FIRST);
	large_pages_ask(before, (size_t)((char *)sbrk(0) - before));
	free(first);
	free(second);
}

size_t large_pages_usable(void *p, size_t size)
{
	(void)size;
	return malloc_usable_size(p);
}

#else /* in a page: WebAssembly's memory has no pages to choose */

void large_pages_ask(void *p, size_t size)
{
	(void)p;
	(void)size;
}

size_t large_pages_usable(void *p, size_t size)
{
	(void)p;
	return size;
}

#endif
