/* test_base.c: text, numbers, UTF-8 and hashing. */
#include "test.h"

#include "base/base64.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/output_pieces.h"
#include "base/units.h"
#include "base/utf8.h"

#include <errno.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static void lines_end_with_or_without_newline(void **state)
{
	struct bytes text = BYTES("one\r\n\ntwo"), line;

	(void)state;
	assert_true(bytes_line(&text, &line));
	assert_bytes_equal(line, "one");
	assert_true(bytes_line(&text, &line));
	assert_bytes_equal(line, "");
	assert_true(bytes_line(&text, &line));
	assert_bytes_equal(line, "two");
	assert_false(bytes_line(&text, &line));
}

static void numbers_are_whole_or_refused(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_true(bytes_u64(BYTES("18446744073709551615"), &value));
	assert_true(value == UINT64_MAX);
	value = 7;
	assert_false(bytes_u64(BYTES("18446744073709551616"), &value));
	assert_false(bytes_u64(BYTES(""), &value));
	assert_false(bytes_u64(BYTES("1 "), &value));
	assert_false(bytes_u64(BYTES("-1"), &value));
	assert_int_equal(value, 7);
	assert_true(bytes_hex(BYTES("ffffFFFFffffffff"), &value));
	assert_true(value == UINT64_MAX);
	assert_false(bytes_hex(BYTES("10000000000000000"), &value));
	assert_false(bytes_hex(BYTES("0x1"), &value));
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {{"10s", 10000000000}, {"250ms", 250000000}, {"1.5m", 90000000000},
		{"3us", 3000}, {"100ns", 100}, {"2", 2000000000}, {"0.5", 500000000}};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(bytes_duration(bytes_of(cases[i].text), &ns));
		assert_int_equal(ns, cases[i].ns);
	}
	assert_false(bytes_duration(BYTES("10 parsecs"), &ns));
	assert_false(bytes_duration(BYTES("s"), &ns));
	assert_false(bytes_duration(BYTES("-1s"), &ns));
	assert_false(bytes_duration(BYTES("1e300s"), &ns));
}

/* As strtod reads them, to the last bit. */
static void decimals_are_read_exactly(void **state)
{
	static const char *const texts[] = {"0", "0.0", "0.016612", "1.5", "123456789012345",
		"12345678901234.5", "0.00000000000001", "99999999.9999999", "1234567890123456",
		"0.1234567890123456", "5.", ".5", "1e3", "-2.75", "9007199254740993"};
	uint64_t seed = 88172645463325252u;
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_true(bytes_double(bytes_of(texts[i]), &value));
		assert_true(value == strtod(texts[i], NULL));
	}
	for (int i = 0; i < 20000; i++) {
		char text[40];

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		snprintf(text, sizeof(text), "%llu.%llu", (unsigned long long)(seed % 10000000),
			(unsigned long long)(seed >> 32) % 100000000);
		assert_true(bytes_double(bytes_of(text), &value));
		assert_true(value == strtod(text, NULL));
	}
	assert_false(bytes_double(BYTES("1.2.3"), &value));
	assert_false(bytes_double(BYTES(""), &value));
	assert_false(bytes_double(BYTES("1,5"), &value));
}

static void xml_json_and_csv_escape(void **state)
{
	struct buffer b = {0};

	(void)state;
	buffer_xml(&b, BYTES("std::vector<int>& \"a\" '\x01\xff"));
	assert_non_null(strstr(b.at, "std::vector&lt;int&gt;&amp; &quot;a&quot; "));
	assert_null(strchr(b.at, '\x01'));
	assert_null(strchr(b.at, '\xff'));
	assert_int_equal(utf8_clean_length(buffer_bytes(&b)), b.len);
	b.len = 0;
	buffer_json(&b, BYTES("a\"b\\c\n\t\x01 \xc3\xa9 \xc3"));
	assert_string_equal(b.at, "\"a\\\"b\\\\c\\u000a\\u0009\\u0001 \xc3\xa9 \xef\xbf\xbd\"");
	b.len = 0;
	buffer_csv(&b, BYTES("plain"));
	buffer_char(&b, ',');
	buffer_csv(&b, BYTES("f(a, \"b\")"));
	assert_string_equal(b.at, "plain,\"f(a, \"\"b\"\")\"");
	buffer_release(&b);
}

static void units_read_well(void **state)
{
	struct buffer b = {0};

	(void)state;
	units_grouped(&b, 1234567);
	buffer_char(&b, ' ');
	units_grouped(&b, INT64_MIN);
	assert_string_equal(b.at, "1,234,567 -9,223,372,036,854,775,808");
	b.len = 0;
	units_percent(&b, 999999, 1000000);
	buffer_char(&b, ' ');
	units_percent(&b, 1, 1);
	buffer_char(&b, ' ');
	units_percent(&b, 0, 0);
	assert_string_equal(b.at, "99.99 100.00 0.00");
	b.len = 0;
	units_percent_nonzero(&b, 1, 30000);
	buffer_char(&b, ' ');
	units_percent_nonzero(&b, 1, 10000);
	buffer_char(&b, ' ');
	units_percent_nonzero(&b, 0, 30000);
	assert_string_equal(b.at, "<0.01 0.01 0.00");
	b.len = 0;
	units_human(&b, 1234000000, BYTES("ns"));
	buffer_char(&b, '|');
	units_human(&b, 1572864, BYTES("bytes"));
	buffer_char(&b, '|');
	units_human(&b, 1234, BYTES("samples"));
	assert_string_equal(b.at, "1.23 s|1.50 MiB|1,234 samples");
	buffer_release(&b);
}

static void invalid_utf8_is_refused(void **state)
{
	uint32_t code;

	(void)state;
	assert_int_equal(utf8_decode(BYTES("\xf0\x9f\x94\xa5"), &code), 4);
	assert_int_equal(code, 0x1F525);
	assert_int_equal(utf8_decode(BYTES("\xc0\x80"), &code), 0);	    /* overlong */
	assert_int_equal(utf8_decode(BYTES("\xed\xa0\x80"), &code), 0);	    /* surrogate */
	assert_int_equal(utf8_decode(BYTES("\xf4\x90\x80\x80"), &code), 0); /* above U+10FFFF */
	assert_int_equal(utf8_decode(BYTES("\xe2\x82"), &code), 0);	    /* cut */
	assert_int_equal(utf8_count(BYTES("a\xc3\xa9\xff")), 3);
	assert_int_equal(utf8_clean_length(BYTES("abcdefghijklmnop\x7f")), 16);
	assert_int_equal(utf8_clean_length(BYTES("\xc3\xa9\xc2\x9b")), 2); /* U+009B, CSI */
	assert_int_equal(utf8_clean_length(BYTES("ab\xe2\x80\xae")), 2);   /* U+202E */
	assert_int_equal(utf8_clean_length(BYTES("ab\xe2\x81\xa6")), 2);   /* U+2066 */
	assert_int_equal(
		utf8_clean_length(BYTES("\xe2\x80\xa7\xe2\x80\xaf\xd7\x90")), 8); /* beside */
}

/* RFC 4648, section 10, and bytes whose letters differ in the URL-safe alphabet. */
static void base64_matches_the_rfc(void **state)
{
	static const char *const cases[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"}, {"\xfb\xff\xbe", "+/++"}};
	struct buffer text = {0}, back = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		text.len = back.len = 0;
		base64_encode(bytes_of(cases[i][0]), &text);
		assert_true(bytes_equal(buffer_bytes(&text), bytes_of(cases[i][1])));
		assert_true(base64_decode(buffer_bytes(&text), &back));
		assert_true(bytes_equal(buffer_bytes(&back), bytes_of(cases[i][0])));
	}
	back.len = 0;
	assert_true(base64_decode(BYTES("-_--"), &back));
	assert_true(bytes_equal(buffer_bytes(&back), BYTES("\xfb\xff\xbe")));
	assert_false(base64_decode(BYTES("Zm9v Zg"), &back));
	buffer_release(&text);
	buffer_release(&back);
}

static void fill_and_find(struct id_map *map, uint32_t count)
{
	for (uint32_t key = 1; key <= count; key++) {
		uint64_t hash = hash_pair(key, key / 3);
		size_t at = id_map_first(map, hash);

		while (id_map_candidate(map, hash, &at))
			;
		id_map_insert_at(map, hash, at, key);
	}
	for (uint32_t key = 1; key <= count; key++) {
		uint64_t hash = hash_pair(key, key / 3);
		size_t at = id_map_first(map, hash);
		uint32_t id;

		while ((id = id_map_candidate(map, hash, &at)) && id != key)
			;
		assert_int_equal(id, key);
	}
	assert_int_equal(map->used, count);
}

static void map_finds_inserted_entries(void **state)
{
	struct id_map map = {0};

	(void)state;
	fill_and_find(&map, 100000);
	id_map_release(&map);
}

static void map_with_room_does_not_grow(void **state)
{
	struct id_map map = {0};
	size_t mask;

	(void)state;
	id_map_reserve(&map, 10);
	id_map_insert(&map, 1, 7);
	id_map_reserve(&map, 100001);
	mask = map.mask;
	assert_int_equal(map.used, 1);
	map.used = 0;
	map.slots[id_map_start(&map, 1)].id = 0;
	fill_and_find(&map, 100000);
	assert_int_equal(map.mask, mask);
	id_map_reserve(&map, 5);
	assert_int_equal(map.mask, mask);
	id_map_release(&map);
}

static void borrowed_vectors_are_copied_on_growth(void **state)
{
	static int borrowed[3] = {1, 2, 3};
	VECTOR(int) v = {borrowed, 3, 0};

	(void)state;
	vector_push(&v, 4);
	v.items[0] = 9;
	assert_int_equal(borrowed[0], 1);
	assert_int_equal(v.items[2], 3);
	assert_int_equal(v.items[3], 4);
	vector_release(&v);
	assert_null(v.items);
}

static void errors_have_codes_and_prefixes(void **state)
{
	struct error err = {0};

	(void)state;
	errno = EACCES;
	assert_false(error_errno(&err, "cannot open '%s'", "x"));
	assert_int_equal(err.code, ERR_PERMISSION);
	assert_false(error_set(&err, ERR_FORMAT, "line %d: expected a count", 3));
	assert_false(error_prefix(&err, "%s: ", "in.folded"));
	assert_string_equal(err.text, "in.folded: line 3: expected a count");
	assert_int_equal(error_exit_code(&err), 2);
	errno = ENOSPC;
	assert_false(error_errno(&err, "cannot write"));
	assert_int_equal(err.code, ERR_IO);
	assert_int_equal(error_exit_code(&err), 1);
}

/* With and without AVX2, the hash is that of xxhash.h as compiled here, for all lengths around the
 * switch and for longer ones. */
static void hashes_are_xxh3(void **state)
{
	static char bytes[3 << 20];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * i >> 7);
	for (size_t len = 0; len < 1500; len++)
		assert_true(hash_bytes(bytes, len) == XXH3_64bits(bytes, len));
	for (size_t len = 4000; len < sizeof(bytes); len = len * 2 + 1)
		assert_true(hash_bytes(bytes + 1, len) == XXH3_64bits(bytes + 1, len));
}

/* Pieces of very different lengths, some of them empty: each repeats its number. */
static void make_numbers(void *context, size_t i, struct buffer *text)
{
	size_t *made = context;

	__atomic_add_fetch(made, 1, __ATOMIC_RELAXED);
	assert_int_equal(text->len, 0);
	for (size_t left = i * 7919 % 1000; left; left--) {
		buffer_u64(text, i);
		buffer_char(text, ' ');
	}
}

static void pieces_are_written_in_order(void **state)
{
	struct buffer expected = {0};
	struct output output;
	size_t made = 0;

	(void)state;
	output_open_memory(&output);
	output_write_pieces(&output, SIZE_MAX, 0, make_numbers, &made);
	output_write_pieces(&output, SIZE_MAX, 300, make_numbers, &made);
	assert_int_equal(made, 300);
	for (size_t i = 0; i < 300; i++) {
		struct buffer piece = {0};

		make_numbers(&made, i, &piece);
		buffer_add(&expected, piece.at, piece.len);
		buffer_release(&piece);
	}
	assert_int_equal(output.pending.len, expected.len);
	assert_memory_equal(output.pending.at, expected.at, expected.len);
	buffer_release(&expected);
	output_discard(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_are_read_exactly),
		cmocka_unit_test(lines_end_with_or_without_newline),
		cmocka_unit_test(numbers_are_whole_or_refused),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(xml_json_and_csv_escape),
		cmocka_unit_test(units_read_well),
		cmocka_unit_test(invalid_utf8_is_refused),
		cmocka_unit_test(base64_matches_the_rfc),
		cmocka_unit_test(map_finds_inserted_entries),
		cmocka_unit_test(map_with_room_does_not_grow),
		cmocka_unit_test(hashes_are_xxh3),
		cmocka_unit_test(borrowed_vectors_are_copied_on_growth),
		cmocka_unit_test(pieces_are_written_in_order),
		cmocka_unit_test(errors_have_codes_and_prefixes),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
