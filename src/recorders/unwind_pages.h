/* unwind_pages.h: a binary's unwind table in the shape that programs in the kernel search
 * (bpf/unwind_shared.h). */
#ifndef KILN_RECORDERS_UNWIND_PAGES_H
#define KILN_RECORDERS_UNWIND_PAGES_H

#include "base/memory.h"
#include "bpf/unwind_shared.h"
#include "images/cfi_table.h"

struct unwind_pages {
	uint64_t start; /* the image's address where the first part begins */
	uint32_t parts;
	uint16_t index; /* page */
	VECTOR(union unwind_page) pages;
};

/* What it would take, in bytes, before it is made: not less than it takes. */
uint64_t unwind_pages_most(const struct cfi_table *table);
void unwind_pages_build(const struct cfi_table *table, struct unwind_pages *ret_pages);
void unwind_pages_release(struct unwind_pages *pages);

#endif
