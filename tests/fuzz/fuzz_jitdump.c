/* fuzz_jitdump.c: any bytes as a jitdump, in two parts; what is found has to be around the address.
 */
#include "images/jitdump.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump *dump = jitdump_new();
	struct error ignored = {0};
	struct code_piece piece;
	uint64_t offset, address;

	if (jitdump_parse(dump, (struct bytes){(const char *)data, size / 2}, &ignored) &&
		(offset = jitdump_offset(dump)) <= size)
		jitdump_parse(
			dump, (struct bytes){(const char *)data + offset, size - offset}, &ignored);
	for (size_t i = 0; i + sizeof(address) <= size && i < 4096; i += sizeof(address)) {
		memcpy(&address, data + i, sizeof(address));
		if (!code_map_find(jitdump_code(dump), address, i, &piece))
			continue;
		if (address < piece.start || address - piece.start >= piece.size || !piece.name.len)
			abort();
		code_piece_line(&piece, address);
		code_map_reused(jitdump_code(dump), address);
	}
	jitdump_release(dump);
	return 0;
}
