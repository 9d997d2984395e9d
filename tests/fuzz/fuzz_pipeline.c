/* fuzz_pipeline.c: any input of any reader, and then what every command does with it.
 *
 * What is done with a profile follows from a hash of the input; in a replay everything is done. */
#include "base/hash.h"
#include "mutate_kiln.h"
#include "mutate_perf_data.h"
#include "mutate_protobuf.h"
#include "pipeline.h"
#include "readers/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[] = {NULL};
	static const struct binary_locations binary_locations = {
		.symfs = "/nonexistent", .build_id_dirs = nowhere};
	const struct read_options options = {
		.want = WANT_ALL, .binary_locations = &binary_locations};
	struct error err = {0};
	struct profile profile;
	struct input in;
	bool done;

	if (!input_open_bytes(&in, (struct bytes){(const char *)data, size}, "fuzz", &err))
		return 0;
	done = profile_read_input(&in, &options, &profile, &err);
	if (done)
		pipeline_run(&profile, hash_bytes(data, size));
	mutation_count(done);
	profile_release(&profile);
	input_release(&in);
	return 0;
}

/* By its format; rarely a new file of one of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct bytes file = {(const char *)data, size};
	const struct reader *reader = reader_for(bytes_head(file, READER_HEAD));
	uint64_t state = seed;

	if (is_kiln(file) || mutation_chance(&state, 400))
		return mutate_kiln(data, size, max_size, seed);
	if (is_perf_data(file) || mutation_chance(&state, 400))
		return mutate_perf_data(data, size, max_size, seed);
	if (reader && !strcmp(reader->name, "otlp"))
		return mutate_protobuf(data, size, max_size, seed);
	if ((reader && !strcmp(reader->name, "pprof")) || mutation_chance(&state, 400))
		return mutate_pprof(data, size, max_size, seed);
	return LLVMFuzzerMutate(data, size, max_size);
}
