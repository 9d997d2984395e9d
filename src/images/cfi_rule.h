/* cfi_rule.h: where are the registers of a frame's caller? */
#ifndef KILN_IMAGES_CFI_RULE_H
#define KILN_IMAGES_CFI_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* How to find a value of the caller. "CFA" is the canonical frame address. */
enum cfi_how {
	CFI_SAME,	   /* unchanged; not listed in a rule */
	CFI_UNDEFINED,	   /* lost; for the return address: there is no caller */
	CFI_AT_CFA,	   /* the word at CFA + offset */
	CFI_CFA,	   /* CFA + offset */
	CFI_REGISTER,	   /* base + offset */
	CFI_AT_REGISTER,   /* the word at base + offset */
	CFI_PLT,	   /* CFA only: base + offset, and a word more if (pc & 15) >= after */
	CFI_AT_EXPRESSION, /* the word at the address that expression `offset` computes, with the
			      CFA on its stack */
	CFI_EXPRESSION,	   /* the result of expression `offset`; with the CFA on its stack unless it
				    computes the CFA */
	CFI_UNSUPPORTED,   /* in an exported table: cannot be expressed there */
};

/* `base` is a column (arch.h) for CFI_REGISTER, CFI_AT_REGISTER and CFI_PLT, otherwise 0. */
struct cfi_value {
	uint8_t how; /* enum cfi_how */
	uint8_t base;
	uint8_t column; /* the column that this describes */
	uint8_t reserved;
	int32_t offset; /* bytes, or the index of an expression */
};

/* Almost every rule is of this kind: the CFA is the stack pointer or the frame pointer plus an
 * offset; the return address is at an offset from the CFA, and so is the frame pointer unless it
 * is unchanged. A walk then tracks only these three registers. */
struct cfi_plain {
	bool is, saves_frame_pointer;
	int32_t return_offset, frame_pointer_offset; /* from the CFA */
};

/* The CFA is CFI_REGISTER, CFI_PLT, CFI_EXPRESSION, or CFI_AT_REGISTER with `after` added. */
struct cfi_rule {
	struct cfi_value cfa;
	int32_t cfa_after;
	uint32_t id;	       /* distinct rules of a handle are numbered from 1 */
	bool signal;	       /* a signal frame: the caller's pc is exact, not a return address */
	bool by_layout;	       /* ... whose registers are where arch.h says; nothing else is set */
	uint8_t return_column; /* the column with the caller's pc */
	uint8_t count;
	struct cfi_plain plain;
	struct cfi_value values[]; /* by column; columns that are not listed are unchanged */
};

#endif
