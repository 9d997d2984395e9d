/* fuzz_kallsyms.c: any text as /proc/kallsyms; what is found has to be around the address, and the
 * same when the symbols have been kept. Any other file of kept symbols, with a right checksum. */
#include "base/hash.h"
#include "base/memory.h"
#include "images/kernel.h"
#include "images/kernel_kept.h"
#include "images/kernel_rows.h"

#include <assert.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_kept(const struct kernel *k)
{
	static const struct kernel_key key;
	struct kernel kept = {0};
	struct buffer file = {0};

	kernel_kept_make(k, &key, &file);
	assert(kernel_kept_take(&kept, buffer_bytes(&file)));
	assert(kept.rows.len == k->rows.len && kept.text_start == k->text_start);
	for (size_t i = 0; i < k->rows.len; i++) {
		uint64_t address = k->rows.items[i].address;
		struct kernel_symbol a, b;

		assert(kernel_find(k, address, &a) && kernel_find(&kept, address, &b));
		assert(bytes_equal(a.name, b.name) && bytes_equal(a.module, b.module));
		assert(a.start == b.start && a.end == b.end);
	}
	vector_release(&kept.modules);
	buffer_release(&file);
}

static void take_any(struct bytes content)
{
	struct kernel kept = {0};
	struct buffer file = {0};
	size_t sum = 0;

	buffer_text(&file, KERNEL_KEPT_MAGIC);
	buffer_add(&file, content.at, content.len);
	if (file.len >= 16) {
		uint64_t checksum = hash_bytes(file.at + 16, file.len - 16);

		memcpy(file.at + 8, &checksum, sizeof(checksum));
	}
	if (kernel_kept_take(&kept, buffer_bytes(&file)))
		for (size_t i = 0; i < kept.rows.len; i++) {
			struct kernel_symbol symbol;

			if (!kernel_find(&kept, kept.rows.items[i].address, &symbol))
				continue;
			assert(symbol.name.len);
			for (size_t k = 0; k < symbol.name.len; k++)
				sum += (unsigned char)symbol.name.at[k];
			sum += symbol.module.len ? (unsigned char)*symbol.module.at : 0;
		}
	assert(sum < SIZE_MAX);
	vector_release(&kept.modules);
	buffer_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes text = {(const char *)data, size}, line;
	struct error err = {0};
	struct kernel *kernel = kernel_parse(text, &err);

	while (kernel && bytes_line(&text, &line)) {
		struct kernel_symbol symbol;
		uint64_t address;

		for (size_t len = 1; len < 17 && len <= line.len; len++) {
			if (!bytes_hex((struct bytes){line.at, len}, &address) ||
				!kernel_find(kernel, address, &symbol))
				continue;
			if (address < symbol.start || address >= symbol.end || !symbol.name.len)
				abort();
		}
	}
	if (kernel)
		check_kept(kernel);
	kernel_release(kernel);
	take_any((struct bytes){(const char *)data, size});
	return 0;
}
