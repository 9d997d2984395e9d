/* unwind.c: from the registers of a thread and a copy of its stack to its return addresses.
 *
 * Speed: nearly every rule is plain (cfi.h): it needs only the stack pointer, the frame pointer and
 * the return address. So the first walk is light: plain rules update these three registers in a few
 * instructions (step_plain) and forget the others. If a later frame needs a register that was
 * forgotten, which is rare, the whole stack is walked again with all registers (may_lack). The last
 * RECENT_CODES mappings are kept, because callers are mostly in the same few binaries.
 *
 * Code without rules is passed by its frame pointer. On some machines (arch.h, frame_records) that
 * does not tell the caller's stack pointer, which then is unknown: its column holds a lower bound.
 * The next rule gets the CFA from the frame pointer instead (cfa_by_record).
 *
 * Safety: the copy and the tables are not trusted. Every frame has to lie above the one before
 * it (except around a signal), so a walk ends, and every word is read through a bounds check. */
#include "images/unwind.h"

#define WORD	     8
#define RECENT_CODES 4 /* mappings kept while one stack is walked; a power of two */

const char *unwind_end_name(enum unwind_end end)
{
	static const char *const names[UNWIND_ENDS] = {
		[UNWIND_COMPLETE] = "",
		[UNWIND_STACK_COPY] = "stack-copy",
		[UNWIND_STACK_MISSING] = "stack-missing",
		[UNWIND_NO_TABLE] = "no-table",
		[UNWIND_NO_MAPPING] = "no-mapping",
		[UNWIND_BAD_RULE] = "bad-rule",
		[UNWIND_BAD_FRAME] = "bad-frame",
		[UNWIND_DEPTH] = "depth",
		[UNWIND_NO_REGISTERS] = "no-registers",
		[UNWIND_PAGE] = "page",
		[UNWIND_NO_ROOM] = "no-room",
	};

	return end < UNWIND_ENDS ? names[end] : "unknown";
}

/* Why a word at `address` cannot be read. */
static enum unwind_end unreadable(const struct stack_copy *stack, bool filled, uint64_t address)
{
	uint64_t end = stack->start + stack->content.len;

	if (!filled)
		return UNWIND_STACK_MISSING;
	/* Within the usual extent of a stack above the copy: a larger copy would contain it. */
	return address + WORD > end && address - stack->start < (uint64_t)1 << 30
		       ? UNWIND_STACK_COPY
		       : UNWIND_BAD_FRAME;
}

/* The state that a rule is applied to. */
struct frame {
	const struct cfi *cfi;
	const struct stack_copy *stack;
	bool filled, signal;
	const struct arch *arch;
	const struct registers *callee;
	uint64_t sp, cfa;
};

static enum unwind_end read_word(const struct frame *f, uint64_t address, uint64_t *ret_value)
{
	if (stack_copy_read(f->stack, address, WORD, ret_value))
		return UNWIND_ENDS;
	return unreadable(f->stack, f->filled, address);
}

static enum unwind_end run_expression(
	const struct frame *f, int32_t number, const uint64_t *initial, uint64_t *ret_value)
{
	switch (expression_run(
		cfi_expression(f->cfi, number), f->callee, f->stack, initial, ret_value)) {
	case EXPRESSION_OK:
		return UNWIND_ENDS;
	case EXPRESSION_MEMORY:
		return unreadable(f->stack, f->filled, *ret_value);
	default:
		return UNWIND_BAD_RULE;
	}
}

/* The CFA of a function whose stack pointer is unknown, if its frame pointer points to what it
 * saved at its start: the caller's frame pointer and the return address, at a known distance from
 * the CFA. */
static bool cfa_by_record(const struct cfi_rule *rule, const struct frame *f, uint64_t *ret_cfa)
{
	const struct arch *arch = f->arch;
	const struct cfi_value *record = NULL;

	if (!arch->frame_records || !registers_has(f->callee, arch->frame_pointer))
		return false;
	for (unsigned i = 0; i < rule->count; i++) {
		const struct cfi_value *v = &rule->values[i];

		if (v->how == CFI_AT_CFA && v->column == arch->frame_pointer)
			record = v;
		else if (record && v->how == CFI_AT_CFA && v->column == rule->return_column &&
			 (int64_t)v->offset - WORD == record->offset) {
			*ret_cfa = f->callee->value[arch->frame_pointer] -
				   (uint64_t)(int64_t)record->offset;
			return true;
		}
	}
	return false;
}

static enum unwind_end find_cfa(
	const struct cfi_rule *rule, const struct frame *f, uint64_t *ret_cfa)
{
	uint64_t base;
	enum unwind_end end;

	if (rule->cfa.how == CFI_EXPRESSION)
		return run_expression(f, rule->cfa.offset, NULL, ret_cfa);
	if (!registers_has(f->callee, rule->cfa.base))
		return rule->cfa.base == f->arch->stack_pointer && cfa_by_record(rule, f, ret_cfa)
			       ? UNWIND_ENDS
			       : UNWIND_BAD_RULE;
	base = f->callee->value[rule->cfa.base] + (uint64_t)(int64_t)rule->cfa.offset;
	switch (rule->cfa.how) {
	case CFI_REGISTER:
		*ret_cfa = base;
		return UNWIND_ENDS;
	case CFI_AT_REGISTER:
		end = read_word(f, base, ret_cfa);
		*ret_cfa += (uint64_t)(int64_t)rule->cfa_after;
		return end;
	case CFI_PLT: {
		uint64_t pc = f->callee->value[f->arch->return_address];

		*ret_cfa = base + ((pc & 15) >= (uint64_t)rule->cfa_after ? WORD : 0);
		return UNWIND_ENDS;
	}
	default:
		return UNWIND_BAD_RULE;
	}
}

/* A register saved below the stack pointer has already been popped: compilers do not describe
 * each instruction of an epilogue, because memory below the stack pointer usually keeps its
 * content. It is not in the sample's copy, but the register already has the caller's value. GCC
 * also leaves "at the frame pointer minus 8" in place after the pop of the frame pointer where
 * the stack was realigned; that address is then in the caller's frame, and the same applies to
 * it. */
static enum unwind_end read_saved(
	const struct cfi_value *rule, const struct frame *f, uint64_t address, uint64_t *ret_value)
{
	bool popped = address < f->sp || (rule->how == CFI_AT_REGISTER && address >= f->cfa);

	if (f->signal || !popped || !registers_has(f->callee, rule->column))
		return read_word(f, address, ret_value);
	*ret_value = f->callee->value[rule->column];
	return UNWIND_ENDS;
}

/* The caller's value of one column; *ret_lost: it has none. */
static enum unwind_end find_value(
	const struct cfi_value *rule, const struct frame *f, uint64_t *ret_value, bool *ret_lost)
{
	uint64_t offset = (uint64_t)(int64_t)rule->offset, address;
	enum unwind_end end;

	*ret_lost = false;
	switch (rule->how) {
	case CFI_AT_CFA:
		return read_saved(rule, f, f->cfa + offset, ret_value);
	case CFI_CFA:
		*ret_value = f->cfa + offset;
		return UNWIND_ENDS;
	case CFI_REGISTER:
	case CFI_AT_REGISTER:
		if (!registers_has(f->callee, rule->base)) {
			*ret_lost = true;
			return UNWIND_ENDS;
		}
		address = f->callee->value[rule->base] + offset;
		if (rule->how == CFI_AT_REGISTER)
			return read_saved(rule, f, address, ret_value);
		*ret_value = address;
		return UNWIND_ENDS;
	case CFI_AT_EXPRESSION:
		end = run_expression(f, rule->offset, &f->cfa, &address);
		return end == UNWIND_ENDS ? read_word(f, address, ret_value) : end;
	case CFI_EXPRESSION:
		return run_expression(f, rule->offset, &f->cfa, ret_value);
	default:
		*ret_lost = true;
		return UNWIND_ENDS;
	}
}

/* Find the columns that a rule lists. The return address and the stack pointer are required;
 * another register that cannot be read becomes unknown, which matters only if a rule further out
 * needs it. */
static enum unwind_end find_columns(
	const struct cfi_rule *rule, const struct frame *f, struct registers *caller)
{
	for (unsigned i = 0; i < rule->count; i++) {
		const struct cfi_value *v = &rule->values[i];
		bool vital =
			v->column == rule->return_column || v->column == f->arch->stack_pointer;
		uint64_t value = 0;
		bool lost;
		enum unwind_end end = find_value(v, f, &value, &lost);

		if (vital && end == UNWIND_ENDS && lost)
			return v->column == rule->return_column && v->how == CFI_UNDEFINED
				       ? UNWIND_COMPLETE
				       : UNWIND_BAD_RULE;
		if (vital && end != UNWIND_ENDS)
			return end;
		if (lost || end != UNWIND_ENDS)
			caller->known &= ~((uint64_t)1 << v->column);
		else
			registers_set(caller, v->column, value);
	}
	return UNWIND_ENDS;
}

/* Change `registers` from a frame's to its caller's by `rule`. UNWIND_COMPLETE: there is no
 * caller; UNWIND_ENDS: success, the walk goes on. */
static enum unwind_end step_by_rule(const struct arch *arch, const struct cfi *cfi,
	const struct cfi_rule *rule, const struct stack_copy *stack, bool stack_filled,
	struct registers *registers)
{
	struct registers caller = *registers;
	struct frame f = {.signal = rule->signal,
		.arch = arch,
		.cfi = cfi,
		.stack = stack,
		.filled = stack_filled,
		.callee = registers};
	enum unwind_end end;
	uint64_t pc;

	f.sp = registers->value[arch->stack_pointer];
	end = find_cfa(rule, &f, &f.cfa);
	if (end != UNWIND_ENDS)
		return end;
	registers_set(&caller, arch->stack_pointer, f.cfa);
	end = find_columns(rule, &f, &caller);
	if (end != UNWIND_ENDS)
		return end;
	if (!registers_has(&caller, rule->return_column))
		return UNWIND_BAD_RULE;
	pc = caller.value[rule->return_column] & arch->address_mask;
	registers_set(&caller, arch->return_address, pc);
	/* The caller's frame is above, except for a frame that a signal interrupted (perhaps on
	 * another stack), and for code with its return address in a register. */
	if (!rule->signal && (caller.value[arch->stack_pointer] < f.sp ||
				     (caller.value[arch->stack_pointer] == f.sp &&
					     pc == registers->value[arch->return_address])))
		return UNWIND_BAD_FRAME;
	*registers = caller;
	return pc ? UNWIND_ENDS : UNWIND_COMPLETE;
}

/* ---- The walk ---- */

struct walk {
	const struct unwind_input *input;
	bool fast;    /* track three registers where rules allow it */
	bool dropped; /* ... and others were forgotten */
	struct registers registers;
	struct unwind_code codes[RECENT_CODES];
	unsigned code_count, code_next;
};

/* The mapping of `pc`, from the mappings of earlier frames of this stack if possible. */
static const struct unwind_code *find_code(struct walk *w, uint64_t pc)
{
	struct unwind_code *code;

	for (unsigned i = 0; i < w->code_count; i++) {
		if (pc >= w->codes[i].start && pc < w->codes[i].end)
			return &w->codes[i];
	}
	code = &w->codes[w->code_next];
	if (!w->input->lookup(w->input->context, pc, code)) {
		code->start = code->end = 0;
		return NULL;
	}
	w->code_next = (w->code_next + 1) % RECENT_CODES;
	if (w->code_count < RECENT_CODES)
		w->code_count++;
	return code;
}

/* The registers that every walk tracks. */
static uint64_t walked_registers(const struct arch *arch)
{
	return (uint64_t)1 << arch->frame_pointer | (uint64_t)1 << arch->stack_pointer |
	       (uint64_t)1 << arch->return_address | (uint64_t)1 << arch->link_register;
}

/* Pass code without a table by its frame pointer: it points to the saved frame pointer of the
 * caller, with the return address above that. Anything that does not point upwards into the copy
 * is not a frame pointer. */
static enum unwind_end step_frame_pointer(struct walk *w)
{
	const struct arch *arch = w->input->arch;
	struct registers *r = &w->registers;
	uint64_t fp = r->value[arch->frame_pointer], sp = r->value[arch->stack_pointer], next, pc;
	const struct unwind_code *caller;

	if (!registers_has(r, arch->frame_pointer))
		return UNWIND_NO_TABLE;
	if (!fp)
		return UNWIND_COMPLETE; /* the ABI's mark of the outermost frame */
	if (fp < sp || fp % WORD)
		return UNWIND_NO_TABLE;
	if (!stack_copy_read(&w->input->stack, fp, WORD, &next) ||
		!stack_copy_read(&w->input->stack, fp + WORD, WORD, &pc)) {
		enum unwind_end end =
			unreadable(&w->input->stack, w->input->stack_filled, fp + WORD);

		return end == UNWIND_STACK_COPY ? end : UNWIND_NO_TABLE;
	}
	pc &= arch->address_mask;
	if (!pc)
		return UNWIND_COMPLETE;
	caller = find_code(w, pc - 1);
	/* If the caller has tables, it needs no frame pointer, and the saved value may be
	 * anything. */
	if (!caller || (next && next <= fp && !caller->cfi))
		return UNWIND_NO_TABLE;
	registers_set(r, arch->frame_pointer, next);
	registers_set(r, arch->stack_pointer, fp + 2 * WORD);
	registers_set(r, arch->link_register, pc);
	registers_set(r, arch->return_address, pc);
	r->known &= walked_registers(arch); /* unknown whether the others were changed */
	if (arch->frame_records)
		r->known &= ~((uint64_t)1 << arch->stack_pointer); /* it is a lower bound */
	return UNWIND_ENDS;
}

/* A thread in code without a table that has not called anything yet: the return address is still in
 * its register, if that leads to another mapping. (After a call it leads back into the same code.)
 * False: not so, or there is a frame record already. */
static bool step_link_register(struct walk *w, const struct unwind_code *code)
{
	const struct arch *arch = w->input->arch;
	struct registers *r = &w->registers;
	uint64_t start = code->start, end = code->end, pc, saved;

	if (arch->call_pushes || !registers_has(r, arch->link_register))
		return false;
	pc = r->value[arch->link_register] & arch->address_mask;
	if ((pc >= start && pc < end) || !pc || !find_code(w, pc - 1))
		return false;
	if (registers_has(r, arch->frame_pointer) &&
		stack_copy_read(
			&w->input->stack, r->value[arch->frame_pointer] + WORD, WORD, &saved) &&
		(saved & arch->address_mask) == pc)
		return false;
	registers_set(r, arch->return_address, pc);
	return true;
}

/* ---- Signals ---- */

/* Is the stack pointer at what the kernel puts there for a signal handler? */
static bool at_signal_frame(const struct walk *w)
{
	const struct arch *arch = w->input->arch;
	const struct arch_signal_frame *layout = &arch->signal_frame;
	uint64_t mark;

	return layout->mark && registers_has(&w->registers, arch->stack_pointer) &&
	       stack_copy_read(&w->input->stack,
		       w->registers.value[arch->stack_pointer] + layout->mark_at, sizeof(uint32_t),
		       &mark) &&
	       mark == layout->mark;
}

/* Take the registers that a signal interrupted from the kernel's frame. */
static enum unwind_end step_signal_frame(struct walk *w)
{
	const struct arch *arch = w->input->arch;
	const struct stack_copy *stack = &w->input->stack;
	struct registers *r = &w->registers;
	uint64_t at = r->value[arch->stack_pointer] + arch->signal_frame.registers;

	if (!registers_has(r, arch->stack_pointer))
		return UNWIND_BAD_RULE;
	for (unsigned column = 0; column < arch->columns; column++, at += WORD) {
		uint64_t value;

		if (!stack_copy_read(stack, at, WORD, &value))
			return unreadable(stack, w->input->stack_filled, at);
		registers_set(r, column, value);
	}
	w->dropped = false;
	return r->value[arch->return_address] ? UNWIND_ENDS : UNWIND_COMPLETE;
}

/* As step_by_rule for a plain rule, with the three registers that it needs. The others are
 * forgotten. */
static enum unwind_end step_plain(struct walk *w, const struct cfi_rule *rule)
{
	const struct arch *arch = w->input->arch;
	const struct stack_copy *stack = &w->input->stack;
	struct registers *r = &w->registers;
	uint64_t sp = r->value[arch->stack_pointer], fp, pc;
	uint64_t cfa = r->value[rule->cfa.base] + (uint64_t)(int64_t)rule->cfa.offset;
	uint64_t return_at = cfa + (uint64_t)(int64_t)rule->plain.return_offset;

	if (!stack_copy_read(stack, return_at, WORD, &pc))
		return unreadable(stack, w->input->stack_filled, return_at);
	pc &= arch->address_mask;
	if (cfa < sp || (cfa == sp && pc == r->value[arch->return_address]))
		return UNWIND_BAD_FRAME;
	if (rule->plain.saves_frame_pointer) {
		uint64_t at = cfa + (uint64_t)(int64_t)rule->plain.frame_pointer_offset;

		if (at < sp && registers_has(r, arch->frame_pointer))
			; /* popped: see read_saved */
		else if (stack_copy_read(stack, at, WORD, &fp))
			registers_set(r, arch->frame_pointer, fp);
		else
			r->known &= ~((uint64_t)1 << arch->frame_pointer);
	}
	r->value[arch->return_address] = pc;
	r->value[arch->link_register] = pc;
	registers_set(r, arch->stack_pointer, cfa);
	r->known &= walked_registers(arch);
	w->dropped = true;
	return pc ? UNWIND_ENDS : UNWIND_COMPLETE;
}

/* As `step`, where no rule says how. */
static enum unwind_end step_without_rule(struct walk *w, const struct unwind_code *code, bool exact,
	bool *ret_exact, bool *ret_guessed)
{
	*ret_exact = at_signal_frame(w);
	*ret_guessed = !*ret_exact;
	if (*ret_exact)
		return step_signal_frame(w);
	return exact && step_link_register(w, code) ? UNWIND_ENDS : step_frame_pointer(w);
}

/* Go from the frame of `address` to its caller. `exact`: the address is a pc; *ret_exact: so is the
 * caller's. */
static enum unwind_end step(struct walk *w, const struct unwind_code *code, uint64_t address,
	bool exact, bool *ret_exact, bool *ret_guessed)
{
	const struct unwind_input *in = w->input;
	const struct cfi_rule *rule = code->cfi ? cfi_find(code->cfi, address - code->bias) : NULL;

	if (!rule)
		return step_without_rule(w, code, exact, ret_exact, ret_guessed);
	*ret_guessed = false;
	*ret_exact = rule->signal;
	if (w->fast && rule->plain.is && registers_has(&w->registers, rule->cfa.base))
		return step_plain(w, rule);
	if (rule->by_layout)
		return step_signal_frame(w);
	return step_by_rule(in->arch, code->cfi, rule, &in->stack, in->stack_filled, &w->registers);
}

/* Did a rule that is not plain need a register that the light walk has forgotten? */
static bool may_lack(const struct walk *w, enum unwind_end end)
{
	return w->dropped &&
	       (end == UNWIND_BAD_RULE ||
		       (end == UNWIND_NO_TABLE &&
			       !registers_has(&w->registers, w->input->arch->frame_pointer)));
}

static enum unwind_end walk_frames(
	struct walk *w, struct unwind_frame *ret_frames, size_t room, size_t *ret_count)
{
	const struct arch *arch = w->input->arch;
	bool exact = true, guessed = false;
	struct unwind_frame *frame;

	*ret_count = 0;
	while (*ret_count < room) {
		uint64_t address = w->registers.value[arch->return_address] - !exact;
		const struct unwind_code *code = find_code(w, address);
		enum unwind_end end;

		frame = &ret_frames[(*ret_count)++];
		*frame = (struct unwind_frame){.address = address,
			.owner = code ? code->owner : NULL,
			.exact = exact,
			.guessed = guessed};
		if (!code)
			return UNWIND_NO_MAPPING;
		end = step(w, code, address, exact, &exact, &guessed);
		/* A signal trampoline is not called: the handler returns to its first
		 * instruction. */
		frame->address += exact && !frame->exact;
		frame->exact |= exact;
		if (end != UNWIND_ENDS)
			return end;
	}
	return UNWIND_DEPTH;
}

enum unwind_end unwind_stack(const struct unwind_input *input, struct unwind_frame *ret_frames,
	size_t room, size_t *ret_count)
{
	struct walk w = {.input = input, .registers = *input->registers, .fast = true};
	enum unwind_end end;

	*ret_count = 0;
	if (!registers_has(&w.registers, input->arch->return_address) ||
		!registers_has(&w.registers, input->arch->stack_pointer))
		return UNWIND_NO_REGISTERS;
	if (room > UNWIND_FRAMES_LIMIT)
		room = UNWIND_FRAMES_LIMIT;
	end = walk_frames(&w, ret_frames, room, ret_count);
	if (!may_lack(&w, end))
		return end;
	w = (struct walk){.input = input, .registers = *input->registers};
	return walk_frames(&w, ret_frames, room, ret_count);
}
