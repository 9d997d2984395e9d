/* test_mutators.c: do mutated inputs still go deep? A mutator whose inputs are refused at the first
 * check finds nothing. */
#include "unit/test.h"

#include "base/input.h"
#include "images/chains.h"
#include "model/kiln_file.h"
#include "mutate_chains.h"
#include "mutate_kiln.h"
#include "mutate_perf_data.h"
#include "mutate_protobuf.h"
#include "readers/reading.h"

#define SEEDS	   300u
#define SIZE_LIMIT ((size_t)32 << 10) /* bytes */

typedef size_t mutator(uint8_t *data, size_t size, size_t max_size, uint64_t seed);
typedef bool reads(struct bytes file);

/* Why the last file was not read. */
static struct error err;

static bool reads_kiln(struct bytes file)
{
	struct profile p;
	bool done;

	err = (struct error){0};
	done = kiln_file_read(file, NULL, &p, &err);

	if (done)
		profile_release(&p);
	/* Only what is cut short, or has another header, may look damaged. */
	assert_null(strstr(err.text, "checksum"));
	return done;
}

static bool reads_as(const char *format, struct bytes file)
{
	static const char *const nowhere[] = {NULL};
	static const struct binary_locations binary_locations = {
		.symfs = "/nonexistent", .build_id_dirs = nowhere};
	const struct read_options options = {
		.want = WANT_ALL, .format = format, .binary_locations = &binary_locations};
	struct profile p;
	struct input in;
	bool done;

	err = (struct error){0};
	assert_true(input_open_bytes(&in, file, "mutated", &err));
	done = profile_read_input(&in, &options, &p, &err);
	profile_release(&p);
	input_release(&in);
	return done;
}

static bool reads_perf_data(struct bytes file)
{
	return reads_as("perf-data", file);
}

static bool reads_pprof(struct bytes file)
{
	return reads_as("pprof", file);
}

static bool reads_chains(struct bytes file)
{
	struct chains_origin origin;
	struct chains_header h;
	struct chains c;
	bool done;

	memcpy(&h, file.at, sizeof(h));
	done = chains_read(file, h.origin.key, &c, &origin);
	chains_release(&c);
	return done;
}

/* Several times one after the other from what the mutator makes of nothing; how many of SEEDS were
 * read after the last time. */
static unsigned count_read(mutator *mutate, reads *read, unsigned times)
{
	uint8_t *data = memory_new(SIZE_LIMIT, 1);
	unsigned count = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		size_t size = mutate(data, 0, SIZE_LIMIT, seed);

		for (unsigned i = 0; i < times; i++) {
			size_t next = mutate(data, size, SIZE_LIMIT, seed * 1000 + i);

			assert_in_range(next, 1, SIZE_LIMIT);
			size = next;
		}
		count += read((struct bytes){(const char *)data, size});
	}
	free(data);
	return count;
}

static void what_is_generated_is_read(void **state)
{
	(void)state;
	/* Files without a commit, and empty events, do not count. */
	assert_in_range(count_read(mutate_kiln, reads_kiln, 0), SEEDS * 9 / 10, SEEDS);
	assert_in_range(count_read(mutate_perf_data, reads_perf_data, 0), SEEDS * 5 / 10, SEEDS);
	assert_int_equal(count_read(mutate_pprof, reads_pprof, 0), SEEDS);
	assert_in_range(count_read(mutate_chains, reads_chains, 0), SEEDS * 5 / 10, SEEDS);
}

static void most_of_what_is_mutated_is_read(void **state)
{
	(void)state;
	assert_in_range(count_read(mutate_kiln, reads_kiln, 3), SEEDS * 7 / 10, SEEDS);
	assert_in_range(count_read(mutate_perf_data, reads_perf_data, 3), SEEDS * 5 / 10, SEEDS);
	assert_in_range(count_read(mutate_pprof, reads_pprof, 3), SEEDS * 4 / 10, SEEDS);
	assert_in_range(count_read(mutate_chains, reads_chains, 3), SEEDS * 5 / 10, SEEDS);
}

/* But for numbers that are out of range: mutations leave those. */
static void what_is_repaired_is_read(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t random = seed;
		struct buffer file = {0}, again = {0};
		struct kiln_draft d;

		kiln_generate(&random, &file);
		kiln_draft_read(&d, buffer_bytes(&file));
		kiln_draft_mutate(&d, &random);
		kiln_draft_repair(&d);
		kiln_draft_write(&d, &again);
		if (!reads_kiln(buffer_bytes(&again))) {
			refused++;
			if (!strstr(err.text, "out of range") && !strstr(err.text, "no time"))
				fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		}
		kiln_draft_release(&d);
		buffer_release(&file);
		buffer_release(&again);
	}
	assert_in_range(refused, 0, SEEDS * 3 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_generated_is_read),
		cmocka_unit_test(most_of_what_is_mutated_is_read),
		cmocka_unit_test(what_is_repaired_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
