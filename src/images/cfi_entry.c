/* cfi_entry.c: what does an entry of .eh_frame or .debug_frame say? */
#include "images/cfi_entry.h"

#include "base/cursor.h"

#include <dwarf.h>

#define EH_PE_ALIGNED 0x50

/* The header of an entry: where its body starts, its extent, its id. */
struct entry {
	struct cursor body; /* behind the id */
	uint64_t id_offset; /* in the section */
	uint64_t id;
	bool is_cie;
};

static uint64_t offset_of(const struct cfi_section *section, const uint8_t *at)
{
	return (uint64_t)(at - (const uint8_t *)section->content.at);
}

static enum cfi_kind read_entry(
	const struct cfi_section *section, uint64_t *offset, struct entry *ret_entry)
{
	struct cursor c = cursor_of(section->content);
	uint64_t len;
	unsigned size = 4;

	if (*offset >= section->content.len)
		return CFI_KIND_END;
	c.at += *offset;
	len = cursor_fixed(&c, 4);
	if (len == 0xffffffff) {
		size = 8;
		len = cursor_fixed(&c, 8);
	}
	if (!len && !c.bad) {
		*offset = offset_of(section, c.at);
		return section->debug ? CFI_KIND_DAMAGED : CFI_KIND_END;
	}
	if (c.bad || len > cursor_left(&c) || len < size)
		return CFI_KIND_DAMAGED;
	c.end = c.at + len;
	*offset = offset_of(section, c.end);
	ret_entry->id_offset = offset_of(section, c.at);
	/* In .eh_frame the id has 4 bytes, whatever the size of the length. */
	ret_entry->id = cursor_fixed(&c, section->debug ? size : 4);
	ret_entry->body = c;
	ret_entry->is_cie = section->debug ? ret_entry->id == (size == 8 ? UINT64_MAX : UINT32_MAX)
					   : ret_entry->id == 0;
	return ret_entry->is_cie ? CFI_KIND_CIE : CFI_KIND_FDE;
}

enum cfi_kind cfi_entry_kind(const struct cfi_section *section, uint64_t *offset)
{
	struct entry entry;

	return read_entry(section, offset, &entry);
}

bool cfi_read_pointer(const struct cfi_section *section, struct cursor *c, uint8_t encoding,
	uint64_t data, uint64_t *ret_value)
{
	uint64_t here = section->address + offset_of(section, c->at), value;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = cursor_fixed(c, 8);
		break;
	case DW_EH_PE_uleb128:
		value = cursor_uleb(c);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)cursor_sleb(c);
		break;
	case DW_EH_PE_udata2:
		value = cursor_fixed(c, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)cursor_signed(c, 2);
		break;
	case DW_EH_PE_udata4:
		value = cursor_fixed(c, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)cursor_signed(c, 4);
		break;
	default:
		return false;
	}
	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		value += here;
		break;
	case DW_EH_PE_datarel:
		value += data;
		break;
	default:
		return false;
	}
	*ret_value = value;
	return !c->bad;
}

/* Skip a personality routine, whose encoding may be one that we cannot evaluate. */
static bool skip_pointer(const struct cfi_section *section, struct cursor *c)
{
	uint8_t encoding = cursor_u8(c);
	uint64_t ignored;

	if (encoding == DW_EH_PE_omit)
		return true;
	if (encoding == EH_PE_ALIGNED) {
		uint64_t address = section->address + offset_of(section, c->at);

		cursor_take(c, (0 - address) & 7);
		cursor_fixed(c, 8);
		return !c->bad;
	}
	return cfi_read_pointer(section, c, encoding & 0x0f, 0, &ignored);
}

/* The letters of the augmentation string, each with its data. */
static bool read_augmentation(const struct cfi_section *section, struct bytes letters,
	struct cursor *c, struct cfi_cie *cie)
{
	struct bytes data;
	struct cursor d;

	if (!letters.len)
		return true;
	if (letters.at[0] != 'z')
		return false;
	cie->augmented = true;
	data = cursor_take(c, cursor_uleb(c));
	d = cursor_of(data);
	for (size_t i = 1; i < letters.len; i++) {
		switch (letters.at[i]) {
		case 'R':
			cie->fde_encoding = cursor_u8(&d);
			break;
		case 'L':
			cursor_u8(&d);
			break;
		case 'P':
			if (!skip_pointer(section, &d))
				return false;
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* aarch64: the key that signs return addresses */
		case 'G': /* aarch64: tagged stack */
			break;
		default:
			/* Stop at an unknown letter; the length after 'z' has given the end of the
			 * data. */
			return !d.bad;
		}
	}
	return !d.bad;
}

bool cfi_read_cie(const struct cfi_section *section, uint64_t offset, struct cfi_cie *ret_cie)
{
	struct cfi_cie cie = {.offset = offset, .fde_encoding = DW_EH_PE_absptr};
	struct bytes letters;
	struct entry entry;
	struct cursor *c = &entry.body;
	uint64_t column;
	uint8_t version;

	if (read_entry(section, &offset, &entry) != CFI_KIND_CIE)
		return false;
	version = cursor_u8(c);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = cursor_text(c);
	if (version == 4) {
		uint8_t address_size = cursor_u8(c), segment_size = cursor_u8(c);

		if (address_size != 8 || segment_size)
			return false;
	}
	cie.code_align = cursor_uleb(c);
	cie.data_align = cursor_sleb(c);
	column = version == 1 ? cursor_u8(c) : cursor_uleb(c);
	if (c->bad || column >= ARCH_COLUMNS_LIMIT ||
		!read_augmentation(section, letters, c, &cie) || c->bad)
		return false;
	cie.return_column = (uint8_t)column;
	cie.program = (struct bytes){(const char *)c->at, cursor_left(c)};
	*ret_cie = cie;
	return true;
}

bool cfi_fde_cie(const struct cfi_section *section, uint64_t offset, uint64_t *ret_cie_offset)
{
	struct entry entry;

	if (read_entry(section, &offset, &entry) != CFI_KIND_FDE)
		return false;
	*ret_cie_offset = section->debug ? entry.id : entry.id_offset - entry.id;
	return *ret_cie_offset < section->content.len;
}

bool cfi_read_fde(const struct cfi_section *section, uint64_t offset, const struct cfi_cie *cie,
	struct cfi_fde *ret_fde)
{
	struct entry entry;
	struct cursor *c = &entry.body;
	uint64_t start, size;

	if (read_entry(section, &offset, &entry) != CFI_KIND_FDE)
		return false;
	if (!cfi_read_pointer(section, c, cie->fde_encoding, 0, &start) ||
		cie->fde_encoding & DW_EH_PE_indirect ||
		!cfi_read_pointer(section, c, cie->fde_encoding & 0x0f, 0, &size))
		return false;
	if (cie->augmented)
		cursor_take(c, cursor_uleb(c));
	if (c->bad || start + size < start)
		return false;
	*ret_fde = (struct cfi_fde){
		start, start + size, cie->offset, {(const char *)c->at, cursor_left(c)}};
	return true;
}
