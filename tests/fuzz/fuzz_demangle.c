/* fuzz_demangle.c: any bytes as mangled names: an answer within the limit, or none and nothing; as
 * printed ones: an answer that is not longer. */
#include "names/declaration.h"
#include "names/demangle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct bytes name)
{
	struct buffer out = {0};
	bool done;

	buffer_char(&out, '<');
	done = demangle(name, &out);
	if (done ? out.len > 1 + DEMANGLED_LIMIT + name.len : out.len != 1)
		abort();
	if (strlen(out.at) != out.len || out.at[0] != '<')
		abort();
	buffer_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const starts[] = {"", "_Z", "_ZN", "_R", "_D1a"};
	struct bytes text = {(const char *)data, size};
	struct buffer shortened = {0};

	declaration_name(text, &shortened);
	if (shortened.len > size)
		abort();
	buffer_release(&shortened);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		struct buffer name = {0};

		buffer_text(&name, starts[i]);
		buffer_add(&name, text.at, text.len);
		check(buffer_bytes(&name));
		buffer_release(&name);
	}
	return 0;
}
