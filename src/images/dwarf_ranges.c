/* dwarf_ranges.c: which addresses does an entry cover? */
#include "images/dwarf_ranges.h"

#include <dwarf.h>

static void start_list(struct dwarf_ranges *ranges, bool five, uint64_t offset)
{
	const struct dwarf_file *file = ranges->unit->file;

	ranges->at = cursor_of(file->sections[five ? DWARF_RNGLISTS : DWARF_RANGES]);
	cursor_take(&ranges->at, offset);
	ranges->base = ranges->unit->low_pc;
	ranges->how = five ? DWARF_RANGES_NEW : DWARF_RANGES_OLD;
}

/* Start with the list that DW_AT_ranges refers to. */
static void start_ranges(struct dwarf_ranges *ranges, const struct dwarf_entry *entry)
{
	const struct dwarf_unit *unit = entry->unit;
	const struct dwarf_value *value = &entry->values[DWARF_RANGES_AT];
	uint64_t offset = value->number;

	if (value->form == DW_FORM_rnglistx) {
		if (!dwarf_table_number(unit->file->sections[DWARF_RNGLISTS], unit->rnglists_base,
			    value->number, unit->header.encoding.offset_size, &offset))
			return;
		offset += unit->rnglists_base;
	} else if (!dwarf_number(entry, DWARF_RANGES_AT, &offset)) {
		return;
	}
	if (unit->header.encoding.version == 5)
		start_list(ranges, true, offset);
	else
		start_list(
			ranges, false, unit->file->split ? offset + unit->gnu_ranges_base : offset);
}

void dwarf_ranges_start(
	struct dwarf_reader *r, const struct dwarf_entry *entry, struct dwarf_ranges *ret_ranges)
{
	uint64_t high;

	*ret_ranges = (struct dwarf_ranges){.reader = r, .unit = entry->unit};
	if (entry->has & DWARF_HAS(DWARF_RANGES_AT)) {
		start_ranges(ret_ranges, entry);
		return;
	}
	if (!dwarf_address(entry, DWARF_LOW_PC, &ret_ranges->start))
		return;
	if (dwarf_address(entry, DWARF_HIGH_PC, &ret_ranges->end))
		ret_ranges->how = DWARF_RANGES_ONE;
	else if (dwarf_number(entry, DWARF_HIGH_PC, &high)) { /* since DWARF 4 a size */
		ret_ranges->end = ret_ranges->start + high;
		ret_ranges->how = DWARF_RANGES_ONE;
	}
}

/* One entry of .debug_ranges; false at the end of the list. */
static bool step_old(struct dwarf_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end)
{
	unsigned size = ranges->unit->header.encoding.address_size;
	uint64_t select = size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t start = cursor_fixed(&ranges->at, size), end = cursor_fixed(&ranges->at, size);

	*ret_start = *ret_end = 0;
	if (!start && !end)
		return false;
	if (start == select) {
		ranges->base = end;
		return true;
	}
	*ret_start = ranges->base + start;
	*ret_end = ranges->base + end;
	return true;
}

static uint64_t indexed_address(struct dwarf_ranges *ranges)
{
	const struct dwarf_unit *unit = ranges->unit;
	uint64_t address = 0;

	if (!dwarf_table_number(unit->file->sections[DWARF_ADDR], unit->addr_base,
		    cursor_uleb(&ranges->at), unit->header.encoding.address_size, &address))
		ranges->at.bad = true;
	return address;
}

/* One entry of .debug_rnglists; false at the end of the list. */
static bool step_new(struct dwarf_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end)
{
	struct cursor *c = &ranges->at;
	unsigned size = ranges->unit->header.encoding.address_size;
	uint8_t kind = cursor_u8(c);

	*ret_start = *ret_end = 0;
	switch (kind) {
	case DW_RLE_base_addressx:
		ranges->base = indexed_address(ranges);
		return true;
	case DW_RLE_base_address:
		ranges->base = cursor_fixed(c, size);
		return true;
	case DW_RLE_startx_endx:
		*ret_start = indexed_address(ranges);
		*ret_end = indexed_address(ranges);
		return true;
	case DW_RLE_startx_length:
		*ret_start = indexed_address(ranges);
		*ret_end = *ret_start + cursor_uleb(c);
		return true;
	case DW_RLE_offset_pair:
		*ret_start = ranges->base + cursor_uleb(c);
		*ret_end = ranges->base + cursor_uleb(c);
		return true;
	case DW_RLE_start_end:
		*ret_start = cursor_fixed(c, size);
		*ret_end = cursor_fixed(c, size);
		return true;
	case DW_RLE_start_length:
		*ret_start = cursor_fixed(c, size);
		*ret_end = *ret_start + cursor_uleb(c);
		return true;
	default:
		return false;
	}
}

bool dwarf_ranges_next(struct dwarf_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start = ranges->start, end = ranges->end;
	bool more = ranges->how == DWARF_RANGES_ONE;

	if (more) {
		ranges->how = DWARF_RANGES_DONE;
		more = start && start < end;
	}
	while (!more && ranges->how != DWARF_RANGES_DONE) {
		bool stepped = ranges->how == DWARF_RANGES_NEW ? step_new(ranges, &start, &end)
							       : step_old(ranges, &start, &end);

		if (!stepped || ranges->at.bad || !dwarf_budget_spend(ranges->reader, 1))
			ranges->how = DWARF_RANGES_DONE;
		else
			more = start && start < end;
	}
	if (more) {
		*ret_start = start;
		*ret_end = end;
	}
	return more;
}
