/* dwarf_file.h: where are the parts of the debugging information of a binary?
 *
 * Its sections, and the file that dwz shares between binaries. Split files: dwarf_split.h. */
#ifndef KILN_IMAGES_DWARF_FILE_H
#define KILN_IMAGES_DWARF_FILE_H

#include "base/memory.h"
#include "images/binary_locations.h"
#include "images/dwarf_header.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_RNGLISTS,
	DWARF_LINE,
	/* The sections above have a counterpart in split files (".dwo"), those below do not. */
	DWARF_LINE_STR,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_ARANGES,
	DWARF_SECTIONS
};
#define DWARF_SPLIT_SECTIONS DWARF_LINE_STR

/* Entries refer to each other by an offset in a file's .debug_info. Another section of the same
 * file (.debug_types) counts as a file of its own here. */
struct dwarf_file {
	struct bytes sections[DWARF_SECTIONS];
	VECTOR(uint64_t) units; /* offsets of their headers, ascending */
	bool split;		/* a .dwo file, or one unit of a .dwp */
	bool types;		/* .debug_types */
	bool cut;		/* the section does not consist of units up to its end */
	struct dwarf_type_unit {
		uint64_t signature, unit, entry; /* offsets of the unit and of the type in it */
	} * type_units;				 /* by signature */
	size_t type_unit_count;
	const struct dwarf_file
		*info; /* the file that DW_FORM_ref_addr refers to; usually this one */
	const struct dwarf_file *types_file; /* .debug_types, or NULL */
	const struct dwarf_file *shared;     /* the alternate file, or NULL */
	struct image *image;		     /* owned, or NULL */
};

/* All parts of a binary's debugging information. */
struct dwarf_files {
	struct dwarf_file main, main_types, shared;
	const struct image *image; /* the image that has .debug_info */
	const struct image *program;
	const struct binary_locations *binary_locations; /* or NULL */
	struct image *package;				 /* .dwp, or NULL */
	bool shared_missing;
};

/* Does `image` have any debugging information? Reads nothing. */
bool dwarf_file_exists(const struct image *image);

/* Find and list everything but split files and line tables. The caller has set `files->image`,
 * `->program` and `->binary_locations`. */
void dwarf_files_load(struct dwarf_files *files);
void dwarf_files_load_lines(struct dwarf_files *files);
void dwarf_files_release(struct dwarf_files *files);

/* The header of the unit at `offset`: as dwarf_header_read. */
bool dwarf_file_header(
	const struct dwarf_file *file, uint64_t offset, struct dwarf_header *ret_header);
/* The unit that contains the entry at `offset`; false: none. */
bool dwarf_file_unit_at(const struct dwarf_file *file, uint64_t offset, uint64_t *ret_unit);
/* The type with this signature; false: none. */
bool dwarf_file_type(const struct dwarf_file *file, uint64_t signature,
	const struct dwarf_file **ret_file, uint64_t *ret_offset);

/* ---- For dwarf_split.c ---- */

extern const char *const dwarf_section_names[DWARF_SECTIONS];
struct bytes dwarf_section(const struct image *image, const char *name); /* empty: there is none */

/* List the units of its .debug_info; release the lists. */
void dwarf_file_list_units(struct dwarf_file *file);
void dwarf_file_release_units(struct dwarf_file *file);

/* Open a file at a path that the binary or its recording names: below symfs, or else below root
 * (struct binary_locations), then at the path itself. NULL: none. */
struct image *dwarf_files_open(
	const struct dwarf_files *files, struct bytes directory, struct bytes name);
/* The directory that an image lies in, with its slash. */
struct bytes dwarf_files_directory(const struct image *image);

#endif
