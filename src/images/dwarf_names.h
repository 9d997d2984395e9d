/* dwarf_names.h: what is a function called? */
#ifndef KILN_IMAGES_DWARF_NAMES_H
#define KILN_IMAGES_DWARF_NAMES_H

#include "base/hash.h"
#include "images/dwarf_unit.h"

#define DWARF_HOPS_LIMIT   16 /* references to follow from an entry to its declaration */
#define DWARF_SPACES_LIMIT 32 /* scopes in front of a name */

struct dwarf_name {
	struct bytes text; /* in a section, or in the names' arena */
	bool linkage;	   /* the linkage name; otherwise qualified by its scopes */
};

/* Names that were found, keyed by the entry that led to them. `{0}` is empty. */
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
