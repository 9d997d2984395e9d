/* pages.h: a binary's unwind table in the layout that programs search (bpf/shared/unwind.h).
 *
 * Tables of large binaries are cached on disk (images/symbol_cache.h), by build id or, without one,
 * by a hash of what they are made from. */
#ifndef KILN_RECORDERS_UNWIND_PAGES_H
#define KILN_RECORDERS_UNWIND_PAGES_H

#include "base/memory.h"
#include "base/stable_file.h"
#include "bpf/shared/unwind.h"
#include "images/cfi_table.h"

struct unwind_pages {
	const union unwind_page *at;
	size_t count;
	bool empty;   /* the binary has no unwind information: one page that says so */
	uint64_t key; /* of the binary, on disk */
	VECTOR(union unwind_page) own; /* where `at` is, if it was made... */
	struct stable_file file;       /* ... or was read */
};

void unwind_pages_build(const struct cfi_table *table, struct unwind_pages *ret_pages);
/* What identifies a binary's table: its build id, else a hash of what the table is made from. */
void unwind_pages_identity(const struct image *image, char ret_text[65]);

/* Read from disk; false: they are not there. */
bool unwind_pages_read(const struct image *image, struct unwind_pages *ret_pages);
/* Read from disk, or else make them. This does not write to disk. */
void unwind_pages_open(const struct image *image, struct unwind_pages *ret_pages);
/* Write them to disk, if they were made and are large enough. */
void unwind_pages_save(const struct unwind_pages *pages, const struct image *image);
void unwind_pages_release(struct unwind_pages *pages);

#endif
