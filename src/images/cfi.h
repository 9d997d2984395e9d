/* cfi.h: how does one get from a frame to its caller's frame? The call frame information of a
 * binary.
 *
 * Compilers describe, for every instruction, how to find the caller's registers: the canonical
 * frame address (CFA) is a register plus an offset, and the return address and saved registers lie
 * at offsets from it. These rules are in .eh_frame (found by the search table in .eh_frame_hdr, or
 * by an index of our own if that is missing or unsorted) and in .debug_frame. Rules for PLTs whose
 * linker emitted none are built in (arch.c).
 *
 * An entry (FDE) is a small program that has to be run from the start of its function up to the
 * address. A profile asks for the same addresses again and again, so each rule is decoded once,
 * kept (one copy of each distinct rule), and found again by a direct-mapped memo of addresses in a
 * few nanoseconds.
 *
 * By hand: unwinding and naming 31,047 stack copies takes 8.6 s with hotspot-perfparser, which uses
 * libdwfl, 1.3 s with perf script, and 0.16 s with Kiln: `bench/perf_data.sh`. libdw also offers no
 * access to the rules that cfi_table.h exports.
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

/* Never fails: a binary without tables, with damaged ones or of an unknown machine (arch.h) has
 * no rules. The image must outlive the handle. */
struct cfi *cfi_open(const struct image *image);
void cfi_release(struct cfi *cfi); /* NULL is allowed */

/* The rule at `address` (an address of the image, p_vaddr), or NULL: no entry, or a damaged one.
 * Valid as long as the handle. */
const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t address);

const struct arch *cfi_arch(const struct cfi *cfi); /* NULL: unknown machine */
struct bytes cfi_expression(const struct cfi *cfi, int32_t number);

struct cfi_stats {
	size_t entries;	   /* in the indexes of all sources built so far */
	size_t rules;	   /* distinct ones decoded so far */
	size_t damaged;	   /* lookups that met a damaged entry */
	bool search_table; /* .eh_frame_hdr was usable */
};
struct cfi_stats cfi_stats(const struct cfi *cfi);

#endif
