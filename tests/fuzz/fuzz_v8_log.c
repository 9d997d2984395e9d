/* fuzz_v8_log.c: any text as a log of V8; whatever it names is shown, and found where it says. */
#include "images/v8_log.h"
#include "names/v8_name.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct v8_log *log = v8_log_new();
	struct bytes text = {(const char *)data, size}, rest = text;
	struct buffer shown = {0};
	struct code_piece piece;
	struct v8_name name;
	uint64_t address;
	const char *hex;

	if (v8_log_parse(log, text) > size)
		abort();
	while ((hex = bytes_find(rest, BYTES(",0x")))) {
		size_t digits = 0;

		rest = (struct bytes){hex + 3, (size_t)(text.at + text.len - (hex + 3))};
		while (digits < rest.len && rest.at[digits] != ',')
			digits++;
		if (!bytes_hex((struct bytes){rest.at, digits}, &address) ||
			!code_map_find(v8_log_code(log), address, size, &piece))
			continue;
		if (address < piece.start || address - piece.start >= piece.size)
			abort();
		if (v8_name_parse(piece.name, &name))
			v8_name_format(&name, piece.name, &shown);
	}
	buffer_release(&shown);
	v8_log_release(log);
	return 0;
}
