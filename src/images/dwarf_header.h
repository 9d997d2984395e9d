/* dwarf_header.h: what does the header of a unit of .debug_info say? */
#ifndef KILN_IMAGES_DWARF_HEADER_H
#define KILN_IMAGES_DWARF_HEADER_H

#include "images/dwarf_abbrev.h"

/* All offsets are in the section. */
struct dwarf_header {
	uint64_t offset, first, end; /* of the header, of the first entry, of the unit's end */
	uint64_t abbrevs;	     /* in .debug_abbrev */
	uint64_t id;		     /* of a split unit, or the signature of a type unit; 0: none */
	uint64_t type;		     /* offset of the type in a type unit */
	struct dwarf_encoding encoding;
	uint8_t kind; /* DW_UT_*; before DWARF 5 DW_UT_compile or DW_UT_type */
};

/* Read the header at an offset of .debug_info, or .debug_types (`types`). False: damaged.
 * `ret_header->end` is set whenever it can be known, else 0. */
bool dwarf_header_read(
	struct bytes info, bool types, uint64_t offset, struct dwarf_header *ret_header);

#endif
