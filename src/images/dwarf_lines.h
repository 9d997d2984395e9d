/* dwarf_lines.h: which line of which file is at some addresses?
 *
 * Source: DWARF 5, 6.2; DWARF 2 to 4 name files and directories otherwise (DWARF 4, 6.2.4). */
#ifndef KILN_IMAGES_DWARF_LINES_H
#define KILN_IMAGES_DWARF_LINES_H

#include "images/dwarf_unit.h"

#define DWARF_LINE_FILES_LIMIT 1048576u /* files, and directories, of one table */

struct dwarf_row {
	uint32_t file, line; /* DWARF_NO_FILE: the table has no row for this address */
};
#define DWARF_NO_FILE UINT32_MAX /* not a file number */

struct dwarf_line_file {
	struct bytes name;
	uint64_t directory;
	struct bytes path; /* with its directory; built on demand */
};

/* The line table of a unit. `{0}` is empty; texts are in sections and in the arena. */
struct dwarf_lines {
	struct bytes directory; /* the compilation directory */
	bool from_one;		/* file numbers start at 1 (before DWARF 5) */
	VECTOR(struct dwarf_line_file) files;
	VECTOR(struct bytes) directories;
	struct dwarf_row *rows; /* by address */
	struct arena texts;
};
void dwarf_lines_release(struct dwarf_lines *lines);

/* Read the table of a unit for `count` ascending addresses. False: damaged; what was found
 * before is there. */
bool dwarf_lines_read(struct dwarf_reader *r, const struct dwarf_unit *unit,
	const uint64_t *addresses, size_t count, struct dwarf_lines *ret_lines);

/* The path for a file number from rows or entries; empty: unknown. */
struct bytes dwarf_lines_path(struct dwarf_lines *lines, uint32_t file);

#endif
