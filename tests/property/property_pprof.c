/* property_pprof.c: any profile that is written for pprof is read back as it was. */
#include "test.h"

#include "support/profile_lines.h"
#include "support/random_profile.h"

#include "base/gzip.h"
#include "readers/reading.h"
#include "renderers/pprof_profile.h"

#define EVERY_LABEL 0xFFu

static void write_pprof(const struct profile *p, unsigned labels, bool packed, struct buffer *out)
{
	struct pprof_settings settings = {labels};
	struct buffer plain = {0};
	struct error err = {0};
	struct view v;

	view_init(&v, p, BY_FUNCTION);
	assert_true(pprof_write(&v, &settings, &plain, &err));
	view_release(&v);
	if (packed)
		gzip_compress(buffer_bytes(&plain), out);
	else
		buffer_add(out, plain.at, plain.len);
	buffer_release(&plain);
}

/* Recognised by its content. */
static void read_pprof(const struct buffer *file, unsigned want, struct profile *out)
{
	struct read_options options = {.want = want};
	struct error err = {0};
	struct input in;

	assert_true(input_open_bytes(&in, buffer_bytes(file), "written", &err));
	if (!profile_read_input(&in, &options, out, &err))
		fail_msg("%s", err.text);
	input_release(&in);
}

static void assert_same_lines(const struct profile *a, const struct profile *b)
{
	struct buffer of_a = {0}, of_b = {0};

	struct bytes lines_a, lines_b, line_a, line_b = {0};

	profile_lines(a, &of_a);
	profile_lines(b, &of_b);
	lines_a = buffer_bytes(&of_a);
	lines_b = buffer_bytes(&of_b);
	while (bytes_line(&lines_a, &line_a)) {
		bytes_line(&lines_b, &line_b);
		if (!bytes_equal(line_a, line_b))
			fail_msg("%.*s\nbecame %.*s", (int)line_a.len, line_a.at, (int)line_b.len,
				line_b.at);
	}
	assert_int_equal(lines_b.len, 0);
	buffer_release(&of_a);
	buffer_release(&of_b);
}

static void written_and_read_is_equal(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 80; seed++) {
		struct profile p, again;
		struct buffer file = {0};

		random_profile(&p, seed, 20 * seed);
		write_pprof(&p, EVERY_LABEL, seed % 2, &file);
		read_pprof(&file, WANT_ALL, &again);
		assert_same_lines(&p, &again);
		profile_release(&again);
		profile_release(&p);
		buffer_release(&file);
	}
}

/* So long that another thread adds its samples. */
static void a_long_file_is_equal(void **state)
{
	struct profile p, again;
	struct buffer file = {0};

	(void)state;
	random_profile(&p, 7, 25000);
	write_pprof(&p, EVERY_LABEL, false, &file);
	assert_in_range(file.len, (size_t)1 << 20, SIZE_MAX);
	read_pprof(&file, WANT_ALL, &again);
	assert_same_lines(&p, &again);
	profile_release(&again);
	profile_release(&p);
	buffer_release(&file);
}

/* Every kind of binary, with and without names, and a process that made code while it ran. */
static void binaries_of_every_kind(void **state)
{
	static const char *const files[] = {"/usr/bin/cat", "[kernel.kallsyms]", "[nf_tables]",
		"[vdso]", "//anon", "", "/tmp/perf-7.map", "odd [name]", "/lib/modules/a.ko"};
	uint64_t seed = 3;

	(void)state;
	for (int turn = 0; turn < 40; turn++) {
		struct profile p, again;
		struct buffer file = {0};
		process_id process;

		profile_init(&p);
		profile_add_samples(&p);
		profile_add_stream(&p, 0, BYTES("samples"), BYTES("count"), BYTES("cycles"));
		profile_add_stream(&p, 0, BYTES("samples"), BYTES("count"), BYTES("faults"));
		profile_add_stream(&p, 0, BYTES("samples"), BYTES("ns"), BYTES("faults"));
		p.streams.items[1].row.fixed_value = 3;
		p.streams.items[2].row.side = 2;
		p.streams.items[2].row.period = 4000;
		process = profile_process(&p, 0, numbered_string(&p, "made by ", 0));
		for (int i = 0; i < 30; i++) {
			struct mapping m = {.kind = random_below(&seed, MAPPING_JIT + 1),
				.base = random_below(&seed, 2) * 0xffffffff81000000u,
				.file = profile_string(
					&p, bytes_of(files[random_below(&seed, 9)]))};
			location_id at;
			frame_id frame;

			if (m.kind == MAPPING_FILE || m.kind == MAPPING_VDSO)
				m.base = 0;
			if (m.kind == MAPPING_JIT && random_below(&seed, 2))
				m.process = process;
			at = profile_location(&p, profile_mapping(&p, &m),
				random_next(&seed) >> (1 + random_below(&seed, 60)) | 1);
			frame = profile_frame_named(
				&p, BYTES("named"), random_below(&seed, FRAME_KINDS));
			if (random_below(&seed, 2))
				profile_name_location(&p, at, &frame, 1);
			profile_add_sample(
				&p, 0, &(struct sample){.stack = profile_stack(&p, 0, at)});
		}
		write_pprof(&p, 0, false, &file);
		read_pprof(&file, WANT_ALL, &again);
		assert_same_lines(&p, &again);
		profile_release(&again);
		profile_release(&p);
		buffer_release(&file);
	}
}

/* What a reader is not asked for is not there, and all the rest is as before. */
static void unwanted_columns_are_left_out(void **state)
{
	struct profile p, without, labelless;
	struct buffer file = {0}, small = {0};

	(void)state;
	random_profile(&p, 5, 500);
	write_pprof(&p, EVERY_LABEL, false, &file);
	write_pprof(&p, 0, false, &small);
	read_pprof(&file, 0, &without);
	read_pprof(&small, WANT_ALL, &labelless);
	assert_same_lines(&without, &labelless);
	assert_int_equal(without.samples.items[0].thread.len, 0);
	assert_int_equal(without.samples.items[0].cpu.len, 0);
	assert_true(small.len < file.len);
	assert_true(labelless.samples.items[0].count <= without.samples.items[0].count);
	profile_release(&p);
	profile_release(&without);
	profile_release(&labelless);
	buffer_release(&file);
	buffer_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_and_read_is_equal),
		cmocka_unit_test(a_long_file_is_equal),
		cmocka_unit_test(binaries_of_every_kind),
		cmocka_unit_test(unwanted_columns_are_left_out),
	};

	return cmocka_run_group_tests_name("pprof", tests, NULL, NULL);
}
