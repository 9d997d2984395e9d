/* test_text_lines.c: are lines that are found ahead the lines of the text, and are repeated ones
 * recognised? */
#include "test.h"

#include "base/buffer.h"
#include "readers/lines/scan.h"
#include "readers/lines/text_lines.h"

#include <stdlib.h>

/* Text of lines of up to `longest` bytes, of which there are few different ones. */
static void make_text(struct buffer *text, size_t size, unsigned longest)
{
	while (text->len < size) {
		unsigned len = (unsigned)rand() % (longest + 1);

		for (unsigned i = 0; i < len; i++)
			buffer_char(text, (char)('a' + len % 3));
		buffer_text(text, rand() % 8 ? "\n" : "\r\n");
	}
}

static void finds_newlines(void **state)
{
	(void)state;
	for (unsigned longest = 0; longest < 100; longest += 1 + longest / 4) {
		struct buffer text = {0};
		uint32_t at[40];
		size_t i = 0;

		make_text(&text, 3000, longest);
		while (i < text.len) {
			size_t count = scan_newlines((struct bytes){text.at + i, text.len - i}, at,
				sizeof(at) / sizeof(*at));
			size_t start = i;

			assert_true(count > 0 && count <= sizeof(at) / sizeof(*at));
			for (size_t k = 0; k < count; k++, i++) {
				while (text.at[i] != '\n')
					i++;
				assert_int_equal(i - start, at[k]);
			}
		}
		assert_int_equal(scan_newlines((struct bytes){text.at, 0}, at, 40), 0);
		buffer_release(&text);
	}
}

/* Values that were stored for a line's text, and for its text after the first byte, are
 * returned. */
static void check_lines(struct bytes text, bool whole)
{
	struct error err = {0};
	struct input in;
	struct text_lines lines = {.in = &in};
	struct memo learned = {0};
	struct bytes line, expected, asked;
	uint32_t value = 0;
	bool more = true;

	assert_true(input_open_bytes(&in, text, "lines", &err));
	while (bytes_line(&text, &expected)) {
		uint32_t known;

		assert_true(text_lines_next(&lines, &line, &more, &err) && more);
		assert_true(bytes_equal(line, expected));
		if (!line.len)
			continue;
		asked = whole ? line : (struct bytes){line.at + 1, line.len - 1};
		known = text_lines_known(&lines, asked);
		assert_int_equal(known, memo_find(&learned, asked));
		if (known || rand() % 4 == 0)
			continue;
		text_lines_learn(&lines, asked, ++value);
		memo_put(&learned, asked, value);
		assert_int_equal(text_lines_known(&lines, asked), value);
	}
	assert_true(text_lines_next(&lines, &line, &more, &err) && !more);
	text_lines_release(&lines);
	memo_release(&learned);
	input_release(&in);
}

static void knows_lines(void **state)
{
	struct buffer text = {0};

	(void)state;
	make_text(&text, 200000, 60);
	buffer_text(&text, "a last line without an end");
	check_lines(buffer_bytes(&text), true);
	check_lines(buffer_bytes(&text), false);
	buffer_release(&text);
}

static void reads_long_lines(void **state)
{
	struct buffer text = {0};

	(void)state;
	make_text(&text, 3 << 20, 1 << 21);
	make_text(&text, 6 << 20, 40);
	check_lines(buffer_bytes(&text), true);
	buffer_release(&text);
}

static void scans_short_texts(void **state)
{
	char text[24];

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		for (size_t at = 0; at <= len; at++) {
			struct bytes bytes = {text, len};

			memset(text, ' ', sizeof(text));
			if (at < len)
				text[at] = ',';
			assert_int_equal(bytes_until(bytes, ','), at);
			assert_int_equal(bytes_count_leading(bytes, ' '), at);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_newlines),
		cmocka_unit_test(knows_lines),
		cmocka_unit_test(reads_long_lines),
		cmocka_unit_test(scans_short_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
