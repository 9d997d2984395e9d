/* dwarf_lookup.h: which functions, inlined ones included, are at an address, and on which lines?
 *
 * From the debugging information of a binary, DWARF 2 to 5: in the binary, in a separate debug
 * file, in the alternate file that dwz shares between binaries (.gnu_debugaltlink), in split files
 * (.dwo beside the binary, .dwp).
 *
 * Addresses come in batches, ascending. An index tells which unit covers each address
 * (dwarf_index.h). Each such unit is read once per batch, forwards, and only the functions that
 * cover an address are decoded (dwarf_functions.h); entries in between are skipped by compiled
 * abbreviations (dwarf_abbrev.h). No tree of entries is built, so memory grows with the answers and
 * not with the file. Units are independent, so threads read them in parallel.
 *
 * By hand: libdw needs 2.2 s just to visit all entries of a debug file of 630 MB; in the same file
 * this reader names 487 addresses in 93 ms, with lines in 182 ms: `bench/name_addresses.sh`. perf
 * script takes more than 100 s to show inlined functions where Kiln takes 0.11 s:
 * `bench/perf_data.sh`.
 *
 * Sources: DWARF 5, chapter 7 (encodings), 2.17 (ranges), 3.3 (functions), 6.1.2 (.debug_aranges),
 * 6.2 (line tables), 7.3 (split files); for DWARF 4 the GNU extensions "DebugFission",
 * "DebugFissionDWP" and DW_FORM_GNU_ref_alt/strp_alt.
 *
 * The file is not trusted: what is damaged is skipped and counted. */
#ifndef KILN_IMAGES_DWARF_LOOKUP_H
#define KILN_IMAGES_DWARF_LOOKUP_H

#include "images/binary_locations.h"

struct dwarf;

/* Cheap: finds sections, reads none. `image` is the binary, `debug` its separate debug file or
 * NULL; `binary_locations` (NULL: the usual ones) say where shared and split files may be. All must
 * outlive the handle. Never NULL: without debugging information, no address has frames. A handle
 * is used by one thread at a time. */
struct dwarf *dwarf_open(const struct image *image, const struct image *debug,
	const struct binary_locations *binary_locations);
void dwarf_release(struct dwarf *d); /* NULL is allowed */

/* No debugging information at all: lookups are pointless. */
bool dwarf_empty(const struct dwarf *d);

/* A function at an address. Texts are valid until the callback returns. A caller that asks for
 * many addresses gets the same texts (the same pointers) repeatedly. */
struct dwarf_frame {
	struct bytes name; /* empty: no name */
	bool linkage; /* `name` is the linkage name, to be demangled; otherwise `space::Class::name`
		       */
	struct bytes file; /* with its directories as far as they are known; empty: unknown */
	uint32_t line;	   /* 0: unknown */
};

/* The answer for addresses[index]: frames OUTERMOST FIRST, the function whose code it is, then
 * those inlined at the address. `file` and `line` of the innermost frame come from the line
 * table; those of the others are where they call the next one. `count` is 0 if no function is
 * known, and 1, without a name, if only a line is known (assembly). */
typedef void (*dwarf_found)(
	void *context, size_t index, const struct dwarf_frame *frames, size_t count);

/* Look up `count` addresses of the image (p_vaddr), ascending; they may repeat. `found` is
 * called once for each in the calling thread, unit by unit in the order of the file: the same
 * order in every run, but not that of the addresses. Without `lines` every `file` is empty,
 * every `line` 0, and no line table is read. Uses up to `threads` threads (0: as many as there
 * are CPUs). */
void dwarf_lookup(struct dwarf *d, const uint64_t *addresses, size_t count, bool lines,
	unsigned threads, dwarf_found found, void *context);

/* Counts since dwarf_open. */
struct dwarf_stats {
	size_t units;	      /* in the file */
	size_t decoded;	      /* units read for their functions, repetitions included */
	size_t damaged;	      /* ... and could not be read to their end */
	size_t split_missing; /* ... and are in a .dwo or .dwp file that was not found */
	bool shared_missing;  /* the alternate file was not found: some names are missing */
};
struct dwarf_stats dwarf_stats(const struct dwarf *d);

#endif
