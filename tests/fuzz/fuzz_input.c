/* fuzz_input.c: damaged gzip, zstd and xz streams, and lines of any kind. */
#include "base/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decompressed content beyond this adds time, not paths. */
#define FUZZ_CONTENT_LIMIT ((uint64_t)8 << 20)

static void read_lines(struct bytes content)
{
	struct error err = {0};
	struct input in;
	struct bytes line;
	bool more = true;

	if (!input_open_bytes(&in, content, "fuzz", &err))
		return;
	while (more && in.offset < FUZZ_CONTENT_LIMIT && input_line(&in, &line, &more, &err))
		;
	input_release(&in);
}

static void read_whole(struct bytes content)
{
	struct error err = {0};
	struct input in;
	struct bytes whole;

	if (!input_open_bytes(&in, content, "fuzz", &err))
		return;
	input_whole(&in, FUZZ_CONTENT_LIMIT, &whole, &err);
	input_release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes content = {(const char *)data, size};

	read_lines(content);
	read_whole(content);
	return 0;
}
