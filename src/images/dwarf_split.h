/* dwarf_split.h: where is the rest of a unit whose debugging information is in a file of its own?
 *
 * In a .dwo file that the unit names, or in a package of them (.dwp) beside the binary. */
#ifndef KILN_IMAGES_DWARF_SPLIT_H
#define KILN_IMAGES_DWARF_SPLIT_H

#include "images/dwarf_unit.h"

/* The split file to which a unit is the skeleton, identified by the id in both, and the offset
 * of the unit in it; NULL: not found. Thread-safe; each thread has its own reader. */
struct dwarf_file *dwarf_split_open(struct dwarf_reader *r, const struct dwarf_files *files,
	const struct dwarf_unit *skeleton, uint64_t *ret_unit);
void dwarf_split_release(struct dwarf_file *file); /* NULL is fine */

#endif
