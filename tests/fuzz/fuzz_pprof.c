/* fuzz_pprof.c: pprof files of any content; what can be read can be written, and is then the same.
 */
#include "mutate_protobuf.h"
#include "readers/reading.h"
#include "renderers/pprof_profile.h"
#include "support/profile_lines.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_pprof(struct bytes content, unsigned want, struct profile *out)
{
	struct read_options options = {.want = want, .format = "pprof"};
	struct error err = {0};
	struct input in;
	bool done;

	if (!input_open_bytes(&in, content, "fuzz", &err)) {
		profile_init(out);
		return false;
	}
	done = profile_read_input(&in, &options, out, &err);
	input_release(&in);
	return done;
}

static void write_pprof(const struct profile *p, struct buffer *out)
{
	struct pprof_settings settings = {0xFF};
	struct error ignored = {0};
	struct view v;

	view_init(&v, p, BY_ADDRESS);
	pprof_write(&v, &settings, out, &ignored);
	view_release(&v);
}

/* Written and read once, a profile has all that the format can say: from then on nothing changes.
 */
static void check(const struct profile *p)
{
	struct buffer file = {0}, again = {0}, lines = {0}, lines_again = {0};
	struct profile first, second;

	write_pprof(p, &file);
	if (!read_pprof(buffer_bytes(&file), 31, &first))
		abort();
	write_pprof(&first, &again);
	if (!read_pprof(buffer_bytes(&again), 31, &second))
		abort();
	profile_lines(&first, &lines);
	profile_lines(&second, &lines_again);
	if (!bytes_equal(buffer_bytes(&lines), buffer_bytes(&lines_again)))
		abort();
	profile_release(&first);
	profile_release(&second);
	buffer_release(&file);
	buffer_release(&again);
	buffer_release(&lines);
	buffer_release(&lines_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes content = {(const char *)data, size};
	struct profile all, none;
	bool with = read_pprof(content, WANT_ALL, &all), without = read_pprof(content, 0, &none);

	mutation_count(with);
	if (with != without)
		abort();
	if (with && all.streams.len && all.samples.items[0].count != none.samples.items[0].count)
		abort();
	if (with)
		check(&all);
	profile_release(&all);
	profile_release(&none);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return mutate_pprof(data, size, max_size, seed);
}
