/* dwarf_ranges.h: which addresses does an entry cover?
 *
 * Source: DWARF 5, 2.17 and 7.25 (.debug_rnglists); DWARF 4, 7.24 (.debug_ranges). */
#ifndef KILN_IMAGES_DWARF_RANGES_H
#define KILN_IMAGES_DWARF_RANGES_H

#include "images/dwarf_unit.h"

/* The state of an iteration. */
struct dwarf_ranges {
	struct dwarf_reader *reader;
	const struct dwarf_unit *unit;
	struct cursor at;
	uint64_t base;
	uint64_t start, end; /* of an entry with one contiguous range */
	enum { DWARF_RANGES_DONE, DWARF_RANGES_ONE, DWARF_RANGES_OLD, DWARF_RANGES_NEW } how;
};

/* From the entry's DW_AT_ranges, otherwise its low and high pc. Reader and entry must outlive
 * `ret_ranges`. */
void dwarf_ranges_start(
	struct dwarf_reader *r, const struct dwarf_entry *entry, struct dwarf_ranges *ret_ranges);
/* The next non-empty range, [start, end); false: no more. Ranges of code that the linker
 * dropped, which it moves to address 0, are skipped. */
bool dwarf_ranges_next(struct dwarf_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end);

#endif
