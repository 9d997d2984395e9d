/* cfi_table.c: all rules of a binary as one flat table (cfi_table.h).
 *
 * The three sources of rules (cfi_internal.h) are merged from front to back; each address uses the
 * first source that has a rule for it. fill() walks the entries of a source in ascending order,
 * runs each, and hands the gaps between them, and rows without a CFA, to the next source. So rows
 * come out sorted. Each state of a running entry has to become the number of a rule, and there are
 * millions of states in a large binary. Almost all repeat one of a few hundred, so number_state
 * first looks into a small cache, keyed by the words that the rule is made from, before it reduces
 * and hashes the rule. If a CFA turns out to depend on the base pointer, the table is built once
 * more, and tracks that register. */
#include "images/cfi_table.h"

#include "images/cfi_internal.h"

#include <stdlib.h>

#define PAGE_SIZE    ((uint64_t)1 << CFI_TABLE_PAGE_BITS)
#define RECENT_RULES 1024 /* a power of two; enough for nearly all rules of a binary */

struct build {
	struct cfi *cfi;
	bool with_base; /* track the base pointer */
	bool finds_by_base;
	uint64_t start; /* of page 0 */
	VECTOR(uint32_t) pages;
	VECTOR(struct cfi_table_row) rows;
	VECTOR(struct cfi_table_rule) rules;
	struct id_map by_rule;
	struct recent {
		uint64_t words[5]; /* the rule's inputs */
		uint32_t id;	   /* 0: empty */
	} recent[RECENT_RULES];
	uint16_t current; /* the rule of the last row */
	bool too_many_pages, too_many_rules;
};

/* ---- Rules ---- */

static uint16_t number_rule(struct build *b, const struct cfi_table_rule *rule)
{
	uint64_t hash = hash_bytes(rule, sizeof(*rule));
	size_t at = id_map_first(&b->by_rule, hash);

	for (uint32_t id; (id = id_map_candidate(&b->by_rule, hash, &at));) {
		if (!memcmp(&b->rules.items[id], rule, sizeof(*rule)))
			return (uint16_t)id;
	}
	if (b->rules.len == CFI_TABLE_RULES_LIMIT) {
		b->too_many_rules = true;
		return 0;
	}
	vector_push(&b->rules, *rule);
	id_map_insert_at(&b->by_rule, hash, at, (uint32_t)b->rules.len - 1);
	return (uint16_t)(b->rules.len - 1);
}

/* What a state says about one column. CFI_SAME for the return address means that it is in its
 * register, which is impossible after a call that pushes it. */
static struct cfi_value reduce_column(
	const struct cfi *cfi, const struct cfi_state *state, unsigned column, bool is_return)
{
	struct cfi_value v = {.how = CFI_SAME};

	if (state->set >> column & 1)
		v = state->columns[column];
	else if (is_return && cfi->arch->call_pushes)
		v.how = CFI_UNDEFINED;
	if (v.how == CFI_EXPRESSION || v.how == CFI_AT_EXPRESSION)
		v = (struct cfi_value){.how = CFI_UNSUPPORTED};
	return v;
}

/* What a state says about the base pointer, if that is tracked. */
static struct cfi_value reduce_base(const struct build *b, const struct cfi_state *state)
{
	struct cfi_value v = {.how = CFI_UNDEFINED};

	if (b->with_base)
		v = reduce_column(b->cfi, state, b->cfi->arch->base_pointer, false);
	return v.how == CFI_SAME || v.how == CFI_AT_CFA ? v
							: (struct cfi_value){.how = CFI_UNDEFINED};
}

static struct cfi_table_rule reduce(
	const struct build *b, const struct cfi_cie *cie, const struct cfi_state *state)
{
	const struct cfi *cfi = b->cfi;
	struct cfi_value base = reduce_base(b, state);
	struct cfi_value ra = reduce_column(cfi, state, cie->return_column, true);
	struct cfi_value fp = reduce_column(cfi, state, cfi->arch->frame_pointer, false);
	bool broken = state->cfa.how == CFI_EXPRESSION;

	return (struct cfi_table_rule){.cfa_how = broken ? CFI_UNSUPPORTED : state->cfa.how,
		.cfa_base = state->cfa.base,
		.cfa_offset = broken ? 0 : state->cfa.offset,
		.cfa_after = state->cfa_after,
		.ra_how = ra.how,
		.ra_base = ra.base,
		.ra_offset = ra.offset,
		.fp_how = fp.how,
		.fp_base = fp.base,
		.fp_offset = fp.offset,
		.base_how = base.how,
		.base_offset = base.offset,
		.signal = cie->signal};
}

#define VALUE_SET ((uint64_t)1 << 16)

/* Reads member by member, as they were written: a single wide load would stall, because the CPU
 * cannot forward several narrow stores to it. */
static uint64_t value_word(const struct cfi_value *v)
{
	return (uint64_t)(uint32_t)v->offset << 32 | (uint64_t)v->base << 8 | v->how;
}

/* The number of the state's rule, from the cache of recent rules if possible. */
static uint16_t number_state(
	struct build *b, const struct cfi_cie *cie, const struct cfi_state *state)
{
	const struct arch *arch = b->cfi->arch;
	unsigned fp = arch->frame_pointer, ra = cie->return_column, base = arch->base_pointer;
	uint64_t fp_set = state->set >> fp & 1, ra_set = state->set >> ra & 1, hash;
	struct cfi_table_rule rule;
	struct recent r = {.id = 0}, *known;

	r.words[0] = value_word(&state->cfa);
	if (ra_set)
		r.words[1] = value_word(&state->columns[ra]);
	if (fp_set)
		r.words[2] = value_word(&state->columns[fp]);
	r.words[3] = (uint64_t)(uint32_t)state->cfa_after << 32 | ra << 8 | ra_set << 2 |
		     fp_set << 1 | cie->signal;
	if (b->with_base && state->set >> base & 1)
		r.words[4] = value_word(&state->columns[base]) | VALUE_SET;
	hash = (r.words[0] ^ r.words[1] * 3 ^ r.words[2] * 5 ^ r.words[3] ^ r.words[4] * 7) *
	       0x9E3779B97F4A7C15u;
	known = &b->recent[(hash ^ hash << 23) >> 54];
	if (known->id && known->words[0] == r.words[0] && known->words[1] == r.words[1] &&
		known->words[2] == r.words[2] && known->words[3] == r.words[3] &&
		known->words[4] == r.words[4])
		return (uint16_t)known->id;
	rule = reduce(b, cie, state);
	b->finds_by_base |= rule.cfa_how != CFI_UNSUPPORTED && rule.cfa_base == base;
	r.id = number_rule(b, &rule);
	*known = r;
	return (uint16_t)r.id;
}

/* ---- Rows ---- */

/* Begin all pages up to that of `address`, each with its first row. */
static void open_pages(struct build *b, uint64_t address)
{
	uint64_t page = (address - b->start) >> CFI_TABLE_PAGE_BITS;

	if (page >= CFI_TABLE_PAGES_LIMIT) {
		b->too_many_pages = true;
		return;
	}
	while (b->pages.len <= page) {
		vector_push(&b->pages, (uint32_t)b->rows.len);
		vector_push(&b->rows, ((struct cfi_table_row){0, b->current}));
	}
}

/* `rule` applies from `address` on. Addresses ascend. */
static void put_row(struct build *b, uint64_t address, uint16_t rule)
{
	uint16_t pc = (uint16_t)address;

	if (rule == b->current || b->too_many_pages)
		return;
	open_pages(b, address);
	if (b->too_many_pages)
		return;
	b->current = rule;
	if (!pc) /* replaces the page's first row, which continued the last page's rule */
		b->rows.items[b->rows.len - 1].rule = rule;
	else
		vector_push(&b->rows, ((struct cfi_table_row){pc, rule}));
}

/* ---- Entries ---- */

struct clip {
	struct build *build;
	enum cfi_source source;
	const struct cfi_entry *entry;
	uint64_t start, end;
};

static void fill(struct build *b, enum cfi_source source, uint64_t start, uint64_t end);

static void put_state(void *context, uint64_t start, uint64_t end, const struct cfi_state *state)
{
	struct clip *clip = context;

	if (start < clip->start)
		start = clip->start;
	if (end > clip->end)
		end = clip->end;
	if (start >= end)
		return;
	if (state->cfa.how == CFI_UNDEFINED) {
		fill(clip->build, clip->source + 1, start, end);
		return;
	}
	put_row(clip->build, start, number_state(clip->build, &clip->entry->cie->cie, state));
}

/* Add the rows of an entry between two addresses in it. */
static void put_entry(struct build *b, enum cfi_source source, const struct cfi_entry *entry,
	uint64_t start, uint64_t end)
{
	struct clip clip = {b, source, entry, start, end};
	struct cfi_state state;
	uint64_t reached;
	bool ok = cfi_entry_run(b->cfi, entry, end - 1, put_state, &clip, &state, &reached);

	if (ok)
		put_state(&clip, reached, end, &state);
	else if (reached < end)
		fill(b, source + 1, reached > start ? reached : start, end);
}

/* Add rows for the addresses from `start` to `end`, by `source`; gaps are filled by the sources
 * after it. */
static void fill(struct build *b, enum cfi_source source, uint64_t start, uint64_t end)
{
	const struct cfi_index *index;
	uint64_t at = start;
	size_t i;

	if (source == CFI_SOURCES) {
		put_row(b, start, 0);
		return;
	}
	index = cfi_source_index(b->cfi, source);
	i = cfi_index_find(index, start);
	for (i = i == SIZE_MAX ? 0 : i; i < index->count && at < end && !b->too_many_pages; i++) {
		uint64_t first = cfi_index_at(index, i).start, last;
		struct cfi_entry entry;

		if (first >= end)
			break;
		if (!cfi_entry_at(b->cfi, source, i, &entry))
			continue;
		last = i + 1 < index->count ? cfi_index_at(index, i + 1).start : UINT64_MAX;
		last = last < entry.fde.end ? last : entry.fde.end;
		last = last < end ? last : end;
		first = first > at ? first : at;
		if (first >= last)
			continue;
		if (at < first)
			fill(b, source + 1, at, first);
		put_entry(b, source, &entry, first, last);
		at = last;
	}
	if (at < end)
		fill(b, source + 1, at, end);
}

static uint64_t first_address(struct cfi *cfi)
{
	uint64_t first = UINT64_MAX;

	for (enum cfi_source source = 0; source < CFI_SOURCES; source++) {
		const struct cfi_index *index = cfi_source_index(cfi, source);

		if (index->count && cfi_index_at(index, 0).start < first)
			first = cfi_index_at(index, 0).start;
	}
	return first;
}

static void build(struct build *b)
{
	uint64_t first = b->cfi->arch ? first_address(b->cfi) : UINT64_MAX;

	vector_push(&b->rules,
		((struct cfi_table_rule){.cfa_how = CFI_UNDEFINED, .base_how = CFI_UNDEFINED}));
	if (first == UINT64_MAX)
		return;
	b->start = first & ~(PAGE_SIZE - 1);
	fill(b, CFI_EH_FRAME, b->start, UINT64_MAX);
}

static void release(struct build *b)
{
	id_map_release(&b->by_rule);
	vector_release(&b->pages);
	vector_release(&b->rows);
	vector_release(&b->rules);
}

bool cfi_table_build(struct cfi *cfi, struct cfi_table *ret_table, struct error *err)
{
	struct build b = {.cfi = cfi};

	build(&b);
	if (b.finds_by_base) {
		release(&b);
		b = (struct build){.cfi = cfi, .with_base = true};
		build(&b);
	}
	if (b.too_many_pages || b.too_many_rules) {
		release(&b);
		return error_set(err, ERR_LIMIT, "%s: damaged unwind tables? They have %s",
			image_name(cfi->image),
			b.too_many_pages ? "addresses that are too far apart" : "too many rules");
	}
	id_map_release(&b.by_rule);
	*ret_table = (struct cfi_table){.start = b.start,
		.page_count = b.pages.len,
		.row_count = b.rows.len,
		.rule_count = b.rules.len,
		.rows = b.rows.items,
		.rules = b.rules.items};
	vector_push(&b.pages, (uint32_t)b.rows.len);
	ret_table->pages = b.pages.items;
	return true;
}

void cfi_table_release(struct cfi_table *table)
{
	memory_free(table->pages);
	memory_free(table->rows);
	memory_free(table->rules);
	*table = (struct cfi_table){0};
}

const struct cfi_table_rule *cfi_table_find(const struct cfi_table *table, uint64_t address)
{
	uint64_t page = (address - table->start) >> CFI_TABLE_PAGE_BITS;
	uint32_t low, high;

	if (address < table->start || page >= table->page_count)
		return &table->rules[0];
	low = table->pages[page];
	high = table->pages[page + 1];
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (table->rows[middle].pc <= (uint16_t)address)
			low = middle;
		else
			high = middle;
	}
	return &table->rules[table->rows[low].rule];
}
