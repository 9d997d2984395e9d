/* fuzz_perf_data.c: any perf.data: an error or a profile, in bounded memory. */
#include "mutate_perf_data.h"
#include "readers/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[] = {NULL};
	static const struct binary_locations binary_locations = {
		.symfs = "/nonexistent", .build_id_dirs = nowhere};
	const struct read_options options = {
		.want = WANT_ALL, .format = "perf-data", .binary_locations = &binary_locations};
	struct error err = {0};
	struct profile profile;
	struct input in;

	if (!input_open_bytes(&in, (struct bytes){(const char *)data, size}, "fuzz", &err))
		return 0;
	mutation_count(profile_read_input(&in, &options, &profile, &err));
	profile_release(&profile);
	input_release(&in);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return mutate_perf_data(data, size, max_size, seed);
}
