/* test_parts.c: is an input that several threads read the same profile as with one? */
#include "test.h"

#include "support/fold_text.h"
#include "support/random_profile.h"
#include "support/work_folder.h"

#include "base/units.h"
#include "readers/parts.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned equal; /* inputs that were read in parts */

static void read_whole(const struct reader *reader, const char *path, struct profile *out)
{
	struct read_options options = {0};
	struct error err = {0};
	struct input in;

	profile_init(out);
	assert_true(input_open(&in, path, &err));
	if (!reader->read(&in, &options, out, &err))
		fail_msg("%s: %s", path, err.text);
	input_release(&in);
}

/* Row by row, where the unit is not known only at the end, with the decimals that were seen. */
static void assert_same(const struct profile *whole, const struct profile *parts, const char *path)
{
	struct buffer a = {0}, b = {0};
	const char *where = "";

	fold_profile(whole, NULL, true, "all", &a);
	fold_profile(parts, NULL, true, "all", &b);
	assert_bytes_equal(buffer_bytes(&b), a.at);
	if (!units_decimals(profile_text(whole, whole->streams.items[0].row.unit)) &&
		!profiles_equal(whole, parts, &where))
		fail_msg("%s: %s differ", path, where);
	buffer_release(&a);
	buffer_release(&b);
}

/* False when it is not to be read in parts. */
static bool check_parts(const struct reader *reader, const char *path, unsigned count)
{
	struct read_options options = {0};
	struct error err = {0};
	struct profile whole, parts;
	struct input in;
	bool done;

	read_whole(reader, path, &whole);
	profile_init(&parts);
	assert_true(input_open(&in, path, &err));
	done = parts_read(reader, &in, &options, count, &parts);
	if (done)
		assert_same(&whole, &parts, path);
	else
		assert_true(reader->read(&in, &options, &parts, &err)); /* nothing was lost */
	equal += done;
	input_release(&in);
	profile_release(&whole);
	profile_release(&parts);
	return done;
}

static void golden_inputs_are_the_same_in_parts(void **state)
{
	static const char *const patterns[][2] = {{"perf-script", "tests/golden/perf-script/*.txt"},
		{"folded", "tests/golden/*/*.folded"}, {"folded", "tests/golden/folded/*.txt"}};
	glob_t found;

	(void)state;
	equal = 0;
	for (size_t p = 0; p < sizeof(patterns) / sizeof(*patterns); p++) {
		const struct reader *reader = reader_by_name(patterns[p][0]);

		assert_int_equal(glob(test_path(patterns[p][1]), 0, NULL, &found), 0);
		for (size_t i = 0; i < found.gl_pathc; i++)
			for (unsigned count = 2; count < 6; count++)
				check_parts(reader, found.gl_pathv[i], count);
		globfree(&found);
	}
	print_message("%u readings in parts\n", equal);
	assert_true(equal > 20);
}

/* ---- Longer texts ---- */

/* Two programs, two events, idle CPUs, frames with and without offsets. */
static void add_sample(struct buffer *text, uint64_t *seed, int number, const char *event)
{
	bool idle = random_below(seed, 9) == 0;

	buffer_printf(text, "%s %d [%03u] %d.%06u:     %u %s: \n", idle ? "swapper" : "make",
		idle ? 0 : 7, random_below(seed, 4), 100 + number / 1000, number % 1000 * 1000,
		1 + random_below(seed, 5000), event);
	if (idle)
		buffer_text(text, "\t    ffffffff8 cpuidle_enter+0x2 ([kernel.kallsyms])\n");
	for (uint32_t d = idle ? 0 : 1 + random_below(seed, 12); d; d--)
		buffer_printf(text, "\t%16x f%u+0x%x (/usr/bin/make)\n", random_below(seed, 1000),
			random_below(seed, 5), random_below(seed, 300));
	buffer_text(text, "\tffffff make_main (/usr/bin/make)\n\n");
}

static void all_samples_of_a_script_are_there(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned turn = 0; turn < 20; turn++) {
		struct buffer text = {0};

		/* The second event comes late, in a part of its own, or at once. */
		for (int i = 0; i < 400; i++)
			add_sample(&text, &seed, i,
				i > (int)turn * 20 && i % 3 ? "cycles" : "cpu-clock");
		work_write("text", text.at);
		assert_true(check_parts(
			reader_by_name("perf-script"), work_path("text"), 2 + turn % 7));
		buffer_release(&text);
	}
}

static void all_lines_of_folded_text_are_there(void **state)
{
	uint64_t seed = 6;

	(void)state;
	for (unsigned turn = 0; turn < 20; turn++) {
		struct buffer text = {0};

		for (int i = 0; i < 400; i++) {
			for (uint32_t d = random_below(&seed, 9); d; d--)
				buffer_printf(&text, "f%u;", random_below(&seed, 4));
			buffer_printf(&text, "leaf %u\n", random_below(&seed, 9));
		}
		work_write("text", text.at);
		assert_true(check_parts(reader_by_name("folded"), work_path("text"), 2 + turn % 7));
		buffer_release(&text);
	}
}

/* One half of the text is long lines, of which a thread reads more in the same time: it takes over
 * what the other has not come to. */
static void who_is_done_first_takes_over(void **state)
{
	const size_t half = (size_t)13 << 20;
	uint64_t seed = 7;

	(void)state;
	for (unsigned turn = 0; turn < 2; turn++) {
		struct buffer text = {0};

		for (int i = 0; text.len < 2 * half; i++) {
			bool is_long = (text.len < half) == (turn == 0);
			uint32_t depth = is_long ? 400 : random_below(&seed, 9);

			for (uint32_t d = 0; d < depth; d++)
				buffer_printf(&text, "f%u;", is_long ? d : random_below(&seed, 4));
			buffer_printf(&text, "leaf%d %d\n", i % (is_long ? 9 : 5000), 1 + i % 7);
		}
		work_write("text", text.at);
		assert_true(check_parts(reader_by_name("folded"), work_path("text"), 2));
		buffer_release(&text);
	}
}

/* What is said of an input is said once, with the lines of all of it. */
static void oddities_are_left_to_one_reader(void **state)
{
	struct buffer text = {0};

	(void)state;
	for (int i = 0; i < 100; i++)
		buffer_printf(&text, i == 80 ? "no number\n" : "a;b%d 1\n", i);
	work_write("text", text.at);
	assert_false(check_parts(reader_by_name("folded"), work_path("text"), 2));
	text.len = 0;
	for (int i = 0; i < 100; i++)
		buffer_printf(&text, i < 80 ? "a;b%d 1\n" : "a;b%d 1.5\n", i);
	work_write("text", text.at);
	assert_false(check_parts(reader_by_name("folded"), work_path("text"), 2));
	text.len = 0;
	for (int i = 0; i < 100; i++)
		buffer_printf(&text, "a;b%d 90000000000000000\n", i % 2);
	work_write("text", text.at);
	assert_true(check_parts(reader_by_name("folded"), work_path("text"), 2));
	buffer_release(&text);
}

/* A short input, or one whose samples are to be kept apart, is one reader's. */
static void what_is_not_worth_it_is_not_cut(void **state)
{
	struct read_options options = {0};
	struct error err = {0};
	struct input in;

	(void)state;
	assert_true(input_open(&in, work_path("text"), &err));
	assert_int_equal(parts_wanted(reader_by_name("folded"), &in, &options), 1);
	input_release(&in);
	assert_int_equal(truncate(work_path("text"), 64 << 20), 0);
	assert_true(input_open(&in, work_path("text"), &err));
	assert_true(parts_wanted(reader_by_name("folded"), &in, &options) <= 4);
	assert_int_equal(parts_wanted(reader_by_name("kiln"), &in, &options), 1);
	options.style = 1; /* of the event that comes first, wherever that is */
	assert_int_equal(parts_wanted(reader_by_name("perf-script"), &in, &options), 1);
	options.style = 0;
	options.want = WANT_TIMES;
	assert_int_equal(parts_wanted(reader_by_name("folded"), &in, &options), 1);
	input_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_inputs_are_the_same_in_parts),
		cmocka_unit_test(all_samples_of_a_script_are_there),
		cmocka_unit_test(all_lines_of_folded_text_are_there),
		cmocka_unit_test(who_is_done_first_takes_over),
		cmocka_unit_test(oddities_are_left_to_one_reader),
		cmocka_unit_test(what_is_not_worth_it_is_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
