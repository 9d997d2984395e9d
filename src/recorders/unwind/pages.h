/* pages.h: a binary's unwind table in the shape that programs in the kernel search
 * (bpf/shared/unwind.h).
 *
 * Those of large binaries are kept on disk (images/symbol_cache.h), by build id or, where there is
 * none, by what they are made from. */
#ifndef KILN_RECORDERS_UNWIND_PAGES_H
#define KILN_RECORDERS_UNWIND_PAGES_H

#include "base/memory.h"
#include "base/stable_file.h"
#include "bpf/shared/unwind.h"
#include "images/cfi_table.h"

struct unwind_pages {
	const union unwind_page *at;
	size_t count;
	bool empty;		       /* the binary has no tables: one page that says so */
	uint64_t key;		       /* of the binary, on disk */
	VECTOR(union unwind_page) own; /* where `at` is, when it was made... */
	struct stable_file file;       /* ... or was read */
};

void unwind_pages_build(const struct cfi_table *table, struct unwind_pages *ret_pages);
/* What tells a binary's table from others: its build id, else what the table is made from. */
void unwind_pages_identity(const struct image *image, char ret_text[65]);

/* From disk; false: they are not there. */
bool unwind_pages_read(const struct image *image, struct unwind_pages *ret_pages);
/* From disk, else made. The disk is not written to. */
void unwind_pages_open(const struct image *image, struct unwind_pages *ret_pages);
/* Write them to disk, if they were made and that is worth it. */
void unwind_pages_keep(const struct unwind_pages *pages, const struct image *image);
void unwind_pages_release(struct unwind_pages *pages);

#endif
