/* dwarf_names.c: what is a function called?
 *
 * An entry has a linkage name, which is complete, or a plain name, which has to be qualified by the
 * namespaces and classes around its declaration. Entries have no link to their parent, and the
 * declaration may be elsewhere: an inlined instance refers to its abstract origin, and the abstract
 * origin to the declaration in a class. So references are followed until a name is found. The
 * scopes of a unit are cached as a tree, and only the nodes on the way to a looked-up entry get
 * their children (scope_around). This costs a pass over the siblings on that way, not over the
 * unit. */
#include "images/dwarf_names.h"

#include "base/buffer.h"

#include <dwarf.h>
#include <stdlib.h>

struct dwarf_known_name {
	const struct dwarf_file *file;
	uint64_t offset;
	struct dwarf_name name;
};

void dwarf_names_release(struct dwarf_names *names)
{
	id_map_release(&names->map);
	vector_release(&names->known);
	arena_release(&names->texts);
}

/* ---- Scopes: the entries of a unit that qualify what is in them ----
 *
 * A tree whose nodes get their children on demand. Where entries have DW_AT_sibling, listing the
 * children of an entry jumps over their descendants. */

static bool qualifies(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static bool holds_scopes(unsigned tag)
{
	return qualifies(tag) || tag == DW_TAG_lexical_block || tag == DW_TAG_variant_part ||
	       tag == DW_TAG_variant;
}

/* Siblings, from `at` to the end of their parent. */
struct level {
	struct dwarf_unit *unit;
	const uint8_t *info, *at, *end;
};

/* Read a code; NULL: the end of the level, or damage. */
static struct dwarf_abbrev *level_abbrev(struct level *l)
{
	struct cursor c = {l->at, l->end, false};
	uint64_t code = cursor_uleb(&c);

	l->at = c.at;
	return code && !c.bad ? dwarf_abbrev_find(l->unit->abbrevs, code) : NULL;
}

/* Skip an entry's attributes and all of its descendants one by one; false: damaged. */
static bool level_scan(struct level *l, const struct dwarf_abbrev *abbrev)
{
	uint64_t depth = 0;

	for (;;) {
		if (abbrev) {
			l->at = dwarf_entry_skip(l->unit->abbrevs, abbrev, l->at, l->end);
			depth += abbrev->children;
		} else if (depth) {
			depth--;
		}
		if (!l->at || !depth)
			return l->at;
		if (l->at >= l->end)
			return false;
		abbrev = *l->at ? level_abbrev(l) : NULL;
		if (!abbrev && *l->at++)
			return false;
	}
}

/* Read the next entry of the level and move behind its descendants. False: no more. */
static bool level_next(struct level *l, struct dwarf_scope *ret_scope, unsigned *ret_tag)
{
	struct dwarf_abbrev *abbrev;
	uint64_t end;

	*ret_scope = (struct dwarf_scope){.start = (uint64_t)(l->at - l->info)};
	abbrev = l->at < l->end ? level_abbrev(l) : NULL;
	if (!abbrev)
		return false;
	*ret_tag = abbrev->tag;
	ret_scope->open = !abbrev->children; /* no children to list */
	if (dwarf_entry_sibling(l->unit, abbrev, l->at, &end))
		l->at = l->info + end;
	else if (!level_scan(l, abbrev))
		return false;
	ret_scope->end = (uint64_t)(l->at - l->info);
	return true;
}

/* List the children of a scope. */
static void scope_open(struct dwarf_unit *unit, size_t index)
{
	struct dwarf_scope parent = unit->scopes.items[index], scope;
	const uint8_t *info = (const uint8_t *)unit->file->sections[DWARF_INFO].at;
	struct level l = {unit, info, info + parent.start, info + parent.end};
	struct dwarf_abbrev *abbrev = level_abbrev(&l);
	unsigned tag;

	parent.first = (uint32_t)unit->scopes.len;
	parent.open = true;
	l.at = abbrev ? dwarf_entry_skip(unit->abbrevs, abbrev, l.at, l.end) : NULL;
	while (l.at && unit->scopes.len < UINT32_MAX && level_next(&l, &scope, &tag)) {
		if (scope.open || !holds_scopes(tag))
			continue;
		scope.named = qualifies(tag);
		vector_push(&unit->scopes, scope);
	}
	parent.count = (uint32_t)unit->scopes.len - parent.first;
	unit->scopes.items[index] = parent;
}

/* The child of a scope that contains an entry; 0: none. */
static size_t scope_child(const struct dwarf_unit *unit, size_t index, uint64_t offset)
{
	const struct dwarf_scope *s = &unit->scopes.items[index];
	size_t low = s->first, high = s->first + s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->scopes.items[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > s->first && unit->scopes.items[low - 1].end > offset ? low - 1 : 0;
}

/* The offset of the innermost scope that qualifies an entry; 0: none. */
static uint64_t scope_around(struct dwarf_reader *r, struct dwarf_unit *unit, uint64_t offset)
{
	uint64_t found = 0;
	size_t at = 0;

	if (!unit->scopes.len)
		vector_push(&unit->scopes, ((struct dwarf_scope){.start = unit->header.first,
						   .end = unit->header.end}));
	do {
		const struct dwarf_scope *s = &unit->scopes.items[at];

		if (s->named)
			found = s->start;
		if (!s->open) {
			if (!dwarf_budget_spend(r, s->end - s->start))
				break;
			scope_open(unit, at);
		}
		at = scope_child(unit, at, offset);
	} while (at);
	return found;
}

/* ---- Names ---- */

/* The entry that is being looked at. */
struct visit {
	struct dwarf_unit *unit;
	struct dwarf_entry entry;
};

/* Follow the entry's reference to its abstract origin, to its declaration, or to its type unit. */
static bool visit_follow(struct dwarf_reader *r, struct visit *v)
{
	const struct dwarf_file *file;
	uint64_t offset;

	if (!dwarf_reference(&v->entry, DWARF_ORIGIN, &file, &offset) &&
		!dwarf_reference(&v->entry, DWARF_SPECIFICATION, &file, &offset) &&
		!dwarf_reference(&v->entry, DWARF_SIGNATURE, &file, &offset))
		return false;
	v->unit = dwarf_unit_of(r, file, offset);
	return v->unit && dwarf_entry_at(v->unit, offset, &v->entry);
}

/* Go to the scope around the entry. */
static bool visit_parent(struct dwarf_reader *r, struct visit *v)
{
	uint64_t scope = scope_around(r, v->unit, v->entry.offset);

	return scope && dwarf_entry_at(v->unit, scope, &v->entry);
}

/* The plain name of the first entry on the way that has one. Leaves `v` at the last entry, where
 * the name is declared. */
static struct bytes visit_name(struct dwarf_reader *r, struct visit *v)
{
	struct bytes name = dwarf_text(&v->entry, DWARF_NAME);

	for (unsigned hops = 0; hops < DWARF_HOPS_LIMIT; hops++) {
		struct visit next = *v;

		if (!visit_follow(r, &next))
			break;
		*v = next;
		if (!name.len)
			name = dwarf_text(&v->entry, DWARF_NAME);
	}
	return name;
}

static struct bytes nameless(unsigned tag)
{
	return tag == DW_TAG_namespace ? BYTES("(anonymous namespace)") : BYTES("{unnamed type}");
}

/* In C, no scope qualifies a name. */
static bool is_c(uint64_t language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

/* Qualify `name` by the scopes around `v`, the entry that declares it. */
static struct bytes qualify(
	struct dwarf_reader *r, struct dwarf_names *names, struct visit *v, struct bytes name)
{
	struct bytes spaces[DWARF_SPACES_LIMIT];
	struct buffer text = {0};
	unsigned count = 0;

	while (count < DWARF_SPACES_LIMIT && !is_c(v->unit->language) && visit_parent(r, v)) {
		unsigned tag = v->entry.tag;

		spaces[count] = visit_name(r, v);
		if (!spaces[count].len)
			spaces[count] = nameless(tag);
		count++;
	}
	if (!count)
		return name;
	while (count--) {
		buffer_add(&text, spaces[count].at, spaces[count].len);
		buffer_text(&text, "::");
	}
	buffer_add(&text, name.at, name.len);
	name = (struct bytes){arena_copy(&names->texts, text.at, text.len), text.len};
	buffer_release(&text);
	return name;
}

/* Follow the references from `v`: a linkage name of any entry on the way, otherwise the plain
 * name. */
static struct dwarf_name find_name(
	struct dwarf_reader *r, struct dwarf_names *names, struct visit *v)
{
	struct dwarf_name name = {0};
	struct visit next = *v;

	for (unsigned hops = 0; hops <= DWARF_HOPS_LIMIT; hops++) {
		name.text = dwarf_text(&next.entry, DWARF_LINKAGE_NAME);
		if (name.text.len) {
			name.linkage = true;
			return name;
		}
		if (!visit_follow(r, &next))
			break;
	}
	name.text = visit_name(r, v);
	if (name.text.len)
		name.text = qualify(r, names, v, name.text);
	return name;
}

struct dwarf_name dwarf_function_name(
	struct dwarf_reader *r, struct dwarf_names *names, const struct dwarf_entry *entry)
{
	struct visit v = {r->current, *entry};
	const struct dwarf_file *file = entry->unit->file;
	uint64_t offset = entry->offset, hash;
	struct dwarf_name name;
	size_t at;

	/* An entry without a name of its own shares the cached name of the entry that it refers
	 * to. */
	if (!(entry->has & (DWARF_HAS(DWARF_NAME) | DWARF_HAS(DWARF_LINKAGE_NAME))) &&
		!dwarf_reference(entry, DWARF_ORIGIN, &file, &offset))
		dwarf_reference(entry, DWARF_SPECIFICATION, &file, &offset);
	hash = hash_pair((uintptr_t)file, offset);
	at = id_map_first(&names->map, hash);
	for (uint32_t id; (id = id_map_candidate(&names->map, hash, &at));) {
		const struct dwarf_known_name *known = &names->known.items[id - 1];

		if (known->file == file && known->offset == offset)
			return known->name;
	}
	name = find_name(r, names, &v);
	dwarf_reader_free_dropped(r);
	vector_push(&names->known, ((struct dwarf_known_name){file, offset, name}));
	id_map_insert_at(&names->map, hash, at, (uint32_t)names->known.len);
	return name;
}
