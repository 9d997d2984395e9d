/* fuzz_otlp.c: OTLP files of any content: an error or a profile that can be looked at. */
#include "model/view.h"
#include "mutate_protobuf.h"
#include "readers/reading.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the sum of all values, or -1. */
static int64_t read_and_walk(struct bytes content, unsigned want)
{
	struct read_options options = {.want = want, .format = "otlp"};
	struct error err = {0};
	struct profile p;
	struct input in;
	int64_t sum = -1;

	if (!input_open_bytes(&in, content, "fuzz", &err))
		return -1;
	if (profile_read_input(&in, &options, &p, &err)) {
		struct view v;

		sum = 0;
		for (size_t i = 0; i < p.streams.len; i++)
			for (size_t j = 0; j < p.streams.items[i].value.len; j++)
				sum += p.streams.items[i].value.items[j];
		view_init(&v, &p, BY_ADDRESS);
		view_release(&v);
	}
	profile_release(&p);
	input_release(&in);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes content = {(const char *)data, size};
	int64_t without = read_and_walk(content, 0), with = read_and_walk(content, WANT_ALL);

	mutation_count(with != -1);
	/* Values of one sample may fit together and not one by one. */
	if (with != without && with != -1)
		abort();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	if (!is_protobuf((struct bytes){(const char *)data, size}))
		return LLVMFuzzerMutate(data, size, max_size);
	return mutate_protobuf(data, size, max_size, seed);
}
