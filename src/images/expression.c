/* expression.c: DWARF expressions in call frame information. */
#include "images/expression.h"

#include "base/cursor.h"

#include <dwarf.h>

struct machine {
	struct cursor code;
	const uint8_t *start;
	const struct registers *registers;
	const struct stack_copy *memory;
	uint64_t stack[EXPRESSION_STACK_LIMIT];
	unsigned depth;
	enum expression_result result;
};

static bool fail(struct machine *m, enum expression_result result)
{
	m->result = result;
	return false;
}

static bool push(struct machine *m, uint64_t value)
{
	if (m->depth == EXPRESSION_STACK_LIMIT)
		return fail(m, EXPRESSION_BAD);
	m->stack[m->depth++] = value;
	return true;
}

static bool push_register(struct machine *m, uint64_t column, int64_t offset)
{
	if (column >= ARCH_COLUMNS_LIMIT || !registers_has(m->registers, (unsigned)column))
		return fail(m, EXPRESSION_REGISTER);
	return push(m, m->registers->value[column] + (uint64_t)offset);
}

static bool load(struct machine *m, unsigned size)
{
	uint64_t *top = &m->stack[m->depth - 1];
	uint64_t address = *top;

	if (size < 1 || size > 8)
		return fail(m, EXPRESSION_BAD);
	if (stack_copy_read(m->memory, address, size, top))
		return true;
	m->stack[0] = address; /* expression_run returns it */
	return fail(m, EXPRESSION_MEMORY);
}

static bool jump(struct machine *m, int64_t distance, bool taken)
{
	const uint8_t *end = m->code.end;

	if (!taken)
		return true;
	if (distance < m->start - m->code.at || distance > end - m->code.at)
		return fail(m, EXPRESSION_BAD);
	m->code.at += distance;
	return true;
}

/* Operations on the two topmost values: a is below b. */
static bool binary(struct machine *m, uint8_t op)
{
	uint64_t b = m->stack[--m->depth], a = m->stack[m->depth - 1], r;
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case DW_OP_and:
		r = a & b;
		break;
	case DW_OP_or:
		r = a | b;
		break;
	case DW_OP_xor:
		r = a ^ b;
		break;
	case DW_OP_plus:
		r = a + b;
		break;
	case DW_OP_minus:
		r = a - b;
		break;
	case DW_OP_mul:
		r = a * b;
		break;
	case DW_OP_div:
		if (!b)
			return fail(m, EXPRESSION_BAD);
		r = sb == -1 ? 0 - a : (uint64_t)(sa / sb);
		break;
	case DW_OP_mod:
		if (!b)
			return fail(m, EXPRESSION_BAD);
		r = a % b;
		break;
	case DW_OP_shl:
		r = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		r = b < 64 ? a >> b : 0;
		break;
	case DW_OP_shra:
		r = (uint64_t)(sa >> (b < 64 ? b : 63));
		break;
	case DW_OP_eq:
		r = a == b;
		break;
	case DW_OP_ne:
		r = a != b;
		break;
	case DW_OP_lt:
		r = sa < sb;
		break;
	case DW_OP_le:
		r = sa <= sb;
		break;
	case DW_OP_gt:
		r = sa > sb;
		break;
	case DW_OP_ge:
		r = sa >= sb;
		break;
	default:
		return fail(m, EXPRESSION_BAD);
	}
	m->stack[m->depth - 1] = r;
	return true;
}

/* Operations that move values; the stack has as many as operands() requires. */
static bool rearrange(struct machine *m, uint8_t op)
{
	uint64_t *top = &m->stack[m->depth - 1], spare = *top;

	switch (op) {
	case DW_OP_dup:
		return push(m, spare);
	case DW_OP_drop:
		m->depth--;
		return true;
	case DW_OP_over:
		return push(m, top[-1]);
	case DW_OP_swap:
		*top = top[-1];
		top[-1] = spare;
		return true;
	case DW_OP_rot:
		*top = top[-1];
		top[-1] = top[-2];
		top[-2] = spare;
		return true;
	case DW_OP_abs:
		*top = (int64_t)spare < 0 ? 0 - spare : spare;
		return true;
	case DW_OP_neg:
		*top = 0 - spare;
		return true;
	case DW_OP_not:
		*top = ~spare;
		return true;
	default:
		return fail(m, EXPRESSION_BAD);
	}
}

/* The number of values on the stack that `op` uses. */
static unsigned operands(uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_deref:
	case DW_OP_deref_size:
	case DW_OP_plus_uconst:
	case DW_OP_bra:
		return 1;
	case DW_OP_rot:
		return 3;
	case DW_OP_over:
	case DW_OP_swap:
		return 2;
	default:
		return (op >= DW_OP_and && op <= DW_OP_xor) || (op >= DW_OP_eq && op <= DW_OP_ne)
			       ? 2
			       : 0;
	}
}

/* DW_OP_addr .. DW_OP_consts and the registers: operations that push a value. */
static bool constant(struct machine *m, uint8_t op, bool *ret_done)
{
	struct cursor *c = &m->code;

	*ret_done = true;
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push(m, op - DW_OP_lit0);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_register(m, op - DW_OP_breg0, cursor_sleb(c));
	switch (op) {
	case DW_OP_addr:
	case DW_OP_const8u:
	case DW_OP_const8s:
		return push(m, cursor_fixed(c, 8));
	case DW_OP_const1u:
		return push(m, cursor_fixed(c, 1));
	case DW_OP_const1s:
		return push(m, (uint64_t)cursor_signed(c, 1));
	case DW_OP_const2u:
		return push(m, cursor_fixed(c, 2));
	case DW_OP_const2s:
		return push(m, (uint64_t)cursor_signed(c, 2));
	case DW_OP_const4u:
		return push(m, cursor_fixed(c, 4));
	case DW_OP_const4s:
		return push(m, (uint64_t)cursor_signed(c, 4));
	case DW_OP_constu:
		return push(m, cursor_uleb(c));
	case DW_OP_consts:
		return push(m, (uint64_t)cursor_sleb(c));
	case DW_OP_bregx: {
		uint64_t column = cursor_uleb(c);

		return push_register(m, column, cursor_sleb(c));
	}
	default:
		*ret_done = false;
		return true;
	}
}

static bool step(struct machine *m)
{
	uint8_t op = cursor_u8(&m->code);
	bool done, ok = constant(m, op, &done);

	if (done)
		return ok;
	if (m->depth < operands(op))
		return fail(m, EXPRESSION_BAD);
	switch (op) {
	case DW_OP_nop:
		return true;
	case DW_OP_deref:
		return load(m, 8);
	case DW_OP_deref_size:
		return load(m, cursor_u8(&m->code));
	case DW_OP_plus_uconst:
		m->stack[m->depth - 1] += cursor_uleb(&m->code);
		return true;
	case DW_OP_pick: {
		uint8_t index = cursor_u8(&m->code);

		return index < m->depth ? push(m, m->stack[m->depth - 1 - index])
					: fail(m, EXPRESSION_BAD);
	}
	case DW_OP_skip: {
		int64_t distance = cursor_signed(&m->code, 2);

		return jump(m, distance, true);
	}
	case DW_OP_bra: {
		int64_t distance = cursor_signed(&m->code, 2);

		return jump(m, distance, m->stack[--m->depth] != 0);
	}
	default:
		if (!operands(op))
			return fail(m, EXPRESSION_BAD);
		return (operands(op) == 2 && op != DW_OP_over && op != DW_OP_swap)
			       ? binary(m, op)
			       : rearrange(m, op);
	}
}

enum expression_result expression_run(struct bytes expression, const struct registers *registers,
	const struct stack_copy *stack, const uint64_t *initial, uint64_t *ret_value)
{
	struct machine m = {.code = cursor_of(expression), .registers = registers, .memory = stack};

	m.start = m.code.at;
	if (initial)
		push(&m, *initial);
	for (unsigned steps = 0; m.code.at < m.code.end; steps++) {
		if (steps == EXPRESSION_STEPS_LIMIT)
			return EXPRESSION_BAD;
		if (!step(&m)) {
			*ret_value = m.stack[0];
			return m.result;
		}
		if (m.code.bad)
			return EXPRESSION_BAD;
	}
	if (!m.depth)
		return EXPRESSION_BAD;
	*ret_value = m.stack[m.depth - 1];
	return EXPRESSION_OK;
}

/* DW_OP_bregN or DW_OP_bregx with a 32-bit offset. */
static bool read_sum(struct cursor *c, struct expression_formula *f)
{
	uint8_t op = cursor_u8(c);
	uint64_t base;
	int64_t offset;

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		base = op - DW_OP_breg0;
	else if (op == DW_OP_bregx)
		base = cursor_uleb(c);
	else
		return false;
	offset = cursor_sleb(c);
	if (c->bad || base >= ARCH_COLUMNS_LIMIT || offset != (int32_t)offset)
		return false;
	*f = (struct expression_formula){EXPRESSION_SUM, (uint8_t)base, (int32_t)offset, 0};
	return true;
}

/* Read the part after the sum: DW_OP_deref, and perhaps DW_OP_plus_uconst. */
static bool read_deref(struct cursor *c, struct expression_formula *f)
{
	uint64_t after = 0;

	if (cursor_u8(c) != DW_OP_deref)
		return false;
	if (c->at < c->end) {
		if (cursor_u8(c) != DW_OP_plus_uconst)
			return false;
		after = cursor_uleb(c);
	}
	if (c->bad || c->at != c->end || after > INT32_MAX)
		return false;
	f->form = EXPRESSION_DEREF;
	f->after = (int32_t)after;
	return true;
}

/* Read the part after the sum of GNU ld's rule for .plt: see arch.c. */
static bool read_plt(struct cursor *c, struct expression_formula *f, const struct arch *arch)
{
	struct expression_formula pc;
	uint8_t limit;

	if (!read_sum(c, &pc) || pc.base != arch->return_address || pc.offset ||
		cursor_u8(c) != DW_OP_lit15 || cursor_u8(c) != DW_OP_and)
		return false;
	limit = cursor_u8(c);
	if (limit < DW_OP_lit0 || limit > DW_OP_lit15 || cursor_u8(c) != DW_OP_ge ||
		cursor_u8(c) != DW_OP_lit3 || cursor_u8(c) != DW_OP_shl ||
		cursor_u8(c) != DW_OP_plus || c->at != c->end)
		return false;
	f->form = EXPRESSION_PLT;
	f->after = limit - DW_OP_lit0;
	return true;
}

struct expression_formula expression_recognise(struct bytes expression, const struct arch *arch)
{
	struct expression_formula other = {.form = EXPRESSION_OTHER}, f;
	struct cursor c = cursor_of(expression), here;

	if (!read_sum(&c, &f))
		return other;
	if (c.at == c.end)
		return f;
	here = c;
	if (read_deref(&here, &f))
		return f;
	here = c;
	return read_plt(&here, &f, arch) ? f : other;
}
