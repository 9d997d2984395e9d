/* cfi_index.h: which entry of a section covers an address? */
#ifndef KILN_IMAGES_CFI_INDEX_H
#define KILN_IMAGES_CFI_INDEX_H

#include "images/cfi_entry.h"
#include "images/image.h"

/* Entries of one section, sorted by the start of their code. */
struct cfi_index {
	struct cfi_section section;
	struct bytes table; /* of .eh_frame_hdr: pairs of int32_t relative to table_base */
	uint64_t table_base;
	size_t count;
	struct cfi_index_entry {
		uint64_t start, offset;
	} * entries; /* our own, if there is no table */
};

/* These do not fail: a missing or damaged section has no entries. */
void cfi_index_eh_frame(struct cfi_index *index, const struct image *image);
void cfi_index_debug_frame(struct cfi_index *index, const struct image *image);
void cfi_index_release(struct cfi_index *index);

struct cfi_index_entry cfi_index_at(const struct cfi_index *index, size_t i);
/* The last entry that starts at or before `address`; SIZE_MAX: none. */
size_t cfi_index_find(const struct cfi_index *index, uint64_t address);

#endif
