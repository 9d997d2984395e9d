/* qsort_r.h: what glibc's <stdlib.h> has and wasi-libc's has not; included before every file. */
#ifndef KILN_PAGE_QSORT_R_H
#define KILN_PAGE_QSORT_R_H

#include <stddef.h>

void qsort_r(void *items, size_t count, size_t size,
	int (*compare)(const void *a, const void *b, void *context), void *context);

#endif
