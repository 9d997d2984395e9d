/* check_calls.c: do the stacks of a recording consist of calls that the programs really make?
 *
 * check_calls FILE.kiln: every return address must follow a call instruction, found by decoding its
 * function from the start (capstone), and where the call has a direct target, that must be the
 * callee, or tail-call it. Prints the shares, and the commonest exceptions; fails above 0.1%. */
#include "images/cfi_internal.h"
#include "images/symbols.h"
#include "readers/reading.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define EXCEPTIONS_ALLOWED 0.001 /* of the return addresses */
#define EXCEPTIONS_SHOWN   10
#define TAIL_CALLS_LIMIT   64 /* functions that a chain of tail calls may pass */

/* ---- Binaries ---- */

struct binary {
	struct image *image; /* NULL: not a file, gone, or another build */
	struct cfi *cfi;
	struct symbols *symbols;
};

static csh decoder;

static struct binary open_binary(const struct profile *p, const struct mapping *m)
{
	char path[4096], id[65];
	struct bytes file = profile_text(p, m->file);
	struct binary b = {0};
	struct error err = {0};

	if (m->kind != MAPPING_FILE)
		return b;
	snprintf(path, sizeof(path), "%.*s", (int)file.len, file.at);
	b.image = image_open(path, &err);
	if (!b.image)
		return b;
	image_build_id_text(b.image, id);
	if (m->build_id && !bytes_equal(bytes_of(id), profile_text(p, m->build_id))) {
		image_release(b.image);
		b.image = NULL;
		return b;
	}
	b.cfi = cfi_open(b.image);
	b.symbols = symbols_load(b.image, NULL);
	return b;
}

struct extent {
	uint64_t start, end;
};

/* The function around an address: what its unwind entry covers, also in stripped binaries; code
 * that has none (V8's built-in functions) has symbols. */
static bool find_function(const struct binary *b, uint64_t address, struct extent *ret)
{
	const struct cfi_index *index = cfi_source_index(b->cfi, CFI_EH_FRAME);
	size_t i = cfi_index_find(index, address);
	struct cfi_entry entry;
	struct symbol symbol;

	if (i != SIZE_MAX && cfi_entry_at(b->cfi, CFI_EH_FRAME, i, &entry) &&
		address < entry.fde.end)
		*ret = (struct extent){entry.fde.start, entry.fde.end};
	else if (symbols_find(b->symbols, address, &symbol))
		*ret = (struct extent){symbol.start, symbol.end};
	else
		return false;
	return true;
}

static bool in_section(const struct binary *b, const char *name, uint64_t address)
{
	const struct image_section *s = image_section(b->image, name);

	return s && address - s->address < s->size;
}

static bool in_plt(const struct binary *b, uint64_t address)
{
	return in_section(b, ".plt", address) || in_section(b, ".plt.sec", address) ||
	       in_section(b, ".plt.got", address);
}

/* The next instruction of a function; false at its end or where it cannot be decoded. */
static bool decode(const struct binary *b, const struct extent *f, uint64_t *at, cs_insn *ret)
{
	struct bytes code = image_at(b->image, *at);
	const uint8_t *bytes = (const uint8_t *)code.at;
	size_t len = code.len;

	return *at < f->end && len && cs_disasm_iter(decoder, &bytes, &len, at, ret);
}

static bool direct_target(const cs_insn *instruction, uint64_t *ret_target)
{
	const cs_x86 *x = &instruction->detail->x86;

	if (x->op_count != 1 || x->operands[0].type != X86_OP_IMM)
		return false;
	*ret_target = (uint64_t)x->operands[0].imm;
	return true;
}

/* ---- One call ---- */

enum verdict {
	CALL_DIRECT,	 /* calls the callee */
	CALL_INDIRECT,	 /* calls through a register, memory or the PLT */
	CALL_TAIL,	 /* calls what jumps to the callee */
	CALL_TAIL_MAYBE, /* calls what jumps somewhere through a register or memory */
	CALL_WRONG,	 /* calls something else */
	NO_CALL,	 /* what is before the return address is no call */
	NO_FUNCTION,	 /* nobody says where the caller's function starts */
	VERDICTS
};
static const char *const verdict_names[VERDICTS] = {"call the callee", "call indirectly",
	"call what tail-calls the callee", "call what jumps indirectly", "CALL SOMETHING ELSE",
	"FOLLOW NO CALL", "are in no known function"};

/* Does a function jump to `callee`, by way of others? */
static enum verdict tail_calls(const struct binary *b, uint64_t target, const struct extent *callee,
	unsigned *budget, cs_insn *insn)
{
	enum verdict verdict = CALL_WRONG;
	struct extent f;
	uint64_t at, to, jumps[TAIL_CALLS_LIMIT];
	unsigned count = 0;
	bool known;

	if (!*budget || !find_function(b, target, &f))
		return CALL_WRONG;
	--*budget;
	for (at = f.start; decode(b, &f, &at, insn);) {
		if (!cs_insn_group(decoder, insn, CS_GRP_JUMP))
			continue;
		known = direct_target(insn, &to);
		if (known && to - callee->start < callee->end - callee->start)
			return CALL_TAIL;
		if (!known || in_plt(b, to))
			verdict = CALL_TAIL_MAYBE;
		else if ((to < f.start || to >= f.end) && count < TAIL_CALLS_LIMIT)
			jumps[count++] = to;
	}
	for (unsigned i = 0; i < count && verdict == CALL_WRONG; i++)
		verdict = tail_calls(b, jumps[i], callee, budget, insn);
	return verdict;
}

/* `inside` is the last byte of the call, as locations of callers are kept. */
static enum verdict check_call(const struct binary *caller, uint64_t inside,
	const struct binary *callee, uint64_t callee_address, cs_insn *insn)
{
	struct extent f, g = {callee_address, callee_address + 1};
	unsigned budget = TAIL_CALLS_LIMIT;
	uint64_t at, target;

	if (!find_function(caller, inside, &f))
		return NO_FUNCTION;
	for (at = f.start; decode(caller, &f, &at, insn) && at <= inside;)
		;
	if (at != inside + 1 || !cs_insn_group(decoder, insn, CS_GRP_CALL))
		return NO_CALL;
	if (!direct_target(insn, &target) || in_plt(caller, target))
		return CALL_INDIRECT;
	if (callee->image == caller->image)
		find_function(callee, callee_address, &g);
	if (callee->image == caller->image && target - g.start < g.end - g.start)
		return CALL_DIRECT;
	if (callee->image != caller->image)
		g = (struct extent){0}; /* only by way of the PLT or a register */
	return tail_calls(caller, target, &g, &budget, insn);
}

/* ---- A recording ---- */

struct check {
	struct profile profile;
	struct binary *binaries; /* by mapping */
	uint64_t *weights;	 /* samples whose stack passes each row of the stack table */
	uint64_t counts[VERDICTS], skipped, shown;
	cs_insn *insn;
};

static void weigh(struct check *c)
{
	const struct profile *p = &c->profile;

	c->weights = memory_new(p->stack_caller.len, sizeof(*c->weights));
	for (size_t t = 0; t < p->samples.len; t++) {
		for (size_t i = 0; i < p->samples.items[t].count; i++)
			c->weights[p->samples.items[t].stack.items[i]]++;
	}
	for (size_t s = p->stack_caller.len; s-- > 1;)
		c->weights[p->stack_caller.items[s]] += c->weights[s];
}

static const struct binary *place(const struct check *c, stack_id stack, uint64_t *ret_address)
{
	const struct profile *p = &c->profile;
	const struct location *l = &p->locations.items[p->stack_location.items[stack]];
	const struct binary *b = &c->binaries[l->mapping];

	return b->image && image_address(b->image, l->address, ret_address) ? b : NULL;
}

static void show(struct check *c, enum verdict v, stack_id callee, uint64_t from, uint64_t to)
{
	const struct profile *p = &c->profile;
	stack_id caller = p->stack_caller.items[callee];
	mapping_id m = p->locations.items[p->stack_location.items[caller]].mapping;
	struct bytes file = profile_text(p, p->mappings.items[m].file);

	if (c->shown++ < EXCEPTIONS_SHOWN)
		printf("  %.*s: 0x%" PRIx64 " -> 0x%" PRIx64 ": %s (%" PRIu64 " samples)\n",
			(int)file.len, file.at, from, to, verdict_names[v], c->weights[callee]);
}

/* A thread's name, "[truncated:...]": no code, so nothing is called from there. */
static bool is_mark(const struct profile *p, stack_id stack)
{
	return !p->locations.items[p->stack_location.items[stack]].mapping;
}

/* Nobody calls a signal's trampoline, nor does it call what it interrupted. */
static void check_stack(struct check *c, stack_id callee)
{
	stack_id caller = c->profile.stack_caller.items[callee];
	const struct binary *from, *to;
	const struct cfi_rule *rule;
	uint64_t inside, address;
	enum verdict v;

	if (!caller || is_mark(&c->profile, caller))
		return;
	if (!(from = place(c, caller, &inside)) || !(to = place(c, callee, &address))) {
		c->skipped += c->weights[callee];
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		rule = cfi_find(i ? from->cfi : to->cfi, i ? inside : address);
		if (rule && rule->signal)
			return;
	}
	v = check_call(from, inside, to, address, c->insn);
	c->counts[v] += c->weights[callee];
	if (v >= CALL_WRONG)
		show(c, v, callee, inside, address);
}

static int report(const struct check *c)
{
	uint64_t all = 0, bad = 0;

	for (unsigned v = 0; v < VERDICTS; v++)
		all += c->counts[v];
	for (unsigned v = CALL_WRONG; v < VERDICTS; v++)
		bad += c->counts[v];
	printf("%" PRIu64 " return addresses", all);
	for (unsigned v = 0; v < VERDICTS; v++)
		printf("; %" PRIu64 " %s", c->counts[v], verdict_names[v]);
	printf("; %" PRIu64 " without a file skipped\n", c->skipped);
	printf("exceptions: %.4f%%\n", all ? 100.0 * (double)bad / (double)all : 100.0);
	return all && (double)bad <= EXCEPTIONS_ALLOWED * (double)all ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct read_options options = {.want = WANT_ALL};
	struct check c = {0};
	struct error err = {0};
	int result;

	if (argc != 2 || !profile_read(argv[1], &options, &c.profile, &err)) {
		fprintf(stderr, "check_calls: %s\n",
			argc == 2 ? err.text : "usage: check_calls FILE.kiln");
		profile_release(&c.profile);
		return 2;
	}
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK)
		return 2;
	cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
	c.insn = cs_malloc(decoder);
	c.binaries = memory_new(c.profile.mappings.len, sizeof(*c.binaries));
	for (size_t i = 1; i < c.profile.mappings.len; i++)
		c.binaries[i] = open_binary(&c.profile, &c.profile.mappings.items[i]);
	weigh(&c);
	for (size_t s = 1; s < c.profile.stack_caller.len; s++)
		check_stack(&c, (stack_id)s);
	result = report(&c);
	for (size_t i = 0; i < c.profile.mappings.len; i++) {
		symbols_release(c.binaries[i].symbols);
		cfi_release(c.binaries[i].cfi);
		image_release(c.binaries[i].image);
	}
	free(c.binaries);
	free(c.weights);
	cs_free(c.insn, 1);
	cs_close(&decoder);
	profile_release(&c.profile);
	return result;
}
