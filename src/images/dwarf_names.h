/* dwarf_names.h: what is a function called? */
#ifndef KILN_IMAGES_DWARF_NAMES_H
#define KILN_IMAGES_DWARF_NAMES_H

#include "base/hash.h"
#include "images/dwarf_unit.h"

#define DWARF_HOPS_LIMIT   16 /* from an entry to what it is an instance of, and on */
#define DWARF_SPACES_LIMIT 32 /* names in front of a name */

struct dwarf_name {
	struct bytes text; /* in a section, or in the names' arena */
	bool linkage;	   /* the linker's; else qualified by what it is in */
};

/* Names that were found, by the entry that they were found through. `{0}` is empty. */
struct dwarf_names {
	struct id_map map;
	VECTOR(struct dwarf_known_name) known;
	struct arena texts;
};
void dwarf_names_release(struct dwarf_names *names);

/* The name of a function in the reader's current unit, through DW_AT_abstract_origin and
 * DW_AT_specification; empty: none. */
struct dwarf_name dwarf_function_name(
	struct dwarf_reader *r, struct dwarf_names *names, const struct dwarf_entry *entry);

#endif
