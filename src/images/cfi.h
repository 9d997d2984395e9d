/* cfi.h: how is a frame left? The call frame information of a binary.
 *
 * From .eh_frame (through the search table of .eh_frame_hdr, or an index of our own when that is
 * missing or unsorted), then .debug_frame, then what is known about .plt of linkers that describe
 * nothing. Entries are decoded when they are asked for and rules are kept, so that asking for an
 * address again costs a few nanoseconds.
 *
 * Formats: DWARF 5, section 6.4; Linux Standard Base Core 5.0, "Exception Frames" (.eh_frame,
 * .eh_frame_hdr, augmentations, pointer encodings).
 *
 * A struct cfi is a handle for one thread; handles of several threads may share an image. */
#ifndef KILN_IMAGES_CFI_H
#define KILN_IMAGES_CFI_H

#include "images/arch.h"
#include "images/cfi_rule.h"
#include "images/image.h"

struct cfi;

/* Always succeeds; a binary without tables, damaged ones or of a machine that arch.h does not know
 * gives no rules. The image must outlive the handle. */
struct cfi *cfi_open(const struct image *image);
void cfi_release(struct cfi *cfi); /* NULL is fine */

/* The rule at `address` (as the image counts, p_vaddr), or NULL: no table, or its entry is damaged.
 * Lives as long as the handle. */
const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t address);

const struct arch *cfi_arch(const struct cfi *cfi); /* NULL: unknown machine */
struct bytes cfi_expression(const struct cfi *cfi, int32_t number);

struct cfi_stats {
	size_t entries;	   /* that the search tables list */
	size_t rules;	   /* distinct ones met so far */
	size_t damaged;	   /* lookups that ended in a damaged entry */
	bool search_table; /* .eh_frame_hdr was usable */
};
struct cfi_stats cfi_stats(const struct cfi *cfi);

#endif
