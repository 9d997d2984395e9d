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
#include "images/image.h"

/* How a value of the caller is found. "CFA" is the canonical frame address of the frame. */
enum cfi_how {
	CFI_SAME,	   /* unchanged; never stored in a rule's list */
	CFI_UNDEFINED,	   /* lost; of the return address: there is no caller */
	CFI_AT_CFA,	   /* the word at CFA + offset */
	CFI_CFA,	   /* CFA + offset */
	CFI_REGISTER,	   /* base + offset */
	CFI_AT_REGISTER,   /* the word at base + offset */
	CFI_PLT,	   /* CFA only: base + offset, and a word more when (pc & 15) >= after */
	CFI_AT_EXPRESSION, /* the word at what expression `offset` gives, with the CFA pushed */
	CFI_EXPRESSION, /* what expression `offset` gives; with the CFA pushed unless it is the CFA
			 */
	CFI_BROKEN,	/* in an exported table: cannot be said there */
};

/* `base` is a column (arch.h) for CFI_REGISTER, CFI_AT_REGISTER and CFI_PLT, else 0. */
struct cfi_value {
	uint8_t how; /* enum cfi_how */
	uint8_t base;
	uint8_t column; /* whose value this is */
	uint8_t reserved;
	int32_t offset; /* bytes, or the number of an expression */
};

/* Almost every rule is of this kind: the CFA is the stack or the frame pointer and an offset, the
 * return address lies at an offset from the CFA, and so does the frame pointer unless it is
 * unchanged. Then a walk needs nothing but these three registers. */
struct cfi_plain {
	bool is, saves_frame_pointer;
	int32_t return_offset, frame_pointer_offset; /* from the CFA */
};

/* The CFA is CFI_REGISTER, CFI_PLT, CFI_EXPRESSION, or CFI_AT_REGISTER with `after` added. */
struct cfi_rule {
	struct cfi_value cfa;
	int32_t cfa_after;
	uint32_t id; /* distinct rules of a handle are numbered from 1 */
	bool signal; /* the caller was interrupted: its pc is exact, not a return address */
	uint8_t return_column; /* which column holds the caller's pc */
	uint8_t count;
	struct cfi_plain plain;
	struct cfi_value values[]; /* by column; columns that are not listed are unchanged */
};

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
