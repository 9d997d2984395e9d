/* test_pprof.c: what do pprof's labels, ids and broken files become? */
#include "test.h"

#include "base/input.h"
#include "names/pprof_format.h"
#include "readers/reading.h"
#include "readers/stacks/packed_path.h"
#include "renderers/pprof_profile.h"
#include "support/fold_text.h"

static bool read_bytes(struct profile *p, struct bytes content, unsigned want, struct error *err)
{
	struct read_options options = {.want = want, .format = "pprof"};
	struct input in;
	bool done;

	*err = (struct error){0};
	assert_true(input_open_bytes(&in, content, "test", err));
	done = profile_read_input(&in, &options, p, err);
	input_release(&in);
	return done;
}

/* A file with one location, one function and the strings "", samples, count, main, and these. */
static void begin_file(struct buffer *b, const char *const *strings)
{
	protobuf_put_item(b, PPROF_SAMPLE_TYPE, BYTES("\x08\x01\x10\x02"));
	protobuf_put_item(b, PPROF_FUNCTION, BYTES("\x08\x01\x10\x03"));
	protobuf_put_item(b, PPROF_LOCATION, BYTES("\x08\x01\x22\x02\x08\x01"));
	protobuf_put_item(b, PPROF_STRING, BYTES(""));
	protobuf_put_item(b, PPROF_STRING, BYTES("samples"));
	protobuf_put_item(b, PPROF_STRING, BYTES("count"));
	protobuf_put_item(b, PPROF_STRING, BYTES("main"));
	for (; *strings; strings++)
		protobuf_put_item(b, PPROF_STRING, bytes_of(*strings));
}

static const struct thread *thread_of_sample(const struct profile *p, size_t sample)
{
	return &p->threads.items[p->samples.items[0].thread.items[sample]];
}

/* Strings from 4 on: a number as text, names, keys. */
static void labels_become_threads_and_cpus(void **state)
{
	static const char *const strings[] = {"pid", "12", "tid", "thread", "net loop", "comm",
		"server", "cpu", "thread id", "bytes", NULL};
	struct buffer b = {0};
	struct error err;
	struct profile p;

	(void)state;
	begin_file(&b, strings);
	/* pid as text, tid as a number, names. */
	protobuf_put_item(&b, PPROF_SAMPLE,
		BYTES("\x0a\x01\x01\x12\x01\x05"
		      "\x1a\x04\x08\x04\x10\x05\x1a\x04\x08\x06\x18\x0d"
		      "\x1a\x04\x08\x07\x10\x08\x1a\x04\x08\x09\x10\x0a\x1a\x04\x08\x0b\x18\x03"));
	/* Datadog's "thread id"; a thread that is a number; a pid that is not a number. */
	protobuf_put_item(
		&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x06\x1a\x04\x08\x0c\x18\x63"));
	protobuf_put_item(
		&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x07\x1a\x04\x08\x07\x18\x21"));
	protobuf_put_item(
		&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x08\x1a\x04\x08\x04\x10\x08"));
	assert_true(read_bytes(&p, buffer_bytes(&b), WANT_ALL, &err));
	assert_int_equal(p.samples.items[0].count, 4);
	assert_int_equal(p.processes.items[thread_of_sample(&p, 0)->process].pid, 12);
	assert_bytes_equal(
		profile_text(&p, p.processes.items[thread_of_sample(&p, 0)->process].name),
		"server");
	assert_int_equal(thread_of_sample(&p, 0)->tid, 13);
	assert_bytes_equal(profile_text(&p, thread_of_sample(&p, 0)->name), "net loop");
	assert_int_equal(p.samples.items[0].cpu.items[0], 3);
	assert_int_equal(thread_of_sample(&p, 1)->tid, 99);
	assert_int_equal(p.samples.items[0].cpu.items[1], NO_CPU);
	assert_int_equal(thread_of_sample(&p, 2)->tid, 33);
	assert_int_equal(p.samples.items[0].thread.items[3], 0);
	assert_bytes_equal(
		profile_text(&p, p.label_sets.items[p.samples.items[0].labels.items[3]].value),
		"net loop");
	assert_int_equal(p.samples.items[0].labels.items[0], 0);
	profile_release(&p);
	buffer_release(&b);
}

/* Samples before the first one with a thread, a CPU or a label get rows in that column, too. */
static void columns_begin_at_the_first_known_value(void **state)
{
	static const char *const strings[] = {"tid", "cpu", "colour", "red", NULL};
	struct buffer b = {0};
	struct profile p;
	struct samples *s = NULL;
	struct error err;

	(void)state;
	begin_file(&b, strings);
	protobuf_put_item(&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x05"));
	protobuf_put_item(
		&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x05\x1a\x04\x08\x05\x18\x03"));
	protobuf_put_item(
		&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x05\x1a\x04\x08\x06\x10\x07"));
	protobuf_put_item(&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x05"));
	assert_true(read_bytes(&p, buffer_bytes(&b), WANT_ALL, &err));
	s = &p.samples.items[0];
	assert_int_equal(s->count, 4);
	assert_int_equal(s->thread.len, 0);
	assert_int_equal(s->cpu.len, 4);
	assert_int_equal(s->cpu.items[0], NO_CPU);
	assert_int_equal(s->cpu.items[1], 3);
	assert_int_equal(s->cpu.items[3], NO_CPU);
	assert_int_equal(s->labels.len, 4);
	assert_int_equal(s->labels.items[1], 0);
	assert_int_not_equal(s->labels.items[2], 0);
	assert_int_equal(s->labels.items[3], 0);
	profile_release(&p);
	buffer_release(&b);
}

static void numbers_as_text_are_numbers_again(void **state)
{
	static const struct {
		const char *text;
		int64_t number;
		const char *unit;
	} cases[] = {{"0", 0, ""}, {"7", 7, ""}, {"-7", -7, ""}, {"512 bytes", 512, "bytes"},
		{"9223372036854775807", INT64_MAX, ""}, {"-1 seconds", -1, "seconds"}};
	static const char *const others[] = {"", "-", "-0", "007", "7 ", " 7", "7 mice", "7  bytes",
		"bytes", "9223372036854775808", "1.5", "7 bytes more"};
	struct buffer b = {0};
	struct bytes unit;
	int64_t number;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(pprof_number_of(bytes_of(cases[i].text), &number, &unit));
		assert_true(number == cases[i].number);
		assert_bytes_equal(unit, cases[i].unit);
		b.len = 0;
		pprof_number_text(&b, number, unit);
		assert_bytes_equal(buffer_bytes(&b), cases[i].text);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(pprof_number_of(bytes_of(others[i]), &number, &unit));
	buffer_release(&b);
}

/* One address with two sets of names stays two locations, each with its own names. */
static void one_address_with_two_names(void **state)
{
	static const char *const strings[] = {"/bin/x", "other", NULL};
	struct buffer b = {0};
	struct error err;
	struct profile p;
	struct buffer text = {0};

	(void)state;
	begin_file(&b, strings);
	protobuf_put_item(&b, PPROF_MAPPING, BYTES("\x08\x01\x28\x04"));
	protobuf_put_item(&b, PPROF_FUNCTION, BYTES("\x08\x02\x10\x05"));
	protobuf_put_item(&b, PPROF_LOCATION, BYTES("\x08\x02\x10\x01\x18\x44\x22\x02\x08\x01"));
	protobuf_put_item(&b, PPROF_LOCATION, BYTES("\x08\x03\x10\x01\x18\x44\x22\x02\x08\x02"));
	protobuf_put_item(&b, PPROF_SAMPLE, BYTES("\x0a\x01\x02\x12\x01\x05"));
	protobuf_put_item(&b, PPROF_SAMPLE, BYTES("\x0a\x01\x03\x12\x01\x06"));
	assert_true(read_bytes(&p, buffer_bytes(&b), WANT_ALL, &err));
	fold_profile(&p, NULL, false, NULL, &text);
	assert_bytes_equal(buffer_bytes(&text), "main 5\nother 6\n");
	profile_release(&p);
	buffer_release(&b);
	buffer_release(&text);
}

/* A file that is cut anywhere gives a profile of its whole parts, or an error with the offset. */
static void truncation_is_reported_with_its_offset(void **state)
{
	struct error err = {0};
	struct bytes whole;
	struct input in;
	size_t good = 0;

	(void)state;
	assert_true(input_open(&in, test_path("tests/golden/pprof/everything.pb"), &err));
	assert_true(input_whole(&in, 1 << 20, &whole, &err));
	for (size_t len = 1; len < whole.len; len++) {
		struct bytes part = {memcpy(malloc(len), whole.at, len), len};
		struct profile p;

		if (read_bytes(&p, part, WANT_ALL, &err)) {
			good++;
		} else {
			assert_int_equal(err.code, ERR_FORMAT);
			assert_non_null(strstr(err.text, "test: byte "));
		}
		profile_release(&p);
		free((void *)(uintptr_t)part.at);
	}
	assert_in_range(good, 5, 80); /* at the ends of fields */
	input_release(&in);
}

/* Stacks above the limit of depth are skipped and counted. */
static void a_stack_that_is_too_deep_is_skipped(void **state)
{
	static const char *const strings[] = {NULL};
	struct buffer b = {0}, sample = {0}, ids = {0};
	struct error err;
	struct profile p;

	(void)state;
	begin_file(&b, strings);
	for (size_t i = 0; i < READ_DEPTH_LIMIT + 1; i++)
		protobuf_put_varint(&ids, 1);
	protobuf_put_item(&sample, PPROF_SAMPLE_LOCATION, buffer_bytes(&ids));
	protobuf_put_item(&sample, PPROF_SAMPLE_VALUE, BYTES("\x01"));
	protobuf_put_item(&b, PPROF_SAMPLE, buffer_bytes(&sample));
	assert_false(read_bytes(&p, buffer_bytes(&b), 0, &err));
	assert_non_null(strstr(err.text, "expected a stack of at most 1,048,576 frames"));
	profile_release(&p);
	protobuf_put_item(&b, PPROF_SAMPLE, BYTES("\x0a\x01\x01\x12\x01\x05"));
	assert_true(read_bytes(&p, buffer_bytes(&b), 0, &err));
	assert_int_equal(p.samples.items[0].count, 1);
	assert_non_null(strstr(profile_meta(&p, BYTES("note")).at, "1 of 2 samples skipped"));
	profile_release(&p);
	buffer_release(&b);
	buffer_release(&sample);
	buffer_release(&ids);
}

/* Numbers of one to ten bytes at every offset, up to the last byte that may be read; each one is an
 * index into a table. */
static void packed_numbers_are_looked_up(void **state)
{
	uint32_t table[300], expected[64], found[64 * 10];
	uint64_t random = 1;

	(void)state;
	for (uint32_t i = 0; i < 300; i++)
		table[i] = i * 7 + 1;
	for (int round = 0; round < 20000; round++) {
		size_t count = (size_t)(round % 64), taken;
		struct buffer b = {0};
		char *exact;

		for (size_t i = 0; i < count; i++) {
			uint64_t number;

			random = random * 6364136223846793005u + 1442695040888963407u;
			number = random >> 33 & 7 ? random >> 40 & 511 : random >> (random >> 58);
			protobuf_put_varint(&b, number);
			expected[i] = number < 300 ? table[number] : 0;
		}
		exact = memory_new(b.len + 1, 1);
		if (b.len)
			memcpy(exact, b.at, b.len);
		taken = packed_look_up(
			(struct bytes){exact, b.len}, exact + b.len, table, 300, found);
		assert_int_equal(taken, count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(found[i], expected[i]);
		exact[b.len] = (char)0x80;
		assert_true(packed_look_up((struct bytes){exact, b.len + 1}, exact + b.len + 1,
				    table, 300, found) == SIZE_MAX);
		free(exact);
		buffer_release(&b);
	}
}

static void text_is_not_taken_for_pprof(void **state)
{
	static const char *const texts[] = {"main;work 10\nmain;rest 20\n", "hahahaha\n",
		"\n\n\n\n", "@[\n    main\n]: 10\n", "{\"a\": 1}", "8 8 8 8 8 8 8\n", "\nPPPPPPPP",
		"2 ", "HHHHhhhh"};
	const struct reader *reader = reader_by_name("pprof");

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(reader->bid(bytes_of(texts[i])), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_become_threads_and_cpus),
		cmocka_unit_test(columns_begin_at_the_first_known_value),
		cmocka_unit_test(numbers_as_text_are_numbers_again),
		cmocka_unit_test(one_address_with_two_names),
		cmocka_unit_test(truncation_is_reported_with_its_offset),
		cmocka_unit_test(a_stack_that_is_too_deep_is_skipped),
		cmocka_unit_test(packed_numbers_are_looked_up),
		cmocka_unit_test(text_is_not_taken_for_pprof),
	};

	return cmocka_run_group_tests_name("pprof", tests, NULL, NULL);
}
