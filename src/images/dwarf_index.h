/* dwarf_index.h: which unit describes an address?
 *
 * From .debug_aranges; for units without an entry there, from their own ranges.
 *
 * Source: DWARF 5, 6.1.2. */
#ifndef KILN_IMAGES_DWARF_INDEX_H
#define KILN_IMAGES_DWARF_INDEX_H

#include "images/dwarf_unit.h"

/* Addresses [start, end) of a unit, by its index in the file's list. */
struct dwarf_span {
	uint64_t start, end;
	uint32_t unit;
};

/* `{0}` is an empty index. */
struct dwarf_index {
	VECTOR(struct dwarf_span) spans; /* ascending, without overlaps */
};

/* Where spans overlap in the file, the one that starts last gets the addresses. */
void dwarf_index_build(
	struct dwarf_reader *r, const struct dwarf_file *file, struct dwarf_index *ret_index);
void dwarf_index_release(struct dwarf_index *index);

#endif
