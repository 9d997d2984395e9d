/* fuzz_perf_map.c: any text as a perf map; what is found has to be the last line around it. */
#include "images/perf_map.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes text = {(const char *)data, size}, line;
	struct perf_map *map = perf_map_parse(text);
	struct code_piece piece;
	uint64_t start;

	while (bytes_line(&text, &line)) {
		const char *blank = line.len ? memchr(line.at, ' ', line.len) : NULL;

		if (!blank ||
			!bytes_hex((struct bytes){line.at, (size_t)(blank - line.at)}, &start))
			continue;
		if (code_map_find(perf_map_code(map), start, CODE_LATEST, &piece) &&
			(piece.start > start || start - piece.start >= piece.size ||
				!piece.name.len))
			abort();
		code_map_find(perf_map_code(map), start - 1, size, &piece);
	}
	perf_map_release(map);
	return 0;
}
