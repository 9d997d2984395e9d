/* large_pages.c: how does memory get large pages? */
#include "base/large_pages.h"

#ifdef __linux__
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void large_pages_advise(void *p, size_t size)
{
	uintptr_t start = (uintptr_t)p & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);

	madvise((void *)start, (uintptr_t)p + size - start, MADV_HUGEPAGE);
}

#ifndef LACKS_MALLOPT

void large_pages_heap(void)
{
	mallopt(M_MMAP_THRESHOLD, (int)LARGE_PAGE);
	mallopt(M_TOP_PAD, 2 * (int)LARGE_PAGE);
	mallopt(M_TRIM_THRESHOLD, 32 * (int)LARGE_PAGE);
}

void large_pages_single_heap(void)
{
	mallopt(M_ARENA_MAX, 1);
}

void large_pages_trim(void)
{
	malloc_trim(0);
}

#else /* musl has one heap, which returns what is freed, and nothing to choose */

void large_pages_heap(void)
{
}

void large_pages_single_heap(void)
{
}

void large_pages_trim(void)
{
}

#endif

size_t large_pages_usable(void *p, size_t size)
{
	(void)size;
	return malloc_usable_size(p);
}

#else /* in the browser: WebAssembly has no page sizes to choose from */

void large_pages_advise(void *p, size_t size)
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
