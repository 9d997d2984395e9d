/* dwarf_unit.c: units of .debug_info, the entries in them, and what their values mean. */
#include "images/dwarf_unit.h"

#include "base/hash.h"

#include <dwarf.h>
#include <stdlib.h>

/* ---- Tables of abbreviations ---- */

static void table_drop(struct dwarf_abbrevs *table)
{
	if (!table || --table->users)
		return;
	dwarf_abbrevs_release(table);
	memory_free(table);
}

static struct dwarf_abbrevs *table_of(
	struct dwarf_reader *r, const struct dwarf_file *file, const struct dwarf_header *header)
{
	struct bytes section = file->sections[DWARF_ABBREV];
	uint64_t key = hash_pair((uintptr_t)section.at, header->abbrevs);
	struct dwarf_abbrevs **slot = &r->tables[key % DWARF_TABLES_CACHED], *table = *slot;
	uint64_t spent = 0;

	if (table && table->section.at == section.at && table->offset == header->abbrevs &&
		!memcmp(&table->encoding, &header->encoding, sizeof(table->encoding))) {
		table->users++;
		return table;
	}
	table_drop(table);
	table = memory_new(1, sizeof(*table));
	dwarf_abbrevs_compile(table, section, header->abbrevs, header->encoding, 0, &spent);
	dwarf_budget_spend(r, spent);
	table->users = 2;
	*slot = table;
	return table;
}

/* ---- Values ---- */

bool dwarf_table_number(
	struct bytes section, uint64_t base, uint64_t index, unsigned size, uint64_t *ret_number)
{
	struct cursor c = cursor_of(section);

	if (base > section.len || index >= (section.len - base) / size)
		return false;
	c.at += base + index * size;
	*ret_number = cursor_fixed(&c, size);
	return true;
}

static struct bytes section_text(struct bytes section, uint64_t offset)
{
	struct cursor c = cursor_of(section);

	cursor_take(&c, offset);
	return cursor_text(&c);
}

static struct bytes indexed_text(const struct dwarf_unit *unit, uint64_t index)
{
	uint64_t offset;

	if (!dwarf_table_number(unit->file->sections[DWARF_STR_OFFSETS], unit->str_offsets_base,
		    index, unit->header.encoding.offset_size, &offset))
		return (struct bytes){0};
	return section_text(unit->file->sections[DWARF_STR], offset);
}

struct bytes dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
	const struct dwarf_file *file = unit->file;

	switch (value->form) {
	case DW_FORM_string:
		return bytes_of((const char *)value->text);
	case DW_FORM_strp:
		return section_text(file->sections[DWARF_STR], value->number);
	case DW_FORM_line_strp:
		return section_text(file->sections[DWARF_LINE_STR], value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		if (!file->shared)
			return (struct bytes){0};
		return section_text(file->shared->sections[DWARF_STR], value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_text(unit, value->number);
	default:
		return (struct bytes){0};
	}
}

struct bytes dwarf_text(const struct dwarf_entry *entry, enum dwarf_slot slot)
{
	if (!(entry->has & DWARF_HAS(slot)))
		return (struct bytes){0};
	return dwarf_value_text(entry->unit, &entry->values[slot]);
}

bool dwarf_number(const struct dwarf_entry *entry, enum dwarf_slot slot, uint64_t *ret_number)
{
	if (!(entry->has & DWARF_HAS(slot)))
		return false;
	switch (entry->values[slot].form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
	case DW_FORM_sec_offset:
		*ret_number = entry->values[slot].number;
		return true;
	default:
		return false;
	}
}

bool dwarf_address(const struct dwarf_entry *entry, enum dwarf_slot slot, uint64_t *ret_address)
{
	const struct dwarf_unit *unit = entry->unit;
	const struct dwarf_value *value = &entry->values[slot];

	if (!(entry->has & DWARF_HAS(slot)))
		return false;
	switch (value->form) {
	case DW_FORM_addr:
		*ret_address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_table_number(unit->file->sections[DWARF_ADDR], unit->addr_base,
			value->number, unit->header.encoding.address_size, ret_address);
	default:
		return false;
	}
}

bool dwarf_reference(const struct dwarf_entry *entry, enum dwarf_slot slot,
	const struct dwarf_file **ret_file, uint64_t *ret_offset)
{
	const struct dwarf_unit *unit = entry->unit;
	const struct dwarf_value *value = &entry->values[slot];

	if (!(entry->has & DWARF_HAS(slot)))
		return false;
	*ret_file = unit->file;
	*ret_offset = value->number;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*ret_offset += unit->header.offset;
		return value->number < unit->header.end - unit->header.offset;
	case DW_FORM_ref_addr:
		*ret_file = unit->file->info;
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*ret_file = unit->file->shared;
		return *ret_file != NULL;
	case DW_FORM_ref_sig8:
		return dwarf_file_type(unit->file, value->number, ret_file, ret_offset);
	default:
		return false;
	}
}

/* ---- Entries and units ---- */

bool dwarf_entry_at(struct dwarf_unit *unit, uint64_t offset, struct dwarf_entry *ret_entry)
{
	struct cursor c = cursor_of(unit->file->sections[DWARF_INFO]);
	struct dwarf_abbrev *abbrev;

	if (offset < unit->header.first || offset >= unit->header.end)
		return false;
	c.end = c.at + unit->header.end;
	c.at += offset;
	abbrev = dwarf_abbrev_find(unit->abbrevs, cursor_uleb(&c));
	if (!abbrev || c.bad)
		return false;
	ret_entry->unit = unit;
	ret_entry->offset = offset;
	ret_entry->tag = abbrev->tag;
	ret_entry->children = abbrev->children;
	return dwarf_entry_read(unit->abbrevs, abbrev, c.at, c.end, &ret_entry->has,
		       ret_entry->values) != NULL;
}

bool dwarf_entry_sibling(const struct dwarf_unit *unit, struct dwarf_abbrev *abbrev,
	const uint8_t *at, uint64_t *ret_offset)
{
	const uint8_t *info = (const uint8_t *)unit->file->sections[DWARF_INFO].at;
	const uint8_t *end = info + unit->header.end;
	const struct dwarf_file *file = unit->file;

	if (!abbrev->children || !(abbrev->slots & DWARF_HAS(DWARF_SIBLING)))
		return false;
	if (abbrev->sibling != DWARF_NO_SIBLING) {
		uint32_t near;

		if ((size_t)(end - at) < abbrev->sibling + sizeof(near))
			return false;
		memcpy(&near, at + abbrev->sibling, sizeof(near));
		*ret_offset = unit->header.offset + near;
	} else {
		struct dwarf_entry entry = {.unit = unit};

		if (!dwarf_entry_read(unit->abbrevs, abbrev, at, end, &entry.has, entry.values) ||
			!dwarf_reference(&entry, DWARF_SIBLING, &file, ret_offset))
			return false;
	}
	return file == unit->file && *ret_offset > (uint64_t)(at - info) &&
	       *ret_offset <= unit->header.end;
}

/* Bases first: other values depend on them. */
static void unit_understand(
	struct dwarf_unit *unit, const struct dwarf_entry *first, const struct dwarf_unit *skeleton)
{
	const struct dwarf_encoding *e = &unit->header.encoding;
	/* DWARF 5 omits the base in split units: it is behind the table's header. */
	unsigned length_size = e->offset_size == 8 ? 12 : 4;
	bool five = e->version >= 5;

	unit->tag = first->tag;
	unit->str_offsets_base = five ? length_size + 4 : 0;
	unit->rnglists_base = length_size + 8;
	unit->addr_base = five ? length_size + 4 : 0;
	unit->lines = UINT64_MAX;
	if (skeleton) {
		unit->addr_base = skeleton->addr_base;
		unit->gnu_ranges_base = skeleton->gnu_ranges_base;
		unit->low_pc = skeleton->low_pc;
	}
	dwarf_number(first, DWARF_STR_OFFSETS_BASE, &unit->str_offsets_base);
	dwarf_number(first, DWARF_RNGLISTS_BASE, &unit->rnglists_base);
	dwarf_number(first, DWARF_ADDR_BASE, &unit->addr_base);
	dwarf_number(first, DWARF_GNU_RANGES_BASE, &unit->gnu_ranges_base);
	dwarf_address(first, DWARF_LOW_PC, &unit->low_pc);
	dwarf_number(first, DWARF_LINES_AT, &unit->lines);
	dwarf_number(first, DWARF_LANGUAGE, &unit->language);
	if (!unit->header.id)
		dwarf_number(first, DWARF_SPLIT_ID, &unit->header.id);
	unit->directory = dwarf_text(first, DWARF_DIRECTORY);
	unit->name = dwarf_text(first, DWARF_NAME);
	unit->split_name = dwarf_text(first, DWARF_SPLIT_NAME);
}

struct dwarf_unit *dwarf_unit_open(struct dwarf_reader *r, const struct dwarf_file *file,
	uint64_t offset, const struct dwarf_unit *skeleton)
{
	struct dwarf_unit *unit = memory_new(1, sizeof(*unit));
	struct dwarf_entry first;

	unit->file = file;
	if (!r->budget || !dwarf_file_header(file, offset, &unit->header)) {
		memory_free(unit);
		return NULL;
	}
	unit->abbrevs = table_of(r, file, &unit->header);
	if (!dwarf_entry_at(unit, unit->header.first, &first)) {
		dwarf_unit_close(unit);
		return NULL;
	}
	unit_understand(unit, &first, skeleton);
	return unit;
}

void dwarf_unit_close(struct dwarf_unit *unit)
{
	if (!unit)
		return;
	vector_release(&unit->scopes);
	table_drop(unit->abbrevs);
	memory_free(unit);
}

bool dwarf_unit_peek(struct dwarf_reader *r, const struct dwarf_file *file, uint64_t offset,
	struct dwarf_unit *ret_unit, struct dwarf_entry *ret_entry)
{
	struct cursor c = cursor_of(file->sections[DWARF_INFO]);
	struct dwarf_abbrevs table;
	uint64_t spent = 0;
	bool done;

	*ret_unit = (struct dwarf_unit){.file = file};
	if (!r->budget || !dwarf_file_header(file, offset, &ret_unit->header))
		return false;
	cursor_take(&c, ret_unit->header.first);
	dwarf_abbrevs_compile(&table, file->sections[DWARF_ABBREV], ret_unit->header.abbrevs,
		ret_unit->header.encoding, cursor_uleb(&c), &spent);
	dwarf_budget_spend(r, spent);
	ret_unit->abbrevs = &table;
	done = dwarf_entry_at(ret_unit, ret_unit->header.first, ret_entry);
	ret_unit->abbrevs = NULL;
	dwarf_abbrevs_release(&table);
	if (done)
		unit_understand(ret_unit, ret_entry, NULL);
	return done;
}

struct dwarf_unit *dwarf_unit_of(
	struct dwarf_reader *r, const struct dwarf_file *file, uint64_t offset)
{
	struct dwarf_unit *unit = r->current, **slot;
	uint64_t at;

	if (unit && unit->file == file && offset >= unit->header.first && offset < unit->header.end)
		return unit;
	if (!dwarf_file_unit_at(file, offset, &at))
		return NULL;
	slot = &r->units[hash_pair((uintptr_t)file, at) % DWARF_UNITS_CACHED];
	if (*slot && (*slot)->file == file && (*slot)->header.offset == at)
		return *slot;
	if (!dwarf_budget_spend(r, 1))
		return NULL;
	if (*slot)
		vector_push(&r->dropped, *slot);
	*slot = dwarf_unit_open(r, file, at, NULL);
	return *slot;
}

void dwarf_reader_free_dropped(struct dwarf_reader *r)
{
	for (size_t i = 0; i < r->dropped.len; i++)
		dwarf_unit_close(r->dropped.items[i]);
	r->dropped.len = 0;
}

void dwarf_reader_clear(struct dwarf_reader *r)
{
	dwarf_reader_free_dropped(r);
	for (size_t i = 0; i < DWARF_UNITS_CACHED; i++) {
		dwarf_unit_close(r->units[i]);
		r->units[i] = NULL;
	}
	for (size_t i = 0; i < DWARF_TABLES_CACHED; i++) {
		table_drop(r->tables[i]);
		r->tables[i] = NULL;
	}
}

void dwarf_reader_release(struct dwarf_reader *r)
{
	dwarf_reader_clear(r);
	vector_release(&r->dropped);
}
