/* test_scan.c: do functions that test many bytes at once agree with testing one byte at a time? */
#include "test.h"

#include "readers/lines/scan.h"

#include <stdlib.h>

#define ROOM 200u

/* A copy of a text that ends, or starts, where its memory does, so that sanitizers notice an access
 * beyond it. */
static char *copy_of(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, text, len);
	return copy;
}

/* Every length, with the one different byte at every place, and nowhere. */
static void one_different_byte_is_seen_at_every_place(void **state)
{
	char text[ROOM];

	(void)state;
	for (size_t i = 0; i < ROOM; i++)
		text[i] = (char)('a' + i % 23);
	for (size_t len = 0; len < ROOM; len++) {
		char *a = copy_of(text, len), *b = copy_of(text, len);

		assert_true(scan_same(a, b, len));
		for (size_t at = 0; at < len; at++) {
			b[at] ^= 0x40;
			assert_false(scan_same(a, b, len));
			b[at] ^= 0x40;
		}
		free(a);
		free(b);
	}
}

/* The same for what two texts share at their starts and ends, of which one may be longer. */
static void common_parts_are_as_long_as_they_are(void **state)
{
	char text[ROOM];

	(void)state;
	for (size_t i = 0; i < ROOM; i++)
		text[i] = (char)('a' + i % 23);
	for (size_t len = 0; len < ROOM; len++) {
		size_t longer = len + len % 3;
		char *a = copy_of(text, len), *b = copy_of(text, longer < ROOM ? longer : len);
		struct bytes first = {a, len}, second = {b, longer < ROOM ? longer : len};

		assert_int_equal(scan_common_start(first, second), len);
		for (size_t at = 0; at < len; at++) {
			b[at] ^= 0x40;
			assert_int_equal(scan_common_start(first, second), at);
			assert_int_equal(scan_common_start(second, first), at);
			b[at] ^= 0x40;
		}
		memmove(b + second.len - len, text, len);
		assert_int_equal(scan_common_end(first, second), len);
		for (size_t at = 0; at < len; at++) {
			b[second.len - 1 - at] ^= 0x40;
			assert_int_equal(scan_common_end(first, second), at);
			assert_int_equal(scan_common_end(second, first), at);
			b[second.len - 1 - at] ^= 0x40;
		}
		free(a);
		free(b);
	}
}

/* Every byte at every distance from the end. */
static void eight_bytes_at_once_see_what_one_does(void **state)
{
	char text[20] = "ffffffffffffffffffff", number[20] = "55555555555555555555";

	(void)state;
	for (size_t at = 0; at < 12; at++) {
		for (int c = 0; c < 256; c++) {
			size_t digits = is_hex_digit((char)c) ? 12 : 11 - at;

			text[at] = number[at] = (char)c;
			assert_int_equal(scan_hex_before(text, text + 12), digits);
			assert_int_equal(scan_digits_before(number, number + 12),
				c >= '0' && c <= '9' ? 12 : 11 - at);
		}
		text[at] = 'f';
		number[at] = '5';
	}
	for (size_t len = 0; len < 20; len++)
		assert_int_equal(scan_hex_before(text, text + len), len);
}

/* Every byte at every place of a column of digits, of blanks, and of blanks and digits. */
static void a_column_of_an_address_is_blanks_and_digits(void **state)
{
	(void)state;
	for (size_t blanks = 0; blanks <= 16; blanks++) {
		char text[16];

		memset(text, ' ', blanks);
		memset(text + blanks, 'a', 16 - blanks);
		assert_int_equal(scan_hex_column(text), blanks < 16);
		for (size_t at = 0; at < 16; at++) {
			char before = text[at];

			for (int c = 0; c < 256; c++) {
				bool digit = is_hex_digit((char)c);
				bool blank = c == ' ' && (at < blanks || at == blanks) && at < 15;

				text[at] = (char)c;
				if (at < blanks && at + 1 < blanks)
					digit = false; /* with a blank behind it */
				assert_int_equal(
					scan_hex_column(text), blank ? blanks < 16 : digit);
			}
			text[at] = before;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_different_byte_is_seen_at_every_place),
		cmocka_unit_test(common_parts_are_as_long_as_they_are),
		cmocka_unit_test(eight_bytes_at_once_see_what_one_does),
		cmocka_unit_test(a_column_of_an_address_is_blanks_and_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
