/* cfi_table.h: all rules of a binary as one flat table, for unwinders that cannot decode: a BPF
 * program searches it in this form.
 *
 * The kernel samples a thread, and a BPF program walks the stack of that thread at once, so that no
 * stack has to be copied to user space. BPF code is bounded and cannot run the little programs of
 * .eh_frame, so all of them are run in advance, and their rows are stored in a form that a loop
 * with a fixed bound can search.
 *
 * Addresses (the image's, p_vaddr) are cut into pages of 64 KB. pages[p] .. pages[p + 1] are the
 * rows of page p, sorted. A row has 4 bytes: `pc`, the low 16 bits of an address, and the number of
 * the rule that applies from there to the next row's pc; adjacent rows differ. Every page starts
 * with a row for pc 0, so that a search never leaves its page: 16 steps at most find the last row
 * whose pc is not above the address. A binary has only hundreds of distinct rules, each stored
 * once.
 *
 * A rule has what a chain of frames needs: the CFA, the return address and the frame pointer.
 * Everything else is dropped before rules are compared, so that more of them are equal. Only a
 * binary that finds frames through the base pointer (arch.h), which is rare, also stores where
 * that is saved. */
#ifndef KILN_IMAGES_CFI_TABLE_H
#define KILN_IMAGES_CFI_TABLE_H

#include "images/cfi.h"

#define CFI_TABLE_PAGE_BITS   16
#define CFI_TABLE_PAGES_LIMIT ((uint64_t)1 << 18) /* 16 GB of addresses; 1 MB of index */
#define CFI_TABLE_RULES_LIMIT 65536

struct cfi_table_row {
	uint16_t pc;
	uint16_t rule; /* index; 0: no rule, follow the frame pointer or stop */
};

/* The members `*_how` are enum cfi_how. cfa_how: CFI_REGISTER, CFI_AT_REGISTER (then cfa_after is
 * added), CFI_PLT, CFI_UNSUPPORTED (an expression: left to user space), CFI_UNDEFINED (rule 0).
 * ra_how and fp_how: CFI_AT_CFA, CFI_CFA, CFI_REGISTER, CFI_AT_REGISTER, CFI_SAME, CFI_UNDEFINED
 * (for ra: outermost frame), CFI_UNSUPPORTED. */
struct cfi_table_rule {
	int32_t cfa_offset, cfa_after, ra_offset, fp_offset, base_offset;
	uint8_t cfa_how, cfa_base, ra_how, ra_base, fp_how, fp_base;
	uint8_t base_how; /* CFI_SAME, CFI_AT_CFA, CFI_UNDEFINED (lost, or not tracked) */
	uint8_t signal;	  /* 1: the caller's pc is exact */
};

struct cfi_table {
	uint64_t start; /* address of page 0 */
	size_t page_count, row_count, rule_count;
	uint32_t *pages; /* page_count + 1 */
	struct cfi_table_row *rows;
	struct cfi_table_rule *rules;
};

/* ERR_LIMIT when a limit above is exceeded, which only damaged files do. A binary without tables
 * gives a table without pages. */
bool cfi_table_build(struct cfi *cfi, struct cfi_table *ret_table, struct error *err);
void cfi_table_release(struct cfi_table *table);

/* The rule of an address, found by the search described above. */
const struct cfi_table_rule *cfi_table_find(const struct cfi_table *table, uint64_t address);

#endif
