/* cfi_entry.h: the entries (CIEs and FDEs) of .eh_frame and .debug_frame, and their instructions.
 */
#ifndef KILN_IMAGES_CFI_ENTRY_H
#define KILN_IMAGES_CFI_ENTRY_H

#include "base/hash.h"
#include "base/memory.h"
#include "images/arch.h"
#include "images/cfi_rule.h"

#define CFI_REMEMBER_LIMIT 32 /* nested DW_CFA_remember_state; compilers need 2 */

/* The bytes of one section. */
struct cfi_section {
	struct bytes content;
	uint64_t address;
	bool debug; /* .debug_frame, whose encoding differs in details */
};

/* The rules while instructions run: of the CFA and of every column. */
struct cfi_state {
	struct cfi_value cfa;
	int32_t cfa_after;
	uint64_t set; /* mask of the columns whose rule is not the default */
	struct cfi_value columns[ARCH_COLUMNS_LIMIT];
};

struct cfi_cie {
	uint64_t offset;
	uint64_t code_align;
	int64_t data_align;
	uint8_t fde_encoding; /* DW_EH_PE_* */
	uint8_t return_column;
	bool augmented; /* FDEs have augmentation data to skip */
	bool signal;
	struct bytes program;
};

struct cfi_fde {
	uint64_t start, end; /* of the code, [start, end) */
	uint64_t cie_offset;
	struct bytes program;
};

/* The kind of the entry at `*offset`; moves `*offset` behind that entry. */
enum cfi_kind { CFI_KIND_END, CFI_KIND_DAMAGED, CFI_KIND_CIE, CFI_KIND_FDE };
enum cfi_kind cfi_entry_kind(const struct cfi_section *section, uint64_t *offset);

/* False: damaged, or with an unknown augmentation. */
bool cfi_read_cie(const struct cfi_section *section, uint64_t offset, struct cfi_cie *ret_cie);
/* The CIE of the FDE at `offset`, without decoding the FDE. */
bool cfi_fde_cie(const struct cfi_section *section, uint64_t offset, uint64_t *ret_cie_offset);
/* `cie` is the CIE at the offset from cfi_fde_cie. */
bool cfi_read_fde(const struct cfi_section *section, uint64_t offset, const struct cfi_cie *cie,
	struct cfi_fde *ret_fde);

/* Read a pointer in a DW_EH_PE_ encoding at `at` in `section`: absolute, or relative to its own
 * address or to `data`. False for indirect pointers and other bases. */
struct cursor;
bool cfi_read_pointer(const struct cfi_section *section, struct cursor *at, uint8_t encoding,
	uint64_t data, uint64_t *ret_value);

/* Numbers expressions; equal ones get equal numbers. */
struct cfi_expressions {
	VECTOR(struct bytes) items;
	struct id_map map;
};

/* The state of a running program. */
struct cfi_machine {
	const struct arch *arch;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	const struct cfi_state *initial; /* after the CIE's program; NULL while that runs */
	struct cfi_expressions *expressions;
	/* Called for every complete row, [start, end); NULL: not wanted. */
	void (*row)(void *context, uint64_t start, uint64_t end, const struct cfi_state *state);
	void *context;
};

/* Run `program` on `state`, from address `start` to the row that contains `target`, and leave that
 * row in `state`. False if the program is damaged before that row. `*ret_reached` is the start of
 * the last row that was reached. */
bool cfi_run(const struct cfi_machine *machine, struct bytes program, uint64_t start,
	uint64_t target, struct cfi_state *state, uint64_t *ret_reached);

#endif
