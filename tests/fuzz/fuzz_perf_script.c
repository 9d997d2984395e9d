/* fuzz_perf_script.c: `perf script` text, damaged in any way; with all columns and with none. */
#include "model/view.h"
#include "readers/reading.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read it and walk the result. Returns the number of samples. */
static size_t read_and_walk(struct bytes content, unsigned want)
{
	struct read_options options = {.want = want, .format = "perf-script"};
	struct error err = {0};
	struct profile p;
	struct input in;
	struct view v;
	size_t count = 0;

	if (!input_open_bytes(&in, content, "fuzz", &err))
		return 0;
	if (profile_read_input(&in, &options, &p, &err)) {
		for (size_t i = 0; i < p.streams.len; i++)
			count += p.streams.items[i].row.delivered;
		view_init(&v, &p, BY_FUNCTION);
		for (size_t i = 1; i < v.tree.caller.len; i++)
			assert(v.tree.caller.items[i] < i);
		view_release(&v);
	}
	profile_release(&p);
	input_release(&in);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes content = {(const char *)data, size};
	size_t without = read_and_walk(content, 0), with = read_and_walk(content, WANT_ALL);

	assert(without == with);
	(void)without;
	(void)with;
	return 0;
}
