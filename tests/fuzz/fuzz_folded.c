/* fuzz_folded.c: folded text, damaged in any way. */
#include "model/view.h"
#include "readers/reading.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct read_options options = {.format = "folded"};
	struct error err = {0};
	struct profile p;
	struct input in;

	if (!input_open_bytes(&in, (struct bytes){(const char *)data, size}, "fuzz", &err))
		return 0;
	if (profile_read_input(&in, &options, &p, &err)) {
		struct view v;
		int64_t *self, sum = 0, all = 0;

		view_init(&v, &p, BY_FUNCTION);
		self = calloc(v.tree.caller.len, sizeof(*self));
		view_self(&v, self);
		for (size_t i = 0; i < v.tree.caller.len; i++)
			sum += self[i];
		for (size_t i = 0; i < p.samples.items[0].count; i++)
			all += stream_value(&p.streams.items[0], i);
		assert(sum == all);
		free(self);
		view_release(&v);
	}
	profile_release(&p);
	input_release(&in);
	return 0;
}
