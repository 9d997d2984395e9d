/* qsort_r.h: declares qsort_r, which wasi-libc's <stdlib.h> lacks; included before every file. */
#ifndef KILN_PAGE_QSORT_R_H
#define KILN_PAGE_QSORT_R_H

#include <stddef.h>

void qsort_r(void *items, size_t count, size_t size,
	int (*compare)(const void *a, const void *b, void *context), void *context);

#endif
