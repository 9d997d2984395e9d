/* dwarf_functions.c: which functions of a unit, inlined ones included, are at some addresses?
 *
 * Entries form a tree in depth-first order. A pass keeps the open functions around the current
 * entry on a stack, and innermost[] for each address; a function that covers an address whose
 * innermost function is its own parent becomes the innermost. No tree is built, and what covers no
 * address is skipped.
 *
 * If few addresses are asked for, a first, hasty pass jumps over the children of entries that
 * cover none of them, by DW_AT_sibling. A compiler may put a function's code outside its
 * parent's range (a nested function, for example), so if anything was jumped over and an address
 * remains without a function, a second, thorough pass follows. */
#include "images/dwarf_functions.h"

#include "base/search.h"
#include "images/dwarf_lines.h"
#include "images/dwarf_ranges.h"

#include <dwarf.h>
#include <stdlib.h>

#define FUNCTION_SIZE                                                                              \
	1024 /* bytes that a typical function with all its children takes in .debug_info */

/* A function whose children are being visited. */
struct open_function {
	uint64_t depth;	   /* of its entry */
	uint32_t function; /* DWARF_NO_FUNCTION: it covers no address */
};

struct walk {
	struct dwarf_reader *reader;
	struct dwarf_names *names;
	struct dwarf_unit *unit;
	const uint8_t *info, *at, *end;
	const uint64_t *addresses;
	size_t count;
	struct dwarf_functions *found;
	uint64_t depth;
	bool skip_unlikely; /* the hasty pass: jump over entries that rarely contain functions */
	bool hopped;	    /* the hasty pass has jumped over something */
	unsigned open;
	struct open_function stack[DWARF_FRAMES_LIMIT + 1];
	struct dwarf_entry entry;
};

void dwarf_functions_release(struct dwarf_functions *functions)
{
	vector_release(&functions->items);
	memory_free(functions->innermost);
}

/* `function` covers [start, end): it becomes the innermost function of those addresses whose
 * innermost is `outer`. Of functions that overlap, the first one wins. */
static bool cover(struct walk *w, uint32_t outer, uint32_t function, uint64_t start, uint64_t end)
{
	bool any = false;

	for (size_t i = search_below(w->addresses, w->count, start);
		i < w->count && w->addresses[i] < end; i++) {
		if (!dwarf_budget_spend(w->reader, 1))
			return any;
		if (w->found->innermost[i] == outer) {
			w->found->innermost[i] = function;
			any = true;
		}
	}
	return any;
}

static uint32_t small_number(
	const struct dwarf_entry *entry, enum dwarf_slot slot, uint32_t otherwise)
{
	uint64_t number;

	return dwarf_number(entry, slot, &number) && number <= UINT32_MAX ? (uint32_t)number
									  : otherwise;
}

/* The number of the current function if it covers one of the addresses; else DWARF_NO_FUNCTION. */
static uint32_t function_match(struct walk *w, uint32_t outer)
{
	struct dwarf_functions *found = w->found;
	uint32_t function = (uint32_t)found->items.len;
	struct dwarf_ranges ranges;
	uint64_t start, end;
	bool any = false;

	if (function == DWARF_NO_FUNCTION)
		return DWARF_NO_FUNCTION;
	dwarf_ranges_start(w->reader, &w->entry, &ranges);
	while (dwarf_ranges_next(&ranges, &start, &end))
		any |= cover(w, outer, function, start, end);
	if (!any)
		return DWARF_NO_FUNCTION;
	vector_push(&found->items,
		((struct dwarf_function){
			.name = dwarf_function_name(w->reader, w->names, &w->entry),
			.outer = outer,
			.call_file = small_number(&w->entry, DWARF_CALL_FILE, DWARF_NO_FILE),
			.call_line = small_number(&w->entry, DWARF_CALL_LINE, 0)}));
	return function;
}

#define HAS_CODE (DWARF_HAS(DWARF_LOW_PC) | DWARF_HAS(DWARF_RANGES_AT))

/* Does this pass jump over the children of an entry with this tag? The hasty pass does, except for
 * namespaces, modules and lexical blocks: into other entries, such as types, compilers that emit
 * DW_AT_sibling put no functions with code. */
static bool closed(struct walk *w, unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
		return false;
	default:
		return w->skip_unlikely;
	}
}

/* Jump behind the entry's children. False: it has no DW_AT_sibling. */
static bool skip_subtree(struct walk *w, struct dwarf_abbrev *abbrev)
{
	uint64_t offset;

	if (!dwarf_entry_sibling(w->unit, abbrev, w->at, &offset))
		return false;
	w->at = w->info + offset;
	w->hopped = true;
	return true;
}

/* Visit the entry of a function, inlined or not, and move behind it. False: damaged. */
static bool walk_function(struct walk *w, struct dwarf_abbrev *abbrev, const uint8_t *entry)
{
	bool inlined = abbrev->tag == DW_TAG_inlined_subroutine;
	uint32_t around = w->open ? w->stack[w->open - 1].function : DWARF_NO_FUNCTION;
	uint32_t function = DWARF_NO_FUNCTION;
	const uint8_t *attributes = w->at;

	if (abbrev->slots & HAS_CODE && (!inlined || around != DWARF_NO_FUNCTION)) {
		w->at = dwarf_entry_read(
			w->unit->abbrevs, abbrev, w->at, w->end, &w->entry.has, w->entry.values);
		if (!w->at)
			return false;
		w->entry.offset = (uint64_t)(entry - w->info);
		w->entry.tag = abbrev->tag;
		w->entry.children = abbrev->children;
		if (w->open < DWARF_FRAMES_LIMIT)
			function = function_match(w, inlined ? around : DWARF_NO_FUNCTION);
	} else {
		w->at = dwarf_entry_skip(w->unit->abbrevs, abbrev, w->at, w->end);
		if (!w->at)
			return false;
	}
	if (function == DWARF_NO_FUNCTION && w->skip_unlikely) {
		const uint8_t *behind = w->at;

		w->at = attributes;
		if (skip_subtree(w, abbrev))
			return true;
		w->at = behind;
	}
	w->depth += abbrev->children;
	/* In a function that covers no address, only functions that are not inlined matter. */
	if (abbrev->children && function != around)
		w->stack[w->open++] = (struct open_function){w->depth - 1, function};
	return true;
}

static bool is_function(unsigned tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Visit an entry with children, or of a function; its code has been read. False: damaged. */
static bool walk_entry(struct walk *w, struct dwarf_abbrev *abbrev, const uint8_t *entry)
{
	if (is_function(abbrev->tag))
		return walk_function(w, abbrev, entry);
	if (closed(w, abbrev->tag) && skip_subtree(w, abbrev))
		return true;
	w->at = dwarf_entry_skip(w->unit->abbrevs, abbrev, w->at, w->end);
	w->depth += abbrev->children;
	return w->at;
}

/* The end of a list of children. False: end of the unit. */
static inline bool walk_up(struct walk *w)
{
	if (w->depth <= 1)
		return false;
	w->depth--;
	if (w->open && w->stack[w->open - 1].depth == w->depth)
		w->open--;
	return true;
}

/* Entries without children, which are most, are skipped right here. False: damaged. */
static bool walk_all(struct walk *w)
{
	const struct dwarf_abbrevs *table = w->unit->abbrevs;
	const uint8_t *at = w->at, *end = w->end;

	while (at && at < end) {
		const uint8_t *entry = at;
		struct dwarf_abbrev *abbrev;
		uint64_t code = *at++;

		if (code >= 0x80) {
			struct cursor c = {entry, end, false};

			code = cursor_uleb(&c);
			at = c.at;
		}
		if (!code) {
			if (!walk_up(w))
				return true;
			continue;
		}
		abbrev = dwarf_abbrev_find(table, code);
		if (!abbrev)
			return false;
		if (abbrev->children || is_function(abbrev->tag)) {
			w->at = at;
			if (!walk_entry(w, abbrev, entry))
				return false;
			at = w->at;
		} else {
			at = dwarf_entry_skip(table, abbrev, at, end);
		}
	}
	return at;
}

/* Discard what an earlier pass has found, and visit the unit from its start. */
static bool walk_unit(struct walk *w, bool skip_unlikely)
{
	const struct dwarf_header *header = &w->unit->header;

	w->at = w->info + header->first;
	w->end = w->info + header->end;
	w->depth = 0;
	w->open = 0;
	w->skip_unlikely = skip_unlikely;
	w->hopped = false;
	w->found->items.len = 0;
	memset(w->found->innermost, 0xff, w->count * sizeof(*w->found->innermost));
	return dwarf_budget_spend(w->reader, header->end - header->first) && walk_all(w);
}

static bool all_found(const struct walk *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->found->innermost[i] == DWARF_NO_FUNCTION)
			return false;
	return true;
}

bool dwarf_functions_read(struct dwarf_reader *r, struct dwarf_names *names,
	const uint64_t *addresses, size_t count, struct dwarf_functions *ret_functions)
{
	struct walk w = {.reader = r,
		.names = names,
		.unit = r->current,
		.info = (const uint8_t *)r->current->file->sections[DWARF_INFO].at,
		.addresses = addresses,
		.count = count,
		.found = ret_functions,
		.entry.unit = r->current};
	uint64_t size = r->current->header.end - r->current->header.first;

	ret_functions->innermost = memory_new(count, sizeof(*ret_functions->innermost));
	/* The hasty pass gains nothing if most functions cover some address. */
	if (count < size / FUNCTION_SIZE && walk_unit(&w, true) && (!w.hopped || all_found(&w)))
		return true;
	return walk_unit(&w, false);
}
