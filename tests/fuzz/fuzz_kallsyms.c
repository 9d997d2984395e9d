/* fuzz_kallsyms.c: any text as /proc/kallsyms; what is found has to be around the address. */
#include "images/kernel.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	kernel_release(kernel);
	return 0;
}
