/* test_parts.c: do several threads read an input to the same profile as one thread? */
#include "test.h"

#include "support/fold_text.h"
#include "support/random_profile.h"
#include "support/work_folder.h"

#include "readers/parts.h"
#include "readers/reading.h"
#include "readers/reading_style.h"

#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned equal; /* inputs that were read in parts */

/* ---- Comparing ---- */

/* False if the input must not be read in parts. */
static bool check_input(
	const struct reader *reader, struct input *in, const struct profile *whole, unsigned count)
{
	struct read_options options = {0};
	struct error err = {0};
	const char *where = "";
	struct profile parts;
	bool done;

	profile_init(&parts);
	done = parts_read(reader, in, &options, count, &parts);
	if (done && !whole)
		fail_msg("%s: parts of it can be read, all of it cannot", in->name);
	if (done && !profiles_read_alike(whole, &parts, &where))
		fail_msg("%s: %s differ", in->name, where);
	if (!done && whole)
		assert_true(reader->read(in, &options, &parts, &err)); /* nothing was lost */
	equal += done;
	profile_release(&parts);
	return done;
}

static bool check_parts(const struct reader *reader, const char *path, unsigned count)
{
	struct read_options options = {.format = reader->name};
	struct error err = {0};
	struct profile whole;
	struct input in;
	bool done;

	assert_true(input_open(&in, path, &err));
	profile_init(&whole);
	if (!reader->read(&in, &options, &whole, &err))
		fail_msg("%s: %s", path, err.text);
	input_release(&in);
	assert_true(input_open(&in, path, &err));
	done = check_input(reader, &in, &whole, count);
	input_release(&in);
	profile_release(&whole);
	return done;
}

/* The same for a text that need not be readable. */
static bool check_text(const struct reader *reader, struct bytes text, unsigned count)
{
	struct read_options options = {.format = reader->name};
	struct error err = {0};
	struct profile whole;
	struct input in;
	bool readable, done;

	profile_init(&whole);
	assert_true(input_open_bytes(&in, text, reader->name, &err));
	readable = reader->read(&in, &options, &whole, &err) && profile_check_values(&whole, &err);
	input_release(&in);
	assert_true(input_open_bytes(&in, text, reader->name, &err));
	done = check_input(reader, &in, readable ? &whole : NULL, count);
	input_release(&in);
	profile_release(&whole);
	return done;
}

/* In two parts to seven: can it be read so? */
static void check_in_few_parts(const struct reader *reader, struct bytes text, bool can)
{
	for (unsigned count = 2; count < 8; count++)
		assert_int_equal(check_text(reader, text, count), can);
}

/* ---- Every reader whose input can be cut ---- */

/* Its golden inputs; there are many of folded text. */
static void find_inputs(const struct reader *reader, bool all, glob_t *ret_found)
{
	char pattern[128];

	snprintf(pattern, sizeof(pattern), "tests/golden/%s/*.txt", reader->name);
	assert_int_equal(glob(test_path(pattern), 0, NULL, ret_found), 0);
	if (all && !strcmp(reader->name, "folded"))
		assert_int_equal(
			glob(test_path("tests/golden/*/*.folded"), GLOB_APPEND, NULL, ret_found),
			0);
}

static void read_file(const char *path, struct buffer *ret_text)
{
	struct error err = {0};
	struct bytes content;
	struct input in;

	assert_true(input_open(&in, path, &err));
	assert_true(input_whole(&in, 1 << 20, &content, &err));
	buffer_add(ret_text, content.at, content.len);
	input_release(&in);
}

static void for_inputs(
	bool all, void (*check)(const struct reader *reader, const char *path, struct bytes text))
{
	unsigned cuttable = 0;

	for (size_t r = 0; readers[r]; r++) {
		glob_t found;

		if (!readers[r]->cut)
			continue;
		cuttable++;
		equal = 0;
		find_inputs(readers[r], all, &found);
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct buffer text = {0};

			read_file(found.gl_pathv[i], &text);
			check(readers[r], found.gl_pathv[i], buffer_bytes(&text));
			buffer_release(&text);
		}
		globfree(&found);
		print_message("%s: %u readings in parts\n", readers[r]->name, equal);
		assert_true(equal > 0);
	}
	assert_true(cuttable > 10);
}

static void in_a_few_parts(const struct reader *reader, const char *path, struct bytes text)
{
	struct buffer thrice = {0};

	(void)path;
	for (int i = 0; i < 3; i++)
		buffer_add(&thrice, text.at, text.len);
	for (unsigned count = 2; count < 8; count++)
		for (size_t len = thrice.len; len > text.len; len -= 1 + len / 8)
			check_text(reader, (struct bytes){thrice.at, len}, count);
	buffer_release(&thrice);
}

static void golden_inputs_are_the_same_in_parts(void **state)
{
	(void)state;
	for_inputs(true, in_a_few_parts);
}

/* An input is cut at its middle, so inputs of all lengths are cut at all places and end in all
 * ways. */
static void cut_everywhere(const struct reader *reader, const char *path, struct bytes text)
{
	struct buffer twice = {0};
	size_t step;

	(void)path;
	buffer_add(&twice, text.at, text.len);
	buffer_add(&twice, text.at, text.len);
	step = 1 + twice.len / 1000;
	for (size_t len = step; len <= twice.len; len += step)
		check_text(reader, (struct bytes){twice.at, len}, 2);
	buffer_release(&twice);
}

static void inputs_are_the_same_wherever_they_are_cut(void **state)
{
	(void)state;
	for_inputs(false, cut_everywhere);
}

static void use_cpus(const cpu_set_t *cpus)
{
	assert_int_equal(sched_setaffinity(0, sizeof(*cpus), cpus), 0);
}

/* Read as commands do, with one CPU and with all CPUs. */
static void long_enough(const struct reader *reader, const char *path, struct bytes text)
{
	struct read_options options = {.format = reader->name};
	struct profile one, all;
	struct error err = {0};
	struct buffer many = {0};
	cpu_set_t cpus, first;
	const char *where = "";

	while (many.len < 33u << 20)
		buffer_add(&many, text.at, text.len);
	work_write("text", many.at);
	buffer_release(&many);
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	CPU_ZERO(&first);
	for (int cpu = 0; !CPU_COUNT(&first); cpu++)
		if (CPU_ISSET(cpu, &cpus))
			CPU_SET(cpu, &first);
	use_cpus(&first);
	if (!profile_read(work_path("text"), &options, &one, &err))
		fail_msg("%s", err.text);
	use_cpus(&cpus);
	assert_true(profile_read(work_path("text"), &options, &all, &err));
	if (!profiles_read_alike(&one, &all, &where))
		fail_msg("%s: %s differ", path, where);
	equal++;
	profile_release(&one);
	profile_release(&all);
}

static void long_inputs_are_the_same_with_all_cpus(void **state)
{
	(void)state;
	for_inputs(false, long_enough);
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

/* Callees that occur again, in the same part and in others, below lines of any part. */
static void all_lines_of_a_tree_are_there(void **state)
{
	uint64_t seed = 8;

	(void)state;
	for (unsigned turn = 0; turn < 40; turn++) {
		const char *name = turn % 2 ? "vtune" : "instruments";
		struct buffer text = {0};
		uint32_t depth = 0;

		buffer_text(&text, turn % 2 ? "Function Stack,CPU Time:Self,Module\n"
					    : "Running Time\tSelf (ms)\t\tSymbol Name\n");
		for (int i = 0; i < 400; i++) {
			if (turn % 2 == 0)
				buffer_printf(&text, "9.0ms  50.0%%\t%u.%u\t \t",
					random_below(&seed, 3),
					random_below(&seed, turn < 20 ? 1 : 9));
			for (uint32_t d = 0; d < depth; d++)
				buffer_char(&text, ' ');
			buffer_printf(&text, "f%u", random_below(&seed, 2));
			if (turn % 2)
				buffer_printf(&text, ",0.00%u,a.exe", random_below(&seed, 500));
			buffer_char(&text, '\n');
			depth = random_below(&seed, 3) ? depth + 1 : random_below(&seed, depth + 1);
		}
		for (unsigned count = 2; count < 9; count++)
			assert_true(check_text(reader_by_name(name), buffer_bytes(&text), count));
		buffer_release(&text);
	}
}

/* One half of the text has long lines, which are read faster: the thread that is done takes over
 * what the other one has not reached. */
static void a_finished_thread_takes_over_a_range(void **state)
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

/* Decimals that begin in a later part have to be known in the first one. */
static void decimals_that_come_late_are_not_read_in_parts(void **state)
{
	struct buffer text = {0};

	(void)state;
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

/* ---- Results that need all parts ---- */

/* Maps that come later, in other parts, add values to the same samples. */
static void maps_of_all_parts_are_of_one_table(void **state)
{
	const struct reader *reader = reader_by_name("bpftrace");
	struct buffer text = {0};

	(void)state;
	for (int maps = 2; maps < 20; maps++) {
		text.len = 0;
		for (int i = 0; i < 300; i++)
			buffer_printf(&text, "@m%d[\n    f%d+1\n    main+2\n, comm]: %d\n",
				i * maps / 300, i % 7, i);
		check_in_few_parts(reader, buffer_bytes(&text), maps <= 16);
	}
	buffer_release(&text);
}

/* Skipped lines are counted over all parts; the first one has its number in the whole input. */
static void skipped_lines_are_reported_once(void **state)
{
	const struct reader *reader = reader_by_name("jstack");
	struct buffer text = {0};

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		text.len = 0;
		for (int i = 0; i < 60; i++)
			buffer_printf(&text,
				"\"t-%d\" #1 nid=0x1 runnable\n"
				"   java.lang.Thread.State: RUNNABLE\n%s\tat a.B.c(B.java:%d)\n\n",
				i, i == turn || i == 59 - turn / 2 ? "\tat nothing\n" : "", i % 5);
		check_in_few_parts(reader, buffer_bytes(&text), true);
	}
	buffer_release(&text);
}

/* The same of folded text, also where only one part has such lines. */
static void skipped_lines_of_folded_text_are_reported_once(void **state)
{
	const struct reader *reader = reader_by_name("folded");
	struct buffer text = {0};

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		text.len = 0;
		for (int i = 0; i < 60; i++)
			buffer_printf(&text, "%smain;f%d 1\n%s", i == turn ? "no number\n" : "",
				i % 5, turn % 2 && i == 59 - turn / 2 ? "nor here\n" : "");
		check_in_few_parts(reader, buffer_bytes(&text), true);
	}
	buffer_release(&text);
}

/* The same of text of perf script, the first line and the last among them. */
static void skipped_lines_of_a_script_are_reported_once(void **state)
{
	const struct reader *reader = reader_by_name("perf-script");
	struct buffer text = {0};

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		text.len = 0;
		for (int i = 0; i < 60; i++)
			buffer_printf(&text,
				"%sx 1 %d.000000: 7 cpu-clock: \n\t  4%04x f+0x1 (/bin/x)\n%s\n",
				i == turn ? "what is this?\n\n" : "", i, i % 5,
				i == 59 - turn / 2 ? "\tno frame at all\n" : "");
		check_in_few_parts(reader, buffer_bytes(&text), true);
	}
	buffer_release(&text);
}

/* Threads of a call graph, some with lines that have more below them than in them, are in parts of
 * their own; only the last one has the line that ends the graph. */
static void threads_of_a_call_graph_are_in_all_parts(void **state)
{
	const struct reader *reader = reader_by_name("sample");
	uint64_t seed = 9;

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		struct buffer text = {0};

		buffer_text(&text, "Analysis of sampling x (pid 7) every 1 millisecond\n\n"
				   "Call graph:\n");
		for (int i = 0; i < 400; i++) {
			uint32_t depth = i % 10 ? 1 + random_below(&seed, (uint32_t)i % 10) : 0;

			buffer_text(&text, "    ");
			for (uint32_t d = 0; d < depth; d++)
				buffer_text(&text, "+ ");
			buffer_printf(&text, "%u %s%u%s\n", random_below(&seed, 90),
				depth ? "f" : "Thread_", random_below(&seed, depth ? 3 : 9),
				depth ? "  (in x) + 1  [0x1]" : "");
			if (i == 5 * turn || i == 390 - turn)
				buffer_text(&text, "    + no count\n");
		}
		if (turn % 3)
			buffer_text(&text, "\nTotal number in stack (recursive ...):\n");
		check_in_few_parts(reader, buffer_bytes(&text), true);
		/* Lines after its end are not part of the graph, even if they look like threads. */
		if (turn % 3)
			buffer_text(&text, "    1 Thread_1\n    1 Thread_2\n    1 Thread_3\n");
		for (unsigned count = 2; count < 8; count++)
			check_text(reader, buffer_bytes(&text), count);
		buffer_release(&text);
	}
}

/* The counts of an event and its stacks may be in several parts. */
static void losses_are_found_in_all_parts(void **state)
{
	const struct reader *reader = reader_by_name("pmc");
	struct buffer text = {0};

	(void)state;
	for (int i = 0; i < 40; i++)
		if (i % 3)
			buffer_printf(&text, "10.0%%  [%d]  f%d\n", i % 7 + 2, i % 5);
		else
			buffer_printf(&text, "@ EVENT%d [%d samples]\n\n", i % 4, i % 8);
	for (size_t len = 1; len <= text.len; len += 3)
		for (unsigned count = 2; count < 6; count++)
			check_text(reader, (struct bytes){text.at, len}, count);
	buffer_release(&text);
}

/* Threads are found in all parts; the meaning of the metrics is in the first lines. */
static void threads_and_metrics_of_a_program_are_the_same_in_parts(void **state)
{
	const char *const heads[] = {
		"", "# austin: 3.7.0\n# mode: memory\n\n", "P1;T0:1;a:b:1 -5\n"};
	const struct reader *reader = reader_by_name("austin");
	unsigned in_parts = 0;

	(void)state;
	for (size_t head = 0; head < sizeof(heads) / sizeof(*heads); head++) {
		struct buffer text = {0};

		buffer_text(&text, heads[head]);
		for (int i = 0; i < 60; i++)
			buffer_printf(&text, "P%d;T0:%d;app.py:main:7;app.py:f%d:1 %d\n", i % 3,
				i / 9, i % 4, i + 1);
		buffer_text(&text, "# duration: 5\n");
		for (size_t len = text.len / 2; len <= text.len; len += 3)
			in_parts += check_text(
				reader, (struct bytes){text.at, len}, 2 + (unsigned)len % 3);
		buffer_release(&text);
	}
	assert_true(in_parts > 1000);
}

/* "... 2 more" are frames of the trace above, which may be in another part. */
static void references_between_parts_are_left_to_one_reader(void **state)
{
	const struct reader *reader = reader_by_name("java-exceptions");
	unsigned in_parts = 0;

	(void)state;
	for (int logged = 0; logged < 2; logged++) {
		struct buffer text = {0};

		in_parts = 0;
		for (int i = 0; i < 30; i++)
			buffer_printf(&text,
				"a.E: no\n\tat a.B.c(B.java:%d)\n\tat a.B.d(B.java:1)\n"
				"%sCaused by: a.F\n\tat a.B.e(B.java:2)\n\t... 1 more\n",
				i, logged ? "a line of the log between them\n" : "");
		for (size_t len = text.len / 2; len < text.len; len++)
			in_parts += check_text(reader, (struct bytes){text.at, len}, 2);
		/* Between the cause and the log's line it cannot be cut. */
		assert_true(logged ? in_parts > 0 && in_parts < text.len - text.len / 2
				   : in_parts == text.len - text.len / 2);
		buffer_release(&text);
	}
}

/* One reader reads a short input, and one whose samples must stay separate. */
static void short_or_unsuitable_inputs_are_not_cut(void **state)
{
	struct read_options options = {0};
	struct error err = {0};
	const struct reading_style scripts = {.tool = TOOL_SCRIPTS};
	struct input in;

	(void)state;
	assert_true(input_open(&in, work_path("text"), &err));
	assert_int_equal(parts_count(reader_by_name("folded"), &in, &options), 1);
	input_release(&in);
	assert_int_equal(truncate(work_path("text"), 64 << 20), 0);
	assert_true(input_open(&in, work_path("text"), &err));
	assert_true(parts_count(reader_by_name("folded"), &in, &options) <= 4);
	assert_int_equal(parts_count(reader_by_name("kiln"), &in, &options), 1);
	options.style = &scripts; /* of the event that comes first, wherever that is */
	assert_int_equal(parts_count(reader_by_name("perf-script"), &in, &options), 1);
	options.style = NULL;
	options.want = WANT_TIMES;
	assert_int_equal(parts_count(reader_by_name("folded"), &in, &options), 1);
	input_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_inputs_are_the_same_in_parts),
		cmocka_unit_test(inputs_are_the_same_wherever_they_are_cut),
		cmocka_unit_test(long_inputs_are_the_same_with_all_cpus),
		cmocka_unit_test(all_samples_of_a_script_are_there),
		cmocka_unit_test(all_lines_of_folded_text_are_there),
		cmocka_unit_test(all_lines_of_a_tree_are_there),
		cmocka_unit_test(a_finished_thread_takes_over_a_range),
		cmocka_unit_test(decimals_that_come_late_are_not_read_in_parts),
		cmocka_unit_test(maps_of_all_parts_are_of_one_table),
		cmocka_unit_test(skipped_lines_are_reported_once),
		cmocka_unit_test(skipped_lines_of_folded_text_are_reported_once),
		cmocka_unit_test(skipped_lines_of_a_script_are_reported_once),
		cmocka_unit_test(threads_of_a_call_graph_are_in_all_parts),
		cmocka_unit_test(losses_are_found_in_all_parts),
		cmocka_unit_test(threads_and_metrics_of_a_program_are_the_same_in_parts),
		cmocka_unit_test(references_between_parts_are_left_to_one_reader),
		cmocka_unit_test(short_or_unsuitable_inputs_are_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
