/* cfi.c: how does one get from a frame to its caller's? */
#include "images/cfi.h"

#include "images/cfi_internal.h"
#include "images/symbols.h"

#include <stdlib.h>

#define BEHIND_CALL_LIMIT 16 /* bytes between an entry and the next one */
#define FUNCTIONS_ALIGNED 16 /* bytes */

#define MEMO_START ((size_t)64)
#define MEMO_LIMIT ((size_t)1 << 15) /* slots a handle; 16 bytes each */

/* Add a rule for code that has no entry. */
static void add_synthetic(struct cfi *cfi, uint64_t start, uint64_t end, struct bytes program)
{
	struct cfi_index *index = &cfi->indexes[CFI_SYNTHETIC];
	struct cfi_index_entry *entries = index->entries;
	size_t at = index->count;

	if (at == CFI_SYNTHETIC_LIMIT || end <= start)
		return;
	for (; at && entries[at - 1].start > start; at--) {
		entries[at] = entries[at - 1];
		cfi->synthetic_ends[at] = cfi->synthetic_ends[at - 1];
		cfi->synthetic_programs[at] = cfi->synthetic_programs[at - 1];
	}
	entries[at] = (struct cfi_index_entry){.start = start};
	cfi->synthetic_ends[at] = end;
	cfi->synthetic_programs[at] = program;
	index->count++;
}

/* The first stub of .plt may have a landing pad, before which nothing has happened. */
static void add_plt(struct cfi *cfi, const struct image_section *s)
{
	struct bytes pad = cfi->arch->landing_pad;
	uint64_t start = s->address;

	if (pad.len && pad.len < s->size && bytes_starts_with(image_at(cfi->image, start), pad)) {
		add_synthetic(cfi, start, start + pad.len, (struct bytes){0});
		start += pad.len;
	}
	add_synthetic(cfi, start, s->address + s->size, cfi->arch->plt_program);
}

/* Assume GNU ld's layout for PLT sections. Only the stubs of .plt push anything. */
static void add_plts(struct cfi *cfi)
{
	static const char *const names[] = {".plt.sec", ".plt.got", ".iplt"};
	const struct image_section *s = image_section(cfi->image, ".plt");

	if (s && s->address)
		add_plt(cfi, s);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		s = image_section(cfi->image, names[i]);
		if (s && s->address)
			add_synthetic(cfi, s->address, s->address + s->size, (struct bytes){0});
	}
}

/* A function that makecontext starts (a coroutine) returns to the first instruction of an internal
 * function of the C library. A walk looks up the byte before that instruction, and no entry covers
 * that byte. A synthetic rule for it ends the stack. Only libraries that export makecontext are
 * searched for that function. */
static void add_context_end(struct cfi *cfi)
{
	const struct cfi_index *index = &cfi->indexes[CFI_EH_FRAME];
	uint64_t ignored;

	if (!cfi->arch->context_end.len || !image_section(cfi->image, ".gnu.version_d") ||
		function_address(cfi->image, BYTES("makecontext"), &ignored) != FUNCTION_FOUND)
		return;
	for (size_t i = 0; i < index->count; i++) {
		uint64_t start = cfi_index_at(index, i).start;

		if (bytes_starts_with(image_at(cfi->image, start), cfi->arch->context_end))
			add_synthetic(cfi, start - 1, start, cfi->arch->end_program);
	}
}

/* The rules before the CIE's program runs: no CFA, and the default for every column. */
static struct cfi_state default_state(void)
{
	return (struct cfi_state){.cfa.how = CFI_UNDEFINED};
}

static bool run_initial(
	struct cfi *cfi, const struct cfi_section *section, struct cfi_cie_slot *slot)
{
	struct cfi_machine machine = {.arch = cfi->arch,
		.section = section,
		.cie = &slot->cie,
		.expressions = &cfi->expressions};
	uint64_t reached;

	slot->initial = default_state();
	return slot->cie.return_column < cfi->arch->columns &&
	       cfi_run(&machine, slot->cie.program, 0, 0, &slot->initial, &reached);
}

static void add_signal_rule(struct cfi *cfi)
{
	struct cfi_rule *rule;

	if (!cfi->arch->signal_return.len)
		return;
	rule = arena_alloc(&cfi->arena, sizeof(*rule));
	*rule = (struct cfi_rule){.signal = true, .by_layout = true};
	cfi->signal_rule = rule;
}

struct cfi *cfi_open(const struct image *image)
{
	struct cfi *cfi = memory_new(1, sizeof(*cfi));

	cfi->image = image;
	cfi->arch = arch_of_machine(image_machine(image));
	if (!cfi->arch)
		return cfi;
	cfi_index_eh_frame(&cfi->indexes[CFI_EH_FRAME], image);
	cfi->stats.search_table =
		cfi->indexes[CFI_EH_FRAME].table.len > 0 && !cfi->indexes[CFI_EH_FRAME].entries;
	cfi->indexes[CFI_SYNTHETIC].entries =
		memory_new(CFI_SYNTHETIC_LIMIT, sizeof(struct cfi_index_entry));
	add_plts(cfi);
	add_context_end(cfi);
	add_signal_rule(cfi);
	cfi->synthetic_cie.cie = (struct cfi_cie){.code_align = 1,
		.data_align = cfi->arch->data_align,
		.return_column = cfi->arch->link_register,
		.program = cfi->arch->call_program};
	run_initial(cfi, &cfi->indexes[CFI_SYNTHETIC].section, &cfi->synthetic_cie);
	return cfi;
}

void cfi_release(struct cfi *cfi)
{
	if (!cfi)
		return;
	for (size_t i = 0; i < CFI_SOURCES; i++)
		cfi_index_release(&cfi->indexes[i]);
	vector_release(&cfi->expressions.items);
	id_map_release(&cfi->expressions.map);
	vector_release(&cfi->rules);
	id_map_release(&cfi->by_rule);
	arena_release(&cfi->arena);
	memory_free(cfi->memo);
	memory_free(cfi);
}

const struct arch *cfi_arch(const struct cfi *cfi)
{
	return cfi->arch;
}

struct bytes cfi_expression(const struct cfi *cfi, int32_t number)
{
	return cfi->expressions.items.items[number];
}

struct cfi_stats cfi_stats(const struct cfi *cfi)
{
	struct cfi_stats stats = cfi->stats;

	for (size_t i = 0; i < CFI_SOURCES; i++)
		stats.entries += cfi->indexes[i].count;
	stats.rules = cfi->rules.len;
	return stats;
}

const struct cfi_index *cfi_source_index(struct cfi *cfi, enum cfi_source source)
{
	if (source == CFI_DEBUG_FRAME && !cfi->debug_indexed) {
		cfi_index_debug_frame(&cfi->indexes[source], cfi->image);
		cfi->debug_indexed = true;
	}
	return &cfi->indexes[source];
}

/* The CIE at `offset`, decoded on first use. */
static const struct cfi_cie_slot *find_cie(struct cfi *cfi, enum cfi_source source, uint64_t offset)
{
	struct cfi_cie_slot *slot =
		&cfi->cies[source][offset * 0x9E3779B97F4A7C15u >> 32 & (CFI_CIE_SLOTS - 1)];
	const struct cfi_section *section = &cfi->indexes[source].section;

	if (slot->used && slot->cie.offset == offset)
		return slot;
	slot->used = cfi_read_cie(section, offset, &slot->cie) && run_initial(cfi, section, slot);
	return slot->used ? slot : NULL;
}

/* In the C library, the entry of clone ends before the system call, because the new thread has no
 * caller, and the thread's own entry begins a few instructions later. Between the two, the calling
 * thread's frame is unchanged, and many samples are taken there, because creating a thread takes
 * long. Functions are usually aligned to 16 bytes, so the code of nearly all entries need not be
 * looked at. */
static uint64_t end_of_call(
	const struct cfi *cfi, const struct cfi_index *index, size_t i, uint64_t end)
{
	struct bytes call = cfi->arch->system_call;
	uint64_t next = i + 1 < index->count ? cfi_index_at(index, i + 1).start : end;

	if (next <= end || next - end > BEHIND_CALL_LIMIT || !(next & (FUNCTIONS_ALIGNED - 1)))
		return end;
	return bytes_starts_with(image_at(cfi->image, end), call) ? next : end;
}

bool cfi_entry_at(struct cfi *cfi, enum cfi_source source, size_t i, struct cfi_entry *ret_entry)
{
	const struct cfi_index *index = &cfi->indexes[source];
	struct cfi_index_entry at = cfi_index_at(index, i);
	uint64_t cie_offset;

	ret_entry->section = &index->section;
	if (source == CFI_SYNTHETIC) {
		ret_entry->cie = &cfi->synthetic_cie;
		ret_entry->fde = (struct cfi_fde){
			at.start, cfi->synthetic_ends[i], 0, cfi->synthetic_programs[i]};
		return true;
	}
	if (!cfi_fde_cie(&index->section, at.offset, &cie_offset) ||
		!(ret_entry->cie = find_cie(cfi, source, cie_offset)) ||
		!cfi_read_fde(&index->section, at.offset, &ret_entry->cie->cie, &ret_entry->fde) ||
		ret_entry->fde.start != at.start)
		return false;
	ret_entry->fde.end = end_of_call(cfi, index, i, ret_entry->fde.end);
	return true;
}

bool cfi_entry_run(struct cfi *cfi, const struct cfi_entry *entry, uint64_t target,
	void (*row)(void *context, uint64_t start, uint64_t end, const struct cfi_state *state),
	void *context, struct cfi_state *ret_state, uint64_t *ret_reached)
{
	struct cfi_machine machine = {.arch = cfi->arch,
		.section = entry->section,
		.cie = &entry->cie->cie,
		.initial = &entry->cie->initial,
		.expressions = &cfi->expressions,
		.row = row,
		.context = context};

	*ret_state = entry->cie->initial;
	return cfi_run(
		&machine, entry->fde.program, entry->fde.start, target, ret_state, ret_reached);
}

/* List what the state changes, in the order of columns. If calls push the return address, it cannot
 * be in its register: without a rule in the state, it is undefined. */
static void fill_rule(const struct cfi *cfi, const struct cfi_cie *cie,
	const struct cfi_state *state, struct cfi_rule *rule)
{
	rule->cfa = state->cfa;
	rule->cfa_after = state->cfa_after;
	rule->signal = cie->signal;
	rule->return_column = cie->return_column;
	for (unsigned column = 0; column < cfi->arch->columns; column++) {
		bool set = state->set >> column & 1;

		if (set && state->columns[column].how != CFI_SAME)
			rule->values[rule->count++] = state->columns[column];
		else if (!set && column == cie->return_column && cfi->arch->call_pushes)
			rule->values[rule->count++] =
				(struct cfi_value){.how = CFI_UNDEFINED, .column = (uint8_t)column};
	}
}

/* The plain form of a rule whose values are filled in; `is` is false if the rule is not plain. */
static struct cfi_plain plain_of(const struct arch *arch, const struct cfi_rule *rule)
{
	struct cfi_plain plain = {0};
	bool returns = false;

	if (rule->signal || rule->return_column != arch->link_register ||
		rule->cfa.how != CFI_REGISTER ||
		(rule->cfa.base != arch->stack_pointer && rule->cfa.base != arch->frame_pointer))
		return plain;
	for (unsigned i = 0; i < rule->count; i++) {
		const struct cfi_value *v = &rule->values[i];

		if (v->column == arch->link_register && v->how == CFI_AT_CFA) {
			plain.return_offset = v->offset;
			returns = true;
		} else if (v->column == arch->frame_pointer && v->how == CFI_AT_CFA) {
			plain.frame_pointer_offset = v->offset;
			plain.saves_frame_pointer = true;
		} else if (v->column == arch->frame_pointer || v->column == arch->stack_pointer) {
			return (struct cfi_plain){0};
		}
	}
	plain.is = returns;
	return returns ? plain : (struct cfi_plain){0};
}

static size_t rule_size(const struct cfi_rule *rule)
{
	return sizeof(*rule) + rule->count * sizeof(*rule->values);
}

static const struct cfi_rule *keep_rule(
	struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_state *state)
{
	union {
		struct cfi_rule rule;
		char room[sizeof(struct cfi_rule) + ARCH_COLUMNS_LIMIT * sizeof(struct cfi_value)];
	} u;
	struct cfi_rule *kept;
	uint64_t hash;
	size_t at;

	memset(&u, 0, sizeof(struct cfi_rule));
	fill_rule(cfi, cie, state, &u.rule);
	u.rule.plain = plain_of(cfi->arch, &u.rule);
	hash = hash_bytes(&u, rule_size(&u.rule));
	at = id_map_first(&cfi->by_rule, hash);
	for (uint32_t id; (id = id_map_candidate(&cfi->by_rule, hash, &at));) {
		const struct cfi_rule *known = cfi->rules.items[id - 1];

		u.rule.id = id;
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): padding is zeroed */
		if (!memcmp(&u, known, sizeof(u.rule)) &&
			!memcmp(u.rule.values, known->values,
				u.rule.count * sizeof(struct cfi_value)))
			return known;
	}
	u.rule.id = (uint32_t)cfi->rules.len + 1;
	kept = arena_alloc(&cfi->arena, rule_size(&u.rule));
	memcpy(kept, &u, rule_size(&u.rule));
	vector_push(&cfi->rules, kept);
	id_map_insert_at(&cfi->by_rule, hash, at, kept->id);
	return kept;
}

/* Does a signal handler return to this address? A walk looks up the pc of a thread that is in this
 * code, at one of its two instructions, or the byte before it, which other code may own. What its
 * own entry says, if it has one, is not used: it leads to a pair of a frame pointer and a return
 * address for debuggers, past the function that was interrupted. */
static bool is_signal_return(const struct cfi *cfi, uint64_t address)
{
	struct bytes code = cfi->arch->signal_return;
	uint64_t size = code.len / 2, at = (address + 1) & (0 - size);

	return size && (bytes_starts_with(image_at(cfi->image, at), code) ||
			       bytes_starts_with(image_at(cfi->image, at - size), code));
}

/* Decode without the memo. */
static const struct cfi_rule *decode(struct cfi *cfi, uint64_t address)
{
	if (is_signal_return(cfi, address))
		return cfi->signal_rule;
	for (enum cfi_source source = 0; source < CFI_SOURCES; source++) {
		const struct cfi_index *index = cfi_source_index(cfi, source);
		size_t i = cfi_index_find(index, address);
		struct cfi_state state;
		struct cfi_entry entry;
		uint64_t reached;

		if (i == SIZE_MAX)
			continue;
		if (!cfi_entry_at(cfi, source, i, &entry)) {
			cfi->stats.damaged++;
			continue;
		}
		if (address < entry.fde.start || address >= entry.fde.end)
			continue;
		if (cfi_entry_run(cfi, &entry, address, NULL, NULL, &state, &reached) &&
			state.cfa.how != CFI_UNDEFINED)
			return keep_rule(cfi, &entry.cie->cie, &state);
		cfi->stats.damaged++;
	}
	return NULL;
}

static struct cfi_memo *memo_slot(struct cfi_memo *memo, size_t mask, uint64_t address)
{
	return &memo[(address * 0x9E3779B97F4A7C15u) >> 40 & mask];
}

/* The memo is direct-mapped: an address replaces another one in its slot. */
static void grow_memo(struct cfi *cfi)
{
	size_t slots = cfi->memo ? (cfi->memo_mask + 1) * 4 : MEMO_START;
	struct cfi_memo *memo = memory_new_table(slots, sizeof(*memo));

	cfi->memo_used = 0;
	for (size_t i = 0; cfi->memo && i <= cfi->memo_mask; i++) {
		struct cfi_memo *slot = memo_slot(memo, slots - 1, cfi->memo[i].address);

		if (!cfi->memo[i].rule)
			continue;
		cfi->memo_used += !slot->rule;
		*slot = cfi->memo[i];
	}
	memory_free(cfi->memo);
	cfi->memo = memo;
	cfi->memo_mask = slots - 1;
}

const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t address)
{
	const struct cfi_rule *rule;
	struct cfi_memo *slot;

	if (cfi->memo) {
		slot = memo_slot(cfi->memo, cfi->memo_mask, address);
		if (slot->address == address && slot->rule)
			return slot->rule;
	}
	if (!cfi->arch)
		return NULL;
	rule = decode(cfi, address);
	if (!rule)
		return NULL;
	if (!cfi->memo || (cfi->memo_used * 2 > cfi->memo_mask && cfi->memo_mask + 1 < MEMO_LIMIT))
		grow_memo(cfi);
	slot = memo_slot(cfi->memo, cfi->memo_mask, address);
	cfi->memo_used += !slot->rule;
	*slot = (struct cfi_memo){address, rule};
	return rule;
}
