/* cfi_table.h: all rules of a binary as one table, for unwinders that cannot decode: a BPF program
 * searches it as it is.
 *
 * Addresses (the image's, p_vaddr) are cut into pages of 64 KB. pages[p] .. pages[p + 1] are the
 * rows of page p, sorted; each row holds from its `pc` (the low 16 bits of an address) to the next
 * row's. Every page starts with a row for pc 0, so that a search never leaves its page: at most 16
 * steps find the last row whose pc is not above the address's. A row takes 4 bytes and adjacent
 * rows differ; rules are few (hundreds a binary) and stand once.
 *
 * A rule says what a chain of frames needs: the CFA, the return address and the frame pointer.
 * Rules are reduced to that before they are compared. In a binary that finds frames by the base
 * pointer (arch.h), which hardly any does, they also say where that is. */
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

/* `how`s are enum cfi_how. cfa_how: CFI_REGISTER, CFI_AT_REGISTER (then cfa_after is added),
 * CFI_PLT, CFI_BROKEN (an expression, for user space), CFI_UNDEFINED (rule 0). ra_how and fp_how:
 * CFI_AT_CFA, CFI_CFA, CFI_REGISTER, CFI_AT_REGISTER, CFI_SAME, CFI_UNDEFINED (of ra: outermost),
 * CFI_BROKEN. */
struct cfi_table_rule {
	int32_t cfa_offset, cfa_after, ra_offset, fp_offset, base_offset;
	uint8_t cfa_how, cfa_base, ra_how, ra_base, fp_how, fp_base;
	uint8_t base_how; /* CFI_SAME, CFI_AT_CFA, CFI_UNDEFINED (lost, or this is not followed) */
	uint8_t signal;	  /* 1: the caller's pc is exact */
};

struct cfi_table {
	uint64_t start; /* address of page 0 */
	size_t page_count, row_count, rule_count;
	uint32_t *pages; /* page_count + 1 */
	struct cfi_table_row *rows;
	struct cfi_table_rule *rules;
};

/* ERR_LIMIT when a limit above is exceeded (damage: no real binary does). A binary without tables
 * gives a table without pages. */
bool cfi_table_build(struct cfi *cfi, struct cfi_table *ret_table, struct error *err);
void cfi_table_release(struct cfi_table *table);

/* The rule of an address, by the search described above. */
const struct cfi_table_rule *cfi_table_find(const struct cfi_table *table, uint64_t address);

#endif
