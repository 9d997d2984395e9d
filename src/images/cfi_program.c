/* cfi_program.c: what do the instructions of an entry say about each address?
 *
 * The instructions describe a table by its changes: one sets the rule of a column, another
 * advances the address, which completes the row so far. The first row of an entry is what its
 * CIE's program left. A caller that wants one address stops at its row; one that exports the
 * table gets all rows (cfi_machine.row). Rules are kept for all columns that arch.h tracks; a
 * mask says which differ from the default. */
#include "base/cursor.h"
#include "images/cfi_entry.h"
#include "images/expression.h"

#include <dwarf.h>

struct run {
	const struct cfi_machine *machine;
	struct cursor code;
	struct cfi_state *state;
	uint64_t location, target;
	bool done; /* the row that contains the target is complete */
	struct cfi_state remembered[CFI_REMEMBER_LIMIT];
	unsigned depth;
};

static int32_t number_expression(struct cfi_expressions *e, struct bytes expression)
{
	uint64_t hash = hash_bytes(expression.at, expression.len);
	size_t at = id_map_first(&e->map, hash);

	for (uint32_t id; (id = id_map_candidate(&e->map, hash, &at));) {
		if (bytes_equal(e->items.items[id - 1], expression))
			return (int32_t)(id - 1);
	}
	vector_push(&e->items, expression);
	id_map_insert_at(&e->map, hash, at, (uint32_t)e->items.len);
	return (int32_t)(e->items.len - 1);
}

/* Rules for columns that are not tracked (vector registers) are decoded and dropped. */
static void set_column(
	struct run *r, uint64_t column, enum cfi_how how, unsigned base, int32_t offset)
{
	if (column >= r->machine->arch->columns)
		return;
	r->state->columns[column] = (struct cfi_value){.how = (uint8_t)how,
		.base = (uint8_t)base,
		.column = (uint8_t)column,
		.offset = offset};
	r->state->set |= (uint64_t)1 << column;
}

/* Offsets must fit into 32 bits: a frame of more than 2 GB is damage. */
static bool scaled(const struct run *r, int64_t factored, int64_t align, int32_t *ret_offset)
{
	int64_t offset;

	if (r->code.bad || __builtin_mul_overflow(factored, align, &offset) ||
		offset != (int32_t)offset)
		return false;
	*ret_offset = (int32_t)offset;
	return true;
}

static bool set_offset(struct run *r, uint64_t column, enum cfi_how how, int64_t factored)
{
	int32_t offset;

	if (!scaled(r, factored, r->machine->cie->data_align, &offset))
		return false;
	set_column(r, column, how, 0, offset);
	return true;
}

static bool set_register(struct run *r, uint64_t column, uint64_t base)
{
	if (base < r->machine->arch->columns)
		set_column(r, column, CFI_REGISTER, (unsigned)base, 0);
	else
		set_column(r, column, CFI_UNDEFINED, 0, 0); /* in an untracked register */
	return true;
}

static bool set_expression(struct run *r, uint64_t column, bool value)
{
	struct bytes expression = cursor_take(&r->code, cursor_uleb(&r->code));
	struct expression_formula f;

	if (r->code.bad)
		return false;
	if (column >= r->machine->arch->columns)
		return true;
	f = expression_recognise(expression, r->machine->arch);
	if (f.form == EXPRESSION_SUM)
		set_column(r, column, value ? CFI_REGISTER : CFI_AT_REGISTER, f.base, f.offset);
	else if (f.form == EXPRESSION_DEREF && value && !f.after)
		set_column(r, column, CFI_AT_REGISTER, f.base, f.offset);
	else
		set_column(r, column, value ? CFI_EXPRESSION : CFI_AT_EXPRESSION, 0,
			number_expression(r->machine->expressions, expression));
	return true;
}

static bool set_cfa(struct run *r, uint64_t base, int64_t factored, int64_t align)
{
	int32_t offset;

	if (base >= r->machine->arch->columns || !scaled(r, factored, align, &offset))
		return false;
	r->state->cfa =
		(struct cfi_value){.how = CFI_REGISTER, .base = (uint8_t)base, .offset = offset};
	r->state->cfa_after = 0;
	return true;
}

static bool set_cfa_expression(struct run *r)
{
	static const uint8_t hows[] = {[EXPRESSION_OTHER] = CFI_EXPRESSION,
		[EXPRESSION_SUM] = CFI_REGISTER,
		[EXPRESSION_DEREF] = CFI_AT_REGISTER,
		[EXPRESSION_PLT] = CFI_PLT};
	struct bytes expression = cursor_take(&r->code, cursor_uleb(&r->code));
	struct expression_formula f;

	if (r->code.bad)
		return false;
	f = expression_recognise(expression, r->machine->arch);
	if (f.form == EXPRESSION_OTHER)
		f.offset = number_expression(r->machine->expressions, expression);
	r->state->cfa = (struct cfi_value){.how = hows[f.form], .base = f.base, .offset = f.offset};
	r->state->cfa_after = f.after;
	return true;
}

/* Give a column the rule that the CIE's program left. */
static bool restore_column(struct run *r, uint64_t column)
{
	const struct cfi_state *initial = r->machine->initial;
	uint64_t bit;

	if (!initial)
		return false;
	if (column >= r->machine->arch->columns)
		return true;
	bit = (uint64_t)1 << column;
	r->state->columns[column] = initial->columns[column];
	r->state->set = (r->state->set & ~bit) | (initial->set & bit);
	return true;
}

static bool remember(struct run *r)
{
	if (r->depth == CFI_REMEMBER_LIMIT)
		return false;
	r->remembered[r->depth++] = *r->state;
	return true;
}

static bool restore(struct run *r)
{
	if (!r->depth)
		return false;
	*r->state = r->remembered[--r->depth];
	return true;
}

/* The rows before `location` are complete. */
static bool advance_to(struct run *r, uint64_t location)
{
	if (!r->machine->initial || location < r->location)
		return false;
	if (location > r->target) {
		r->done = true;
		return true;
	}
	if (r->machine->row && location > r->location)
		r->machine->row(r->machine->context, r->location, location, r->state);
	r->location = location;
	return true;
}

static bool advance(struct run *r, uint64_t factored)
{
	uint64_t distance;

	return !__builtin_mul_overflow(factored, r->machine->cie->code_align, &distance) &&
	       distance <= UINT64_MAX - r->location && advance_to(r, r->location + distance);
}

static bool set_location(struct run *r)
{
	uint64_t location;

	return cfi_read_pointer(r->machine->section, &r->code, r->machine->cie->fde_encoding, 0,
		       &location) &&
	       advance_to(r, location);
}

/* DW_CFA_def_cfa_register and _offset apply only to a CFA that is a register plus an offset. */
static bool cfa_is_plain(const struct run *r)
{
	return r->state->cfa.how == CFI_REGISTER;
}

static bool step_cfa(struct run *r, uint8_t op)
{
	int64_t align = r->machine->cie->data_align;
	struct cursor *c = &r->code;
	uint64_t base;

	switch (op) {
	case DW_CFA_def_cfa:
		base = cursor_uleb(c);
		return set_cfa(r, base, (int64_t)cursor_uleb(c), 1);
	case DW_CFA_def_cfa_sf:
		base = cursor_uleb(c);
		return set_cfa(r, base, cursor_sleb(c), align);
	case DW_CFA_def_cfa_register:
		base = cursor_uleb(c);
		return cfa_is_plain(r) && set_cfa(r, base, r->state->cfa.offset, 1);
	case DW_CFA_def_cfa_offset:
		return cfa_is_plain(r) &&
		       set_cfa(r, r->state->cfa.base, (int64_t)cursor_uleb(c), 1);
	case DW_CFA_def_cfa_offset_sf:
		return cfa_is_plain(r) && set_cfa(r, r->state->cfa.base, cursor_sleb(c), align);
	case DW_CFA_def_cfa_expression:
		return set_cfa_expression(r);
	default:
		return false;
	}
}

static bool step_column(struct run *r, uint8_t op)
{
	struct cursor *c = &r->code;
	uint64_t column = cursor_uleb(c);

	switch (op) {
	case DW_CFA_offset_extended:
		return set_offset(r, column, CFI_AT_CFA, (int64_t)cursor_uleb(c));
	case DW_CFA_offset_extended_sf:
		return set_offset(r, column, CFI_AT_CFA, cursor_sleb(c));
	case DW_CFA_GNU_negative_offset_extended:
		return set_offset(r, column, CFI_AT_CFA, (int64_t)(0 - cursor_uleb(c)));
	case DW_CFA_val_offset:
		return set_offset(r, column, CFI_CFA, (int64_t)cursor_uleb(c));
	case DW_CFA_val_offset_sf:
		return set_offset(r, column, CFI_CFA, cursor_sleb(c));
	case DW_CFA_restore_extended:
		return restore_column(r, column);
	case DW_CFA_undefined:
		set_column(r, column, CFI_UNDEFINED, 0, 0);
		return true;
	case DW_CFA_same_value:
		set_column(r, column, CFI_SAME, 0, 0);
		return true;
	case DW_CFA_register:
		return set_register(r, column, cursor_uleb(c));
	case DW_CFA_expression:
		return set_expression(r, column, false);
	case DW_CFA_val_expression:
		return set_expression(r, column, true);
	default:
		return false;
	}
}

static bool step_other(struct run *r, uint8_t op)
{
	struct cursor *c = &r->code;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_location(r);
	case DW_CFA_advance_loc1:
		return advance(r, cursor_fixed(c, 1));
	case DW_CFA_advance_loc2:
		return advance(r, cursor_fixed(c, 2));
	case DW_CFA_advance_loc4:
		return advance(r, cursor_fixed(c, 4));
	case DW_CFA_MIPS_advance_loc8:
		return advance(r, cursor_fixed(c, 8));
	case DW_CFA_remember_state:
		return remember(r);
	case DW_CFA_restore_state:
		return restore(r);
	case DW_CFA_AARCH64_negate_ra_state: /* the walk finds out what is signed: arch.h */
		return r->machine->arch->signs_returns;
	case DW_CFA_GNU_args_size: /* for exception handlers; no rule depends on it */
		cursor_uleb(c);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		return step_cfa(r, op);
	default:
		return step_column(r, op);
	}
}

static bool step(struct run *r)
{
	uint8_t op = *r->code.at++, low = op & 0x3f;
	bool ok;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		ok = advance(r, low);
		break;
	case DW_CFA_offset:
		ok = set_offset(r, low, CFI_AT_CFA, (int64_t)cursor_uleb(&r->code));
		break;
	case DW_CFA_restore:
		ok = restore_column(r, low);
		break;
	default:
		ok = step_other(r, op);
		break;
	}
	return ok && !r->code.bad;
}

bool cfi_run(const struct cfi_machine *machine, struct bytes program, uint64_t start,
	uint64_t target, struct cfi_state *state, uint64_t *ret_reached)
{
	struct run r;

	/* Not in the initialiser: `remembered` is large and mostly unused. */
	r.machine = machine;
	r.code = cursor_of(program);
	r.state = state;
	r.location = start;
	r.target = target;
	r.done = false;
	r.depth = 0;
	while (r.code.at < r.code.end && !r.done) {
		if (!step(&r)) {
			*ret_reached = r.location;
			return false;
		}
	}
	*ret_reached = r.location;
	return true;
}
