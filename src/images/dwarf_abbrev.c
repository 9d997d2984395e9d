/* dwarf_abbrev.c: how long is an entry of .debug_info, and where in it are its attributes? */
#include "images/dwarf_abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

/* ---- Forms ---- */

#define SIZE_LEB       (-1)
#define SIZE_TEXT      (-2)
#define SIZE_BLOCK_LEB (-3)
#define SIZE_OTHER     (-4) /* the size precedes the value, or the form does */
#define SIZE_UNKNOWN   (-5)

/* Size in bytes, or one of the above. */
static int form_size(uint64_t form, struct dwarf_encoding encoding)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return encoding.address_size;
	case DW_FORM_ref_addr:
		return encoding.version <= 2 ? encoding.address_size : encoding.offset_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return encoding.offset_size;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return SIZE_LEB;
	case DW_FORM_string:
		return SIZE_TEXT;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return SIZE_BLOCK_LEB;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_indirect:
		return SIZE_OTHER;
	default:
		return SIZE_UNKNOWN;
	}
}

static void value_skip(struct cursor *c, uint64_t form, struct dwarf_encoding encoding);

static void skip_indirect(struct cursor *c, struct dwarf_encoding encoding)
{
	uint64_t form = cursor_uleb(c);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
		c->bad = true;
	else
		value_skip(c, form, encoding);
}

/* An unknown form makes the cursor bad. */
static void value_skip(struct cursor *c, uint64_t form, struct dwarf_encoding encoding)
{
	int size = form_size(form, encoding);

	if (size >= 0)
		cursor_take(c, (uint64_t)size);
	else if (size == SIZE_LEB)
		cursor_uleb(c);
	else if (size == SIZE_TEXT)
		cursor_text(c);
	else if (size == SIZE_BLOCK_LEB)
		cursor_take(c, cursor_uleb(c));
	else if (form == DW_FORM_indirect)
		skip_indirect(c, encoding);
	else if (size == SIZE_OTHER)
		cursor_take(c, cursor_fixed(c, form == DW_FORM_block1	? 1
					       : form == DW_FORM_block2 ? 2
									: 4));
	else
		c->bad = true;
}

bool dwarf_value_read(struct cursor *c, uint64_t form, int64_t implicit,
	struct dwarf_encoding encoding, struct dwarf_value *ret_value)
{
	int size;

	if (form == DW_FORM_indirect) {
		form = cursor_uleb(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			c->bad = true;
	}
	size = form_size(form, encoding);
	ret_value->form = (uint32_t)form;
	if (form == DW_FORM_implicit_const)
		ret_value->number = (uint64_t)implicit;
	else if (form == DW_FORM_flag_present)
		ret_value->number = 1;
	else if (form == DW_FORM_sdata)
		ret_value->number = (uint64_t)cursor_sleb(c);
	else if (size == SIZE_LEB)
		ret_value->number = cursor_uleb(c);
	else if (size == SIZE_TEXT)
		ret_value->text = (const uint8_t *)cursor_text(c).at;
	else if (size >= 1 && size <= 8)
		ret_value->number = cursor_fixed(c, (unsigned)size);
	else
		form = 0;
	if (form)
		return !c->bad;
	value_skip(c, ret_value->form, encoding);
	return false;
}

/* ---- Compiling ---- */

static unsigned slot_of(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_sibling:
		return DWARF_SIBLING;
	case DW_AT_name:
		return DWARF_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return DWARF_LINKAGE_NAME;
	case DW_AT_low_pc:
		return DWARF_LOW_PC;
	case DW_AT_high_pc:
		return DWARF_HIGH_PC;
	case DW_AT_ranges:
		return DWARF_RANGES_AT;
	case DW_AT_abstract_origin:
		return DWARF_ORIGIN;
	case DW_AT_specification:
		return DWARF_SPECIFICATION;
	case DW_AT_signature:
		return DWARF_SIGNATURE;
	case DW_AT_call_file:
		return DWARF_CALL_FILE;
	case DW_AT_call_line:
		return DWARF_CALL_LINE;
	case DW_AT_stmt_list:
		return DWARF_LINES_AT;
	case DW_AT_comp_dir:
		return DWARF_DIRECTORY;
	case DW_AT_language:
		return DWARF_LANGUAGE;
	case DW_AT_str_offsets_base:
		return DWARF_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return DWARF_ADDR_BASE;
	case DW_AT_rnglists_base:
		return DWARF_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return DWARF_GNU_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return DWARF_SPLIT_NAME;
	case DW_AT_GNU_dwo_id:
		return DWARF_SPLIT_ID;
	default:
		return DWARF_SLOTS;
	}
}

static void step_push(struct dwarf_abbrevs *table, uint32_t *fixed, struct dwarf_step step)
{
	step.fixed = *fixed;
	*fixed = 0;
	vector_push(&table->steps, step);
}

static uint8_t kind_of(int size)
{
	switch (size) {
	case SIZE_LEB:
		return DWARF_STEP_LEB;
	case SIZE_TEXT:
		return DWARF_STEP_TEXT;
	case SIZE_BLOCK_LEB:
		return DWARF_STEP_BLOCK_LEB;
	default:
		return DWARF_STEP_OTHER;
	}
}

struct attribute {
	uint64_t name, form;
	int64_t implicit;
};

/* The next attribute of a list; false at its end and when it is damaged. */
static bool attribute_next(struct cursor *c, struct attribute *a)
{
	a->name = cursor_uleb(c);
	a->form = cursor_uleb(c);
	a->implicit = a->form == DW_FORM_implicit_const ? cursor_sleb(c) : 0;
	return !c->bad && (a->name || a->form);
}

/* Compile the list under the cursor, either to skip an entry or to read attributes with a slot
 * (the first, if several have the same slot). Returns the bytes to add at the end. */
static uint32_t compile_list(
	struct dwarf_abbrevs *table, struct cursor *c, bool reading, struct dwarf_abbrev *abbrev)
{
	size_t before = table->steps.len;
	struct attribute a;
	uint32_t fixed = 0, seen = 0;

	while (attribute_next(c, &a)) {
		unsigned slot = slot_of(a.name);
		int size = form_size(a.form, table->encoding);
		/* An attribute that cannot be skipped fails when an entry has it: form 0 does
		 * not exist. */
		struct dwarf_step step = {.kind = (uint8_t)kind_of(size),
			.slot = (uint8_t)slot,
			.form = size == SIZE_UNKNOWN ? 0 : (uint16_t)a.form,
			.implicit = a.implicit};

		if (slot == DWARF_SIBLING && a.form == DW_FORM_ref4 && !reading &&
			table->steps.len == before)
			abbrev->sibling = fixed;
		if (reading && slot != DWARF_SLOTS && !(seen & DWARF_HAS(slot))) {
			step.kind = size == 4 ? DWARF_STEP_READ4 : DWARF_STEP_READ;
			step_push(table, &fixed, step);
		} else if (size >= 0) {
			fixed += (uint32_t)size;
		} else {
			step_push(table, &fixed, step);
		}
		if (slot != DWARF_SLOTS)
			seen |= DWARF_HAS(slot);
		if (table->steps.len > DWARF_STEPS_LIMIT || fixed > UINT32_MAX / 2)
			c->bad = true;
	}
	abbrev->slots |= seen;
	return fixed;
}

static void compile_skip(struct dwarf_abbrevs *table, struct cursor *c, struct dwarf_abbrev *abbrev)
{
	uint32_t left;

	abbrev->skip = (uint32_t)table->steps.len;
	left = compile_list(table, c, false, abbrev);
	if (table->steps.len == abbrev->skip) {
		abbrev->fixed = left;
		return;
	}
	if (left)
		step_push(table, &left, (struct dwarf_step){.kind = DWARF_STEP_FIXED});
	abbrev->skip_count = (uint32_t)table->steps.len - abbrev->skip;
}

static void compile_reading(struct dwarf_abbrevs *table, struct dwarf_abbrev *abbrev)
{
	struct cursor c = cursor_of(table->section);
	uint32_t left;

	cursor_take(&c, abbrev->attributes);
	abbrev->reading = (uint32_t)table->steps.len;
	left = compile_list(table, &c, true, abbrev);
	step_push(table, &left, (struct dwarf_step){.kind = DWARF_STEP_FIXED});
	abbrev->reading_count = (uint32_t)table->steps.len - abbrev->reading;
}

static int compare_codes(const void *a, const void *b)
{
	const struct dwarf_abbrev *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

void dwarf_abbrevs_compile(struct dwarf_abbrevs *table, struct bytes section, uint64_t offset,
	struct dwarf_encoding encoding, uint64_t only, uint64_t *spent)
{
	struct cursor c = cursor_of(section);
	const uint8_t *start;

	*table = (struct dwarf_abbrevs){
		.section = section, .offset = offset, .encoding = encoding, .dense = true};
	cursor_take(&c, offset);
	start = c.at;
	while (!c.bad && table->items.len < DWARF_ABBREVS_LIMIT) {
		struct dwarf_abbrev abbrev = {.code = cursor_uleb(&c), .sibling = DWARF_NO_SIBLING};

		if (!abbrev.code)
			break;
		abbrev.tag = (uint16_t)cursor_uleb(&c);
		abbrev.children = cursor_u8(&c) == DW_CHILDREN_yes;
		abbrev.attributes = (uint64_t)(c.at - (const uint8_t *)section.at);
		compile_skip(table, &c, &abbrev);
		if (c.bad)
			break;
		table->dense &= abbrev.code == table->items.len + 1;
		vector_push(&table->items, abbrev);
		if (abbrev.code == only)
			break;
	}
	*spent += (uint64_t)(c.at - start);
	if (!table->dense)
		qsort(table->items.items, table->items.len, sizeof(*table->items.items),
			compare_codes);
}

void dwarf_abbrevs_release(struct dwarf_abbrevs *table)
{
	vector_release(&table->items);
	vector_release(&table->steps);
}

struct dwarf_abbrev *dwarf_abbrev_search(const struct dwarf_abbrevs *table, uint64_t code)
{
	struct dwarf_abbrev key = {.code = code};

	return table->items.len ? bsearch(&key, table->items.items, table->items.len,
					  sizeof(*table->items.items), compare_codes)
				: NULL;
}

/* ---- Running ---- */

static const uint8_t *leb_skip(const uint8_t *at, const uint8_t *end)
{
	while (at < end && *at & 0x80)
		at++;
	return at < end ? at + 1 : NULL;
}

static const uint8_t *block_skip(const uint8_t *at, const uint8_t *end)
{
	struct cursor c = {at, end, false};

	cursor_take(&c, cursor_uleb(&c));
	return c.bad ? NULL : c.at;
}

static const uint8_t *other_skip(
	uint64_t form, struct dwarf_encoding encoding, const uint8_t *at, const uint8_t *end)
{
	struct cursor c = {at, end, false};

	value_skip(&c, form, encoding);
	return c.bad ? NULL : c.at;
}

/* Skip a value that is not read. */
static inline const uint8_t *step_skip(const struct dwarf_step *step,
	struct dwarf_encoding encoding, const uint8_t *at, const uint8_t *end)
{
	switch (step->kind) {
	case DWARF_STEP_FIXED:
		return at;
	case DWARF_STEP_LEB:
		return leb_skip(at, end);
	case DWARF_STEP_TEXT:
		at = memchr(at, 0, (size_t)(end - at));
		return at ? at + 1 : NULL;
	case DWARF_STEP_BLOCK_LEB:
		if (at < end && *at < 0x80)
			return (size_t)(end - at) > *at ? at + 1 + *at : NULL;
		return block_skip(at, end);
	default:
		return other_skip(step->form, encoding, at, end);
	}
}

const uint8_t *dwarf_steps_skip(const struct dwarf_abbrevs *table,
	const struct dwarf_abbrev *abbrev, const uint8_t *at, const uint8_t *end)
{
	const struct dwarf_step *step = &table->steps.items[abbrev->skip];

	for (uint32_t left = abbrev->skip_count; left; left--, step++) {
		if ((size_t)(end - at) < step->fixed)
			return NULL;
		at = step_skip(step, table->encoding, at + step->fixed, end);
		if (!at)
			return NULL;
	}
	return at;
}

const uint8_t *dwarf_entry_read(struct dwarf_abbrevs *table, struct dwarf_abbrev *abbrev,
	const uint8_t *at, const uint8_t *end, uint32_t *ret_has, struct dwarf_value *ret_values)
{
	const struct dwarf_step *step;

	*ret_has = 0;
	if (!abbrev->reading_count)
		compile_reading(table, abbrev);
	step = &table->steps.items[abbrev->reading];
	for (uint32_t left = abbrev->reading_count; left; left--, step++) {
		struct cursor c;

		if ((size_t)(end - at) < step->fixed)
			return NULL;
		at += step->fixed;
		if (step->kind == DWARF_STEP_READ4 && end - at >= 4) {
			uint32_t number;

			memcpy(&number, at, sizeof(number));
			at += sizeof(number);
			ret_values[step->slot].form = step->form;
			ret_values[step->slot].number = number;
			*ret_has |= DWARF_HAS(step->slot);
			continue;
		}
		if (step->kind < DWARF_STEP_READ) {
			at = step_skip(step, table->encoding, at, end);
			if (!at)
				return NULL;
			continue;
		}
		c = (struct cursor){at, end, false};
		if (dwarf_value_read(&c, step->form, step->implicit, table->encoding,
			    &ret_values[step->slot]))
			*ret_has |= DWARF_HAS(step->slot);
		if (c.bad)
			return NULL;
		at = c.at;
	}
	return at;
}
