/* expression.h: DWARF expressions in call frame information (DWARF 5, 2.5 and 6.4.2).
 *
 * An expression is a program for a stack machine. A walk that runs one for each frame is slow, and
 * a BPF program cannot run one at all. But nearly all expressions in real binaries have one of
 * three forms. These are recognised when a rule is decoded, and become formulas with the same
 * meaning; only other expressions are run. */
#ifndef KILN_IMAGES_EXPRESSION_H
#define KILN_IMAGES_EXPRESSION_H

#include "images/arch.h"

#define EXPRESSION_STACK_LIMIT 64  /* values */
#define EXPRESSION_STEPS_LIMIT 512 /* operations that are run, loops included */

/* A copy of a part of the thread's stack. */
struct stack_copy {
	uint64_t start; /* address of its first byte */
	struct bytes content;
};

/* The word of `size` bytes (1..8) at `address`; false if it is outside the copy. */
static inline bool stack_copy_read(
	const struct stack_copy *stack, uint64_t address, unsigned size, uint64_t *ret_value)
{
	uint64_t offset = address - stack->start;

	if (offset >= stack->content.len || stack->content.len - offset < size)
		return false;
	*ret_value = 0;
	memcpy(ret_value, stack->content.at + offset, size);
	return true;
}

enum expression_result {
	EXPRESSION_OK,
	EXPRESSION_BAD,	     /* malformed, unknown operation, or a limit */
	EXPRESSION_REGISTER, /* a register whose value is unknown */
	EXPRESSION_MEMORY,   /* a word outside the stack copy; its address is in ret_value */
};

/* Run `expression`; `initial`, if not NULL, is on its stack at the start. */
enum expression_result expression_run(struct bytes expression, const struct registers *registers,
	const struct stack_copy *stack, const uint64_t *initial, uint64_t *ret_value);

/* The forms that compilers and assemblers actually use, as formulas. */
enum expression_form {
	EXPRESSION_OTHER,
	EXPRESSION_SUM,	  /* base + offset */
	EXPRESSION_DEREF, /* the word at base + offset, plus after */
	EXPRESSION_PLT,	  /* base + offset, and 8 more when (pc & 15) >= after */
};
struct expression_formula {
	enum expression_form form;
	uint8_t base;
	int32_t offset, after;
};
struct expression_formula expression_recognise(struct bytes expression, const struct arch *arch);

#endif
