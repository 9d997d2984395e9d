/* fuzz_symbols.c: the symbol tables, linkage tables and inner debug data of any ELF file. */
#include "images/kernel.h"
#include "images/symbols.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The found function must contain the address, and begin at its own start. */
static void check(const struct symbols *symbols, uint64_t address)
{
	struct symbol found;
	struct buffer text = {0};

	if (!symbols_find(symbols, address, &found))
		return;
	if (address < found.start || address >= found.end || !found.name.len)
		abort();
	symbol_text(&found, &text);
	buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct image *image =
		image_open_bytes((struct bytes){(const char *)data, size}, "fuzz", &err);
	struct symbols *symbols = image ? symbols_load(image, NULL) : NULL;

	for (size_t i = 0; symbols && i < symbols_count(symbols); i++) {
		struct symbol symbol = symbols_at(symbols, i);
		struct symbol found;

		if (i && symbols_at(symbols, i - 1).start >= symbol.start)
			abort();
		if (!symbols_find(symbols, symbol.start, &found) || found.start != symbol.start)
			abort();
		check(symbols, symbol.start + 1);
		check(symbols, symbol.end - 1);
		check(symbols, symbol.end);
	}
	for (uint64_t address = 0; symbols && address < 0x5000; address += 8)
		check(symbols, address);
	symbols_release(symbols);
	if (image)
		kernel_release(kernel_of_image(image, &err));
	image_release(image);
	return 0;
}
