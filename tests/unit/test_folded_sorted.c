/* test_folded_sorted.c: which input counts as sorted folded text, and which is left to the
 * reader? */
#include "test.h"

#include "base/buffer.h"
#include "readers/folded/folded_sorted.h"
#include "support/work_folder.h"

/* All lines as "stack=value/shared ...", and "!" at the first line that is not plain. */
static void reads(const char *text, const char *expected)
{
	struct buffer got = {0}, last = {0};
	struct folded_sorted f;
	struct error err = {0};
	bool plain;

	work_write("lines", text);
	assert_true(folded_sorted_open(&f, work_path("lines"), &plain, &err));
	if (!plain)
		buffer_text(&got, "not plain");
	while (plain) {
		assert_true(folded_sorted_next(&f, buffer_bytes(&last), &err));
		if (f.ended || !f.plain)
			break;
		buffer_printf(&got, "%s%.*s=%lld/%zu", got.len ? " " : "", (int)f.stack.len,
			f.stack.at, (long long)f.value, f.shared);
		last.len = 0;
		buffer_add(&last, f.stack.at, f.stack.len);
	}
	if (plain && !f.plain)
		buffer_text(&got, "!");
	assert_string_equal(got.at, expected);
	folded_sorted_release(&f);
	buffer_release(&got);
	buffer_release(&last);
}

static void sorted_lines(void **state)
{
	(void)state;
	reads("a;b 1\na;b;c 2\na;c 30\n", "a;b=1/0 a;b;c=2/3 a;c=30/2");
	reads("a;b 1\na;b 2\n", "a;b=1/0 a;b=2/3"); /* equal ones may follow each other */
	reads("a  1\nb\t2", "a=1/0 b=2/0");
	reads("# x\na;b 1\n\n# y\na;c 2\n", "a;b=1/0 a;c=2/2");
	/* The prefix that two stacks share does not include a number. */
	reads("a;x 1\na;x 12;y 3\n", "a;x=1/0 a;x 12;y=3/3");
}

static void lines_that_are_not_plain_end_the_scan(void **state)
{
	(void)state;
	reads("b;b 1\na;b 2\n", "b;b=1/0!");
	reads("a;b;c 1\na;b 2\n", "a;b;c=1/0!");
	reads("a;x 12;y 3\na;x 12\n", "a;x 12;y=3/0!");
	reads("a;b 1\na;c 2.5\n", "a;b=1/0!");
	reads("a;b 1\r\na;c 2\r\n", "!");
	reads("a;b 1\na;c 2\na;d 2 \n", "a;b=1/0 a;c=2/2!");
	reads("a;b 1\na;c 1\na;d\n", "a;b=1/0 a;c=1/2!");
	reads("a;b 1 2\na;c 1 2\n", "not plain");
	reads("no folded text at all\n", "not plain");
}

/* Lines are longer than the window; a line with too many frames is not plain. */
static void long_lines(void **state)
{
	struct buffer text = {0};
	struct folded_plain taken;
	struct folded_sorted f;
	struct error err = {0};
	size_t count;
	bool plain;

	(void)state;
	for (int line = 0; line < 2; line++) {
		for (int i = 0; i < 300000; i++)
			buffer_char(&text, i % 100 ? 'a' : ';');
		buffer_printf(&text, "b%d 7\n", line);
	}
	work_write("lines", text.at);
	assert_true(folded_sorted_open(&f, work_path("lines"), &plain, &err) && plain);
	assert_true(folded_sorted_next(&f, (struct bytes){"", 0}, &err) && f.plain);
	assert_int_equal(f.stack.len, 300002);
	assert_true(folded_sorted_next(&f, (struct bytes){text.at, 300002}, &err) && f.plain);
	assert_int_equal(f.shared, 300001);
	assert_true(folded_sorted_next(&f, (struct bytes){text.at, 300002}, &err) && f.ended);
	folded_sorted_release(&f);
	assert_true(folded_sorted_open(&f, work_path("lines"), &plain, &err) && plain);
	for (size_t line = 0; line < 3; line++) {
		assert_true(folded_sorted_take(&f, &taken, 1, &count, &err) && f.plain);
		assert_int_equal(count, line < 2);
		assert_int_equal(taken.stack.len, 300002);
	}
	folded_sorted_release(&f);
	text.len = 0;
	for (int i = 0; i < 20000; i++)
		buffer_text(&text, "f;");
	buffer_text(&text, "f 1\n");
	work_write("lines", text.at);
	assert_true(folded_sorted_open(&f, work_path("lines"), &plain, &err) && plain);
	assert_true(folded_sorted_next(&f, (struct bytes){"", 0}, &err) && !f.plain);
	folded_sorted_release(&f);
	buffer_release(&text);
}

/* The same for lines in any order, some lines at a time. */
static void takes(const char *text, const char *expected)
{
	struct folded_plain lines[2];
	struct buffer got = {0};
	struct folded_sorted f;
	struct error err = {0};
	size_t count;
	bool plain;

	work_write("lines", text);
	assert_true(folded_sorted_open(&f, work_path("lines"), &plain, &err) && plain);
	while (folded_sorted_take(&f, lines, 2, &count, &err) && f.plain && count) {
		for (size_t i = 0; i < count; i++)
			buffer_printf(&got, "%s%.*s=%lld", i ? " " : "", (int)lines[i].stack.len,
				lines[i].stack.at, (long long)lines[i].value);
		buffer_char(&got, '/');
	}
	buffer_text(&got, f.plain ? "" : "!");
	assert_string_equal(got.at, expected);
	folded_sorted_release(&f);
	buffer_release(&got);
}

static void lines_in_any_order(void **state)
{
	(void)state;
	takes("b 1\na;b 2\nb 1\n", "b=1 a;b=2/b=1/");
	takes("# x\n\nc 1\n# y\na 2", "c=1 a=2/");
	takes("c 1\n# y\n# z\n", "c=1/");
	takes("c 1\nb 2\na\n", "c=1 b=2/!");
	takes("c 1\nb 2\na 1.5\n", "c=1 b=2/!");
}

static void texts_are_compared_from_a_known_prefix(void **state)
{
	size_t shared = 0;

	(void)state;
	assert_true(folded_compare_from(BYTES("abc"), BYTES("abd"), 1, &shared) < 0);
	assert_int_equal(shared, 2);
	assert_true(folded_compare_from(BYTES("ab"), BYTES("abd"), 0, &shared) < 0);
	assert_true(folded_compare_from(BYTES("ab\xff"), BYTES("abd"), 2, &shared) > 0);
	assert_int_equal(folded_compare_from(BYTES("ab"), BYTES("ab"), 2, &shared), 0);
	assert_int_equal(shared, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_lines),
		cmocka_unit_test(lines_that_are_not_plain_end_the_scan),
		cmocka_unit_test(lines_in_any_order),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(texts_are_compared_from_a_known_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
