/* cfi_index.c: which entry of a section covers an address?
 *
 * .eh_frame_hdr has a sorted table of (start, entry), written by the linker: binary search in
 * the file itself, nothing to build. It is checked to be sorted, since a wrong table would lead
 * to wrong stacks without an error. If it is missing, unsorted or in another encoding, and for
 * .debug_frame, all entries of the section are listed and sorted once. */
#include "images/cfi_index.h"

#include "base/cursor.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

#define TABLE_ROW 8 /* bytes: start and entry, both DW_EH_PE_datarel | DW_EH_PE_sdata4 */

static int64_t table_word(const struct cfi_index *index, size_t i, size_t word)
{
	int32_t value;

	memcpy(&value, index->table.at + i * TABLE_ROW + word * 4, 4);
	return value;
}

struct cfi_index_entry cfi_index_at(const struct cfi_index *index, size_t i)
{
	if (index->entries)
		return index->entries[i];
	return (struct cfi_index_entry){index->table_base + (uint64_t)table_word(index, i, 0),
		index->table_base + (uint64_t)table_word(index, i, 1) - index->section.address};
}

size_t cfi_index_find(const struct cfi_index *index, uint64_t address)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi_index_at(index, middle).start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1; /* SIZE_MAX if low is 0 */
}

static bool table_is_sorted(const struct cfi_index *index)
{
	for (size_t i = 1; i < index->count; i++) {
		if (table_word(index, i - 1, 0) > table_word(index, i, 0))
			return false;
	}
	return true;
}

/* Version, three encodings, the address of .eh_frame, the number of rows, the rows. */
static bool read_header(
	struct cfi_index *index, struct bytes header, uint64_t address, uint64_t *ret_eh_frame)
{
	struct cfi_section as_section = {.content = header, .address = address};
	struct cursor c = cursor_of(header);
	uint8_t version = cursor_u8(&c), frame_encoding = cursor_u8(&c),
		count_encoding = cursor_u8(&c), table_encoding = cursor_u8(&c);
	uint64_t count;

	if (version != 1 ||
		!cfi_read_pointer(&as_section, &c, frame_encoding, address, ret_eh_frame))
		return false;
	if (count_encoding == DW_EH_PE_omit ||
		table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
		!cfi_read_pointer(&as_section, &c, count_encoding, address, &count) ||
		count > cursor_left(&c) / TABLE_ROW)
		return true;
	index->table = (struct bytes){(const char *)c.at, (size_t)count * TABLE_ROW};
	index->table_base = address;
	index->count = (size_t)count;
	if (!table_is_sorted(index))
		index->count = 0;
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct cfi_index_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* List every entry of the section; an unreadable one is left out, a damaged length ends the
 * list. */
static void index_section(struct cfi_index *index)
{
	const struct cfi_section *section = &index->section;
	VECTOR(struct cfi_index_entry) found = {0};
	struct cfi_cie cie = {.offset = UINT64_MAX};
	uint64_t next = 0, at = 0;
	enum cfi_kind kind;

	while ((kind = cfi_entry_kind(section, &next)) >= CFI_KIND_CIE) {
		uint64_t cie_offset;
		struct cfi_fde fde;

		if (kind == CFI_KIND_FDE && cfi_fde_cie(section, at, &cie_offset) &&
			(cie.offset == cie_offset || cfi_read_cie(section, cie_offset, &cie)) &&
			cfi_read_fde(section, at, &cie, &fde) && fde.start < fde.end)
			vector_push(&found, ((struct cfi_index_entry){fde.start, at}));
		at = next;
	}
	if (found.len)
		qsort(found.items, found.len, sizeof(*found.items), compare_entries);
	index->entries = found.items;
	index->count = found.len;
}

void cfi_index_eh_frame(struct cfi_index *index, const struct image *image)
{
	const struct image_section *section = image_section(image, ".eh_frame");
	uint64_t address, eh_frame;
	struct bytes header = image_segment(image, PT_GNU_EH_FRAME, &address);

	*index = (struct cfi_index){0};
	if (section && section->content.len) {
		index->section.content = section->content;
		index->section.address = section->address;
	}
	if (header.len && read_header(index, header, address, &eh_frame)) {
		/* If the section table was stripped, the header is the only source. */
		if (!index->section.content.len)
			index->section = (struct cfi_section){
				.content = image_at(image, eh_frame), .address = eh_frame};
	}
	if (!index->section.content.len)
		index->count = 0;
	else if (!index->count)
		index_section(index);
}

void cfi_index_debug_frame(struct cfi_index *index, const struct image *image)
{
	const struct image_section *section = image_section(image, ".debug_frame");

	*index = (struct cfi_index){.section.debug = true};
	if (!section || !section->content.len)
		return;
	index->section.content = section->content;
	index_section(index);
}

void cfi_index_release(struct cfi_index *index)
{
	memory_free(index->entries);
	*index = (struct cfi_index){0};
}
