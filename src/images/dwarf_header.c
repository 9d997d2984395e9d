/* dwarf_header.c: what does the header of a unit of .debug_info say? */
#include "images/dwarf_header.h"

#include <dwarf.h>

static bool header_kind_read(struct cursor *c, bool types, struct dwarf_header *h)
{
	struct dwarf_encoding *e = &h->encoding;
	uint64_t version = cursor_fixed(c, 2);

	if (version < 2 || version > 5)
		return false;
	e->version = (uint8_t)version;
	if (version == 5) {
		h->kind = cursor_u8(c);
		e->address_size = cursor_u8(c);
		h->abbrevs = cursor_fixed(c, e->offset_size);
		if (h->kind == DW_UT_skeleton || h->kind == DW_UT_split_compile)
			h->id = cursor_fixed(c, 8);
	} else {
		h->abbrevs = cursor_fixed(c, e->offset_size);
		e->address_size = cursor_u8(c);
		h->kind = types ? DW_UT_type : DW_UT_compile;
	}
	if (h->kind == DW_UT_type || h->kind == DW_UT_split_type) {
		h->id = cursor_fixed(c, 8);
		h->type = h->offset + cursor_fixed(c, e->offset_size);
	}
	return !c->bad && (e->address_size == 4 || e->address_size == 8) &&
	       h->kind >= DW_UT_compile && h->kind <= DW_UT_split_type;
}

bool dwarf_header_read(
	struct bytes info, bool types, uint64_t offset, struct dwarf_header *ret_header)
{
	struct cursor c = cursor_of(info);
	uint64_t length;

	*ret_header = (struct dwarf_header){.offset = offset, .encoding.offset_size = 4};
	cursor_take(&c, offset);
	length = cursor_fixed(&c, 4);
	if (length == 0xffffffff) {
		ret_header->encoding.offset_size = 8;
		length = cursor_fixed(&c, 8);
	} else if (length >= 0xfffffff0) {
		return false;
	}
	if (c.bad || length > cursor_left(&c))
		return false;
	c.end = c.at + length;
	ret_header->end = (uint64_t)(c.end - (const uint8_t *)info.at);
	if (!header_kind_read(&c, types, ret_header))
		return false;
	ret_header->first = (uint64_t)(c.at - (const uint8_t *)info.at);
	return true;
}
