/* fuzz_cfi.c: damaged .eh_frame, .eh_frame_hdr and .debug_frame; what is exported is what is found.
 *
 * The first byte says which: bit 0 .debug_frame, bit 1 with a search table, whose size is the
 * second byte times 4, at the start of the rest. */
#include "images/cfi_table.h"
#include "support/small_elf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(struct cfi *cfi, const struct cfi_table *table, uint64_t address)
{
	const struct cfi_table_rule *exported = cfi_table_find(table, address);
	const struct cfi_rule *found = cfi_find(cfi, address);

	if ((exported->cfa_how == CFI_UNDEFINED) != !found)
		abort();
	if (found && found->cfa.how != CFI_EXPRESSION &&
		(found->cfa.how != exported->cfa_how || found->cfa.offset != exported->cfa_offset ||
			found->cfa.base != exported->cfa_base || found->signal != exported->signal))
		abort();
}

static void compare_rows(struct cfi *cfi, const struct cfi_table *table)
{
	for (size_t page = 0; page < table->page_count && page < 64; page++) {
		for (size_t row = table->pages[page]; row < table->pages[page + 1]; row++) {
			uint64_t address =
				table->start + (page << CFI_TABLE_PAGE_BITS) + table->rows[row].pc;

			compare(cfi, table, address);
			compare(cfi, table, address - 1);
		}
	}
}

static void open_tables(struct bytes file)
{
	struct error err = {0};
	struct image *image = image_open_bytes(file, "fuzz", &err);
	struct cfi_table table;
	struct cfi *cfi;

	if (!image)
		return;
	cfi = cfi_open(image);
	for (uint64_t address = SMALL_ELF_CODE; address < SMALL_ELF_CODE_END; address += 251)
		cfi_find(cfi, address);
	if (cfi_table_build(cfi, &table, &err)) {
		compare_rows(cfi, &table);
		cfi_table_release(&table);
	}
	cfi_release(cfi);
	image_release(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes rest = {(const char *)data + 2, size - 2}, header = {0};
	struct buffer file = {0};

	if (size < 3)
		return 0;
	if (data[0] & 2) {
		header.at = rest.at;
		header.len = data[1] * 4u < rest.len ? data[1] * 4u : rest.len;
		rest.at += header.len;
		rest.len -= header.len;
	}
	small_elf(&file, rest, data[0] & 1, header);
	open_tables(buffer_bytes(&file));
	buffer_release(&file);
	return 0;
}
