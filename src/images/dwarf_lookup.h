/* dwarf_lookup.h: which functions, inlined ones too, are at an address, and on which lines?
 *
 * From the debugging information of a binary: DWARF 2 to 5, in the binary, in a separate debug
 * file, in the alternate file that dwz shares between binaries (.gnu_debugaltlink), in split files
 * (.dwo beside the binary, .dwp). It is read forwards, only in the units that cover an address that
 * was asked for, each once in a batch; no tree is built. What is kept grows with the answers, not
 * with the file.
 *
 * Sources: DWARF 5, chapter 7 (encodings), 2.17 (ranges), 3.3 (functions), 6.1.2 (.debug_aranges),
 * 6.2 (line tables), 7.3 (split files); for DWARF 4 the GNU extensions "DebugFission",
 * "DebugFissionDWP" and DW_FORM_GNU_ref_alt/strp_alt.
 *
 * Nothing that the file says is believed: what is damaged is skipped and counted. */
#ifndef KILN_IMAGES_DWARF_LOOKUP_H
#define KILN_IMAGES_DWARF_LOOKUP_H

#include "images/places.h"

struct dwarf;

/* Cheap: finds sections, reads none. `image` is the binary, `debug` its separate debug file or
 * NULL; `places` (NULL: the usual ones) say where shared and split files may lie. All must outlive
 * the handle. Never NULL: without debugging information every address has no frames. A handle is
 * for one thread at a time. */
struct dwarf *dwarf_open(
	const struct image *image, const struct image *debug, const struct places *places);
void dwarf_release(struct dwarf *d); /* NULL is fine */

/* No debugging information at all: asking is in vain. */
bool dwarf_empty(const struct dwarf *d);

/* A function at an address. Texts are valid until the callback returns; a caller who asks for many
 * addresses meets the same ones again and again. */
struct dwarf_frame {
	struct bytes name; /* empty: it has none */
	bool linkage;	   /* `name` is the linker's, to be demangled; else `space::Class::name` */
	struct bytes file; /* its directories in front as far as they are known; empty: unknown */
	uint32_t line;	   /* 0: unknown */
};

/* The answer for addresses[index]: frames OUTERMOST FIRST, the function whose code it is and then
 * what was inlined around the address. `file` and `line` of the innermost frame are the line
 * table's; those of every other frame are where it calls the next one. `count` is 0 where no
 * function is known; where only lines are known (assembly) it is 1, without a name. */
typedef void (*dwarf_found)(
	void *context, size_t index, const struct dwarf_frame *frames, size_t count);

/* Look up `count` addresses of the image (p_vaddr), ascending, equal ones allowed. `found` is
 * called once for each, in the calling thread, unit by unit in the order of the file: the same
 * order in every run, but not that of the addresses. Without `lines` every `file` is empty and
 * every `line` 0, and no line table is read. Uses up to `threads` threads (0: as many as there are
 * CPUs). */
void dwarf_lookup(struct dwarf *d, const uint64_t *addresses, size_t count, bool lines,
	unsigned threads, dwarf_found found, void *context);

/* What was met since dwarf_open. */
struct dwarf_stats {
	size_t units;	      /* that the file has */
	size_t decoded;	      /* times that one was read for its functions */
	size_t damaged;	      /* ... and could not be read to its end */
	size_t split_missing; /* ... and is in a .dwo or .dwp file that was not found */
	bool shared_missing;  /* the alternate file was not found: some names are missing */
};
struct dwarf_stats dwarf_stats(const struct dwarf *d);

#endif
