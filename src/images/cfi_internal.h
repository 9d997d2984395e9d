/* cfi_internal.h: the inside of a cfi handle, for code that visits all of its entries. */
#ifndef KILN_IMAGES_CFI_INTERNAL_H
#define KILN_IMAGES_CFI_INTERNAL_H

#include "images/cfi.h"
#include "images/cfi_index.h"

#define CFI_CIE_SLOTS	    16 /* of each source */
#define CFI_SYNTHETIC_LIMIT 8  /* ranges without an entry whose rules are known */

/* A CIE and the rules with which its entries start. */
struct cfi_cie_slot {
	bool used;
	struct cfi_cie cie;
	struct cfi_state initial;
};

/* Sources of rules, in the order of precedence. */
enum cfi_source { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_SYNTHETIC, CFI_SOURCES };

/* A decoded entry, ready to be run. */
struct cfi_entry {
	struct cfi_fde fde;
	const struct cfi_section *section;
	const struct cfi_cie_slot *cie; /* invalid after the next cfi_entry_at of the same source */
};

struct cfi {
	const struct image *image;
	const struct arch *arch;
	struct cfi_index indexes[CFI_SOURCES];
	bool debug_indexed; /* .debug_frame is indexed only when .eh_frame had no answer */
	struct bytes synthetic_programs[CFI_SYNTHETIC_LIMIT];
	uint64_t synthetic_ends[CFI_SYNTHETIC_LIMIT];
	struct cfi_cie_slot cies[CFI_SOURCES][CFI_CIE_SLOTS];
	struct cfi_cie_slot synthetic_cie;
	struct cfi_expressions expressions;
	const struct cfi_rule *signal_rule; /* of code to which signal handlers return (arch.h) */

	struct arena arena; /* owns the rules */
	VECTOR(const struct cfi_rule *) rules;
	struct id_map by_rule;
	struct cfi_memo {
		uint64_t address;
		const struct cfi_rule *rule;
	} * memo;
	size_t memo_mask, memo_used;
	struct cfi_stats stats;
};

/* The sources' indexes, built on first use. */
const struct cfi_index *cfi_source_index(struct cfi *cfi, enum cfi_source source);
/* Decode entry `i` of a source; false when it is damaged. */
bool cfi_entry_at(struct cfi *cfi, enum cfi_source source, size_t i, struct cfi_entry *ret_entry);
/* As cfi_run for an entry, from its start to the row of `target`. */
bool cfi_entry_run(struct cfi *cfi, const struct cfi_entry *entry, uint64_t target,
	void (*row)(void *context, uint64_t start, uint64_t end, const struct cfi_state *state),
	void *context, struct cfi_state *ret_state, uint64_t *ret_reached);

#endif
