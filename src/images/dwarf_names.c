/* dwarf_names.c: what is a function called? */
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

/* ---- Scopes: the entries of a unit that qualify what is in them ---- */

struct dwarf_scopes {
	VECTOR(struct scope) items; /* by ascending start */
};
struct scope {
	uint64_t start, end; /* offsets of the entry, and behind its children */
	uint32_t outer;	     /* index; NO_SCOPE */
};
#define NO_SCOPE UINT32_MAX

void dwarf_scopes_release(struct dwarf_scopes *scopes)
{
	if (!scopes)
		return;
	vector_release(&scopes->items);
	free(scopes);
}

static bool is_scope(unsigned tag)
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

/* Walk all entries; what is behind damage has no scopes. */
static void scopes_fill(struct dwarf_scopes *scopes, const struct dwarf_unit *unit)
{
	const uint8_t *info = (const uint8_t *)unit->file->sections[DWARF_INFO].at;
	struct cursor c = {info + unit->header.first, info + unit->header.end, false};
	uint32_t open = NO_SCOPE;
	VECTOR(uint64_t) depths = {0}; /* of the open scopes */
	uint64_t depth = 0;

	while (c.at < c.end) {
		uint64_t offset = (uint64_t)(c.at - info), code = cursor_uleb(&c);
		const struct dwarf_abbrev *abbrev;
		const uint8_t *next;

		if (!code) {
			if (!depth || !--depth)
				break;
			if (depths.len && depths.items[depths.len - 1] == depth) {
				scopes->items.items[open].end = (uint64_t)(c.at - info);
				open = scopes->items.items[open].outer;
				depths.len--;
			}
			continue;
		}
		abbrev = dwarf_abbrev_find(unit->abbrevs, code);
		next = abbrev ? dwarf_entry_skip(unit->abbrevs, abbrev, c.at, c.end) : NULL;
		if (!next)
			break;
		c.at = next;
		if (abbrev->children && is_scope(abbrev->tag) &&
			scopes->items.len < UINT32_MAX - 1) {
			vector_push(&depths, depth);
			vector_push(
				&scopes->items, ((struct scope){offset, unit->header.end, open}));
			open = (uint32_t)scopes->items.len - 1;
		}
		depth += abbrev->children;
	}
	vector_release(&depths);
}

static struct dwarf_scopes *scopes_of(struct dwarf_reader *r, struct dwarf_unit *unit)
{
	if (!unit->scopes) {
		unit->scopes = memory_new(1, sizeof(*unit->scopes));
		if (dwarf_spend(r, unit->header.end - unit->header.first))
			scopes_fill(unit->scopes, unit);
	}
	return unit->scopes;
}

/* The innermost scope around an entry; NULL: none. */
static const struct scope *scope_around(const struct dwarf_scopes *scopes, uint64_t offset)
{
	size_t low = 0, high = scopes->items.len;
	const struct scope *found = NULL;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->items.items[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		found = &scopes->items.items[low - 1];
	while (found && found->end <= offset)
		found = found->outer == NO_SCOPE ? NULL : &scopes->items.items[found->outer];
	return found;
}

/* ---- Names ---- */

/* An entry to look at. */
struct visit {
	struct dwarf_unit *unit;
	struct dwarf_entry entry;
};

/* Go on to what the entry is an instance, a definition or a short form of. */
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

/* The scope around the entry becomes the entry. */
static bool visit_outwards(struct dwarf_reader *r, struct visit *v)
{
	const struct scope *scope = scope_around(scopes_of(r, v->unit), v->entry.offset);

	return scope && dwarf_entry_at(v->unit, scope->start, &v->entry);
}

/* The plain name, at the first entry that has one. Goes to the last one, which is where the name is
 * declared. */
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

/* C has no scopes that the linker's names would show. */
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

/* `name` is declared where the visit is. */
static struct bytes qualify(
	struct dwarf_reader *r, struct dwarf_names *names, struct visit *v, struct bytes name)
{
	struct bytes spaces[DWARF_SPACES_LIMIT];
	struct buffer text = {0};
	unsigned count = 0;

	while (count < DWARF_SPACES_LIMIT && !is_c(v->unit->language) && visit_outwards(r, v)) {
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

/* A visit that starts at `v`: a linker's name anywhere on the way, else the plain one. */
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

	/* What is known is known of the entry that the name is taken from. */
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
	dwarf_reader_settle(r);
	vector_push(&names->known, ((struct dwarf_known_name){file, offset, name}));
	id_map_put(&names->map, hash, at, (uint32_t)names->known.len);
	return name;
}
