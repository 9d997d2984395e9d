/* dwarf_functions.h: which functions of a unit, inlined ones included, are at some addresses?
 *
 * One forward pass over the unit's entries. Only functions are looked at, and only those that
 * cover one of the addresses are decoded. */
#ifndef KILN_IMAGES_DWARF_FUNCTIONS_H
#define KILN_IMAGES_DWARF_FUNCTIONS_H

#include "images/dwarf_names.h"

#define DWARF_FRAMES_LIMIT 256 /* functions inlined into each other at one address */
#define DWARF_NO_FUNCTION  UINT32_MAX

struct dwarf_function {
	struct dwarf_name name;
	uint32_t outer; /* the function it is inlined into; DWARF_NO_FUNCTION: none */
	uint32_t call_file, call_line; /* where it is called, if it is inlined */
};

struct dwarf_functions {
	VECTOR(struct dwarf_function) items; /* an outer function before its inner ones */
	uint32_t *innermost;		     /* by address; DWARF_NO_FUNCTION: none */
};
void dwarf_functions_release(struct dwarf_functions *functions);

/* Find the functions of the reader's current unit at `count` ascending addresses. False: the
 * unit is damaged; what was found before the damage is there. */
bool dwarf_functions_read(struct dwarf_reader *r, struct dwarf_names *names,
	const uint64_t *addresses, size_t count, struct dwarf_functions *ret_functions);

#endif
