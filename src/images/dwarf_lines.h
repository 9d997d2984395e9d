/* dwarf_lines.h: which line of which file is at some addresses?
 *
 * Source: DWARF 5, 6.2; DWARF 2 to 4 name files and directories otherwise (DWARF 4, 6.2.4). */
#ifndef KILN_IMAGES_DWARF_LINES_H
#define KILN_IMAGES_DWARF_LINES_H

#include "images/dwarf_unit.h"

#define DWARF_LINE_FILES_LIMIT 1048576u /* files, and directories, of one table */

struct dwarf_row {
	uint32_t file, line; /* DWARF_NO_FILE: the table has no row at this address */
};
#define DWARF_NO_FILE UINT32_MAX /* no number of a file */

struct dwarf_line_file {
	struct bytes name;
	uint64_t directory;
	struct bytes path; /* with directories; made when it is asked for */
};

/* A unit's line table. `{0}` is empty; texts are in sections and in the arena. */
struct dwarf_lines {
	struct bytes directory; /* where the unit was compiled */
	bool from_one;		/* files count from 1 (before DWARF 5) */
	VECTOR(struct dwarf_line_file) files;
	VECTOR(struct bytes) directories;
	struct dwarf_row *rows; /* by address */
	struct arena texts;
};
void dwarf_lines_release(struct dwarf_lines *lines);

/* Read the table of a unit for `count` ascending addresses. False: it is damaged; what was found
 * before is there. */
bool dwarf_lines_read(struct dwarf_reader *r, const struct dwarf_unit *unit,
	const uint64_t *addresses, size_t count, struct dwarf_lines *ret_lines);

/* The path of a file by the number that rows and entries have for it; empty: unknown. */
struct bytes dwarf_lines_path(struct dwarf_lines *lines, uint32_t file);

#endif
