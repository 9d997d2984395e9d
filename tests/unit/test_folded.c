/* test_folded.c: folded text, read and written. */
#include "test.h"

#include "support/fold_text.h"

static void assert_folds(const char *text, const char *expected)
{
	struct buffer out = {0};
	struct error err = {0};
	struct profile p;

	if (!read_text(&p, bytes_of(text), "folded", 0, &err))
		fail_msg("%s", err.text);
	fold_profile(&p, NULL, false, NULL, &out);
	assert_bytes_equal(buffer_bytes(&out), expected);
	buffer_release(&out);
	profile_release(&p);
}

static void assert_refused(const char *text, const char *expected)
{
	struct error err = {0};
	struct profile p;

	assert_false(read_text(&p, bytes_of(text), "folded", 0, &err));
	assert_string_equal(err.text, expected);
	assert_int_equal(error_exit_code(&err), 2);
	profile_release(&p);
}

/* The profile's notes, one a line. */
static void collect_notes(const struct profile *p, struct buffer *out)
{
	for (size_t i = 0; i < p->meta.len; i++) {
		struct bytes value = profile_text(p, p->meta.items[i].value);

		if (bytes_equal(profile_text(p, p->meta.items[i].key), BYTES("note")))
			buffer_printf(out, "%.*s\n", (int)value.len, value.at);
	}
}

static void assert_notes(const char *text, const char *expected)
{
	struct buffer notes = {0};
	struct error err = {0};
	struct profile p;

	assert_true(read_text(&p, bytes_of(text), "folded", 0, &err));
	collect_notes(&p, &notes);
	assert_bytes_equal(buffer_bytes(&notes), expected);
	buffer_release(&notes);
	profile_release(&p);
}

static void lines_add_up_in_byte_order(void **state)
{
	(void)state;
	assert_folds("b;c 1\na 2\nb;c 4\n", "a 2\nb;c 5\n");
	assert_folds("no newline 1", "no newline 1\n");
	assert_folds("main;f 1\r\nmain;g 2\r\n", "main;f 1\nmain;g 2\n");
}

/* So many lines that their stacks are made in several groups; the lines are no longer sorted in the
 * middle of a group. Each line occurs twice, and each `f` below every `g`. */
static void many_lines_may_come_in_any_order(void **state)
{
	struct buffer text = {0}, expected = {0};

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		buffer_printf(&expected, "main;g%02u;f%02u 3\n", i / 100, i % 100);
		if (i < 333)
			buffer_printf(&text, "main;g%02u;f%02u 1\n", i / 100, i % 100);
	}
	for (unsigned i = 333; i < 6000; i++) { /* 1009 and 3000 have no common divisor */
		unsigned k = i < 3000 ? 333 + i * 1009 % 2667 : i * 1009 % 3000;

		buffer_printf(&text, "main;g%02u;f%02u %d\n", k / 100, k % 100, i < 3000 ? 1 : 2);
	}
	buffer_add(&text, "", 1);
	buffer_add(&expected, "", 1);
	assert_folds(text.at, expected.at);
	buffer_release(&text);
	buffer_release(&expected);
}

/* "f;" sorts after "f(" and "f.", as with `sort` before flamegraph.pl. */
static void a_line_is_sorted_apart_from_those_of_callees(void **state)
{
	(void)state;
	assert_folds("f;g 2\nf.part;x 2\nf 1\nf(int) 3\nf;a 7\nf.part 4\nf_ 1\n",
		"f 1\nf(int) 3\nf.part 4\nf.part;x 2\nf;a 7\nf;g 2\nf_ 1\n");
}

static void names_may_hold_blanks_and_numbers(void **state)
{
	(void)state;
	assert_folds("a b;c d 7 3\nx;operator new 2\n", "a b;c d 7 3\nx;operator new 2\n");
}

static void two_numbers_on_every_line_are_two_sides(void **state)
{
	struct error err = {0};
	struct profile p;

	(void)state;
	assert_folds("a;b 1 2\na;c 0 4\na;b 5 0\n", "a;b 6 2\na;c 0 4\n");
	assert_true(read_text(&p, BYTES("a;b 1 2\na;c 0 4\n"), "folded", 0, &err));
	assert_int_equal(p.streams.len, 2);
	assert_int_equal(p.streams.items[0].row.side, 1);
	assert_int_equal(p.streams.items[1].row.side, 2);
	assert_int_equal(p.streams.items[0].row.samples, p.streams.items[1].row.samples);
	profile_release(&p);
}

static void decimals_are_exact(void **state)
{
	struct error err = {0};
	struct profile p;

	(void)state;
	assert_folds("a;b 1.5\nc 2\na;b 0.25\nd 0.001\ne 7.0\n", "a;b 1.75\nc 2\nd 0.001\ne 7\n");
	assert_true(read_text(&p, BYTES("a 0.5\nb 2\n"), "folded", 0, &err));
	assert_bytes_equal(profile_text(&p, p.streams.items[0].row.unit), "count/10");
	assert_int_equal(p.streams.items[0].value.items[1], 20);
	profile_release(&p);
}

static void marks_set_the_kind_and_stay(void **state)
{
	static const enum frame_kind kinds[] = {
		FRAME_NATIVE, FRAME_KERNEL, FRAME_JIT, FRAME_INLINED, FRAME_NATIVE};
	struct buffer out = {0};
	struct error err = {0};
	struct profile p;

	(void)state;
	assert_true(read_text(&p, BYTES("a;b_[k];c_[j];d_[i];e_[x] 1\n"), "folded", 0, &err));
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(p.frames.items[i + 1].kind, kinds[i]);
	fold_profile(&p, NULL, false, "all", &out);
	assert_bytes_equal(buffer_bytes(&out), "a;b_[k];c_[j];d_[i];e_[x] 1\n");
	buffer_release(&out);
	profile_release(&p);
}

static void invalid_lines_are_counted_and_reported(void **state)
{
	(void)state;
	assert_notes("a 1\nb 2\n", "");
	assert_notes("# made by x\na 1\n\nb 2\n", "");
	assert_notes("a 1\nwhat is this\nb 2\n7\n",
		"2 of 4 lines skipped, first at line 2: expected frames and a number, such as "
		"`main;parse;read 12`\n");
}

static void comments_and_empty_lines_are_counted(void **state)
{
	struct error err = {0};
	struct profile p;

	(void)state;
	assert_true(read_text(&p, BYTES("# made by x\na 1\n\nb 2\n"), "folded", 0, &err));
	assert_bytes_equal(profile_meta(&p, BYTES("comments")), "2");
	profile_release(&p);
}

static void input_without_stacks_is_an_error_with_a_line(void **state)
{
	(void)state;
	assert_refused("what\nis this\n",
		"test: line 1: expected frames and a number, such as `main;parse;read 12`");
	assert_refused("# only this\n", "test: line 1: unexpected end: expected a sample");
	assert_refused(
		"a 9223372036854775807\nb 1\n", "test: line 2: the sum of all values exceeds 2^63");
}

static void depth_has_a_limit(void **state)
{
	struct buffer deep = {0};

	(void)state;
	for (int i = 0; i < 8191; i++)
		buffer_text(&deep, "f;");
	buffer_text(&deep, "f 1\n");
	assert_folds(deep.at, deep.at);
	deep.len = 0;
	for (uint32_t i = 0; i < READ_DEPTH_LIMIT; i++)
		buffer_text(&deep, "f;");
	buffer_text(&deep, "f 1\n");
	assert_refused(deep.at, "test: line 1: expected a stack of at most 1,048,576 frames");
	buffer_text(&deep, "a 1\n");
	assert_folds(deep.at, "a 1\n");
	buffer_release(&deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_add_up_in_byte_order),
		cmocka_unit_test(many_lines_may_come_in_any_order),
		cmocka_unit_test(a_line_is_sorted_apart_from_those_of_callees),
		cmocka_unit_test(names_may_hold_blanks_and_numbers),
		cmocka_unit_test(two_numbers_on_every_line_are_two_sides),
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(marks_set_the_kind_and_stay),
		cmocka_unit_test(invalid_lines_are_counted_and_reported),
		cmocka_unit_test(comments_and_empty_lines_are_counted),
		cmocka_unit_test(input_without_stacks_is_an_error_with_a_line),
		cmocka_unit_test(depth_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
