/* test_json.c: is JSON parsed correctly, wherever the input's window ends? */
#include "test.h"

#include "base/json.h"

#include <fcntl.h>

struct pulled {
	struct input in;
	struct json j;
	struct error err;
};

static void open_text(struct pulled *p, const char *text)
{
	memset(p, 0, sizeof(*p));
	assert_true(input_open_bytes(&p->in, bytes_of(text), "test", &p->err));
	assert_true(input_fill(&p->in, 1, &p->err));
	json_open(&p->j, &p->in, &p->err);
}

static bool close_text(struct pulled *p)
{
	bool done = json_finish(&p->j);

	json_release(&p->j);
	input_release(&p->in);
	return done;
}

/* Write all values as text that distinguishes their types. */
static void describe(struct json *j, struct buffer *out)
{
	struct bytes key;

	switch (json_peek(j)) {
	case JSON_OBJECT:
		buffer_char(out, '{');
		for (json_object(j); json_key(j, &key);) {
			buffer_json(out, key);
			describe(j, out);
			buffer_char(out, ';');
		}
		buffer_char(out, '}');
		break;
	case JSON_ARRAY:
		buffer_char(out, '[');
		for (json_array(j); json_item(j);) {
			describe(j, out);
			buffer_char(out, ';');
		}
		buffer_char(out, ']');
		break;
	case JSON_STRING:
		buffer_json(out, json_string(j));
		break;
	case JSON_NUMBER:
		buffer_i64(out, json_number(j, 3, 0));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		buffer_text(out, json_bool(j) ? "yes" : "no");
		break;
	default:
		buffer_i64(out, json_number(j, 0, -1));
	}
}

#define SAMPLE_TEXT                                                                                \
	"{\"a\" : [1, -2.5 ,3e2,0.0004,12345678.9996],\r\n\t\"b\":{},\"c\":[ ],"                   \
	"\"q\\\"\\u00e9\\ud83d\\ude00\\ud800\":\"tab\\t\\\\ "                                      \
	"\\/end\",\"d\":[true,false,null,[[{}]]]} \n"
#define SAMPLE_MEANS                                                                               \
	"{\"a\"[1000;-2500;300000;0;12345679000;];\"b\"{};\"c\"[];"                                \
	"\"q\\\"\303\251\360\237\230\200\357\277\275\"\"tab\\u0009\\\\ /end\";"                    \
	"\"d\"[yes;no;-1;[[{};];];];}"

static void values_are_read(void **state)
{
	struct buffer out = {0};
	struct pulled p;

	(void)state;
	open_text(&p, "\xEF\xBB\xBF " SAMPLE_TEXT);
	describe(&p.j, &out);
	assert_true(close_text(&p));
	assert_bytes_equal(buffer_bytes(&out), SAMPLE_MEANS);
	buffer_release(&out);
}

/* What is written to a pipe in two parts is read in two. */
static void open_parts(struct pulled *p, struct bytes first, struct bytes second)
{
	int ends[2], standard = dup(STDIN_FILENO);

	memset(p, 0, sizeof(*p));
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(write(ends[1], first.at, first.len), first.len);
	assert_true(input_open(&p->in, "-", &p->err));
	assert_int_equal(write(ends[1], second.at, second.len), second.len);
	close(ends[1]);
	dup2(standard, STDIN_FILENO);
	close(standard);
	json_open(&p->j, &p->in, &p->err);
}

static void windows_may_end_anywhere(void **state)
{
	static const char text[] = "          " SAMPLE_TEXT;
	struct bytes whole = {text, sizeof(text) - 1};

	(void)state;
	for (size_t first = 8; first < whole.len; first++) {
		struct buffer out = {0};
		struct pulled p;

		for (int skipped = 0; skipped < 2; skipped++) {
			open_parts(&p, (struct bytes){text, first},
				(struct bytes){text + first, whole.len - first});
			if (skipped)
				json_skip(&p.j);
			else
				describe(&p.j, &out);
			assert_true(close_text(&p));
		}
		assert_bytes_equal(buffer_bytes(&out), SAMPLE_MEANS);
		buffer_release(&out);
	}
}

/* Readers peek at the value before they compare the key. With this many blanks the window moves,
 * and the key's old place in it is invalid. */
static void keys_stay_valid_after_json_peek(void **state)
{
	static const char text[] = "{\"first\" : {\"second\": \n {}}, \"third\":[]}";
	enum { BLANKS = 200000 };
	struct buffer all = {0};
	struct bytes whole, key;

	(void)state;
	for (size_t i = 0; i < BLANKS; i++)
		buffer_char(&all, ' ');
	buffer_text(&all, text);
	for (size_t i = 0; i < BLANKS + BLANKS / 4; i++)
		buffer_char(&all, ' ');
	whole = buffer_bytes(&all);
	for (size_t first = BLANKS; first < BLANKS + sizeof(text); first++) {
		struct pulled p;

		open_parts(&p, (struct bytes){whole.at, first},
			(struct bytes){whole.at + first, whole.len - first});
		json_object(&p.j);
		assert_true(json_key(&p.j, &key));
		assert_int_equal(json_peek(&p.j), JSON_OBJECT);
		assert_true(json_object(&p.j));
		assert_bytes_equal(key, "first");
		assert_true(json_key(&p.j, &key));
		assert_int_equal(json_peek(&p.j), JSON_OBJECT);
		assert_bytes_equal(key, "second");
		json_skip(&p.j);
		assert_false(json_key(&p.j, &key));
		assert_true(json_key(&p.j, &key));
		assert_true(json_array(&p.j));
		assert_bytes_equal(key, "third");
		assert_false(json_item(&p.j));
		assert_false(json_key(&p.j, &key));
		assert_true(close_text(&p));
	}
	buffer_release(&all);
}

static void columns_are_collected(void **state)
{
	struct json_indices indices = {0};
	struct json_numbers numbers = {0};
	struct pulled p;

	(void)state;
	open_text(&p, "[[1.5, null, \"7\", -0.0006, 1e-9, 9.2233720368547e12], [0, null, -1, "
		      "4294967295, 12], null]");
	json_array(&p.j);
	assert_true(json_item(&p.j));
	json_numbers(&p.j, 3, -9, &numbers);
	assert_true(json_item(&p.j));
	json_indices(&p.j, &indices);
	assert_true(json_item(&p.j));
	json_indices(&p.j, &indices);
	assert_false(json_item(&p.j));
	assert_true(close_text(&p));
	assert_int_equal(numbers.len, 6);
	assert_int_equal(numbers.items[0], 1500);
	assert_int_equal(numbers.items[1], -9);
	assert_int_equal(numbers.items[2], 7000);
	assert_int_equal(numbers.items[3], -1);
	assert_int_equal(numbers.items[4], 0);
	assert_int_equal(numbers.items[5], 9223372036854700);
	assert_int_equal(indices.len, 5);
	assert_int_equal(indices.items[0], 0);
	assert_int_equal(indices.items[1], JSON_NO_INDEX);
	assert_int_equal(indices.items[2], JSON_NO_INDEX);
	assert_int_equal(indices.items[3], JSON_NO_INDEX);
	assert_int_equal(indices.items[4], 12);
	vector_release(&numbers);
	vector_release(&indices);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Numbers of one to nine digits, and what stands between them. */
static void short_numbers_are_read_like_others(void **state)
{
	struct json_numbers all = {0};
	struct buffer text = {0};
	uint64_t seed = 1, wanted;
	int64_t values[5];
	struct pulled p;

	(void)state;
	buffer_char(&text, '[');
	for (int i = 0; i < 4000; i++) {
		wanted = next_random(&seed) % 1000000000 /
			 (uint64_t[]){1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
				 100000000}[i % 9];
		vector_push(&all, (int64_t)wanted);
		buffer_printf(&text, i % 50 ? "%llu," : "%llu , ", (unsigned long long)wanted);
	}
	buffer_text(&text, "-5,1.5,3]");
	open_text(&p, text.at);
	json_array(&p.j);
	for (size_t at = 0, count; at < all.len;) {
		assert_true(json_item(&p.j));
		while ((count = json_plain_numbers(&p.j, 0, values, 5)))
			for (size_t i = 0; i < count && at < all.len; i++)
				assert_int_equal(values[i], all.items[at++]);
		if (at < all.len)
			assert_int_equal(json_number(&p.j, 0, 0), all.items[at++]);
	}
	buffer_release(&text);
	vector_release(&all);
	json_release(&p.j);
	input_release(&p.in);
}

static void add_digits(struct buffer *text, uint64_t count, uint64_t *seed)
{
	while (count--)
		buffer_char(text, (char)('0' + next_random(seed) % 10));
}

/* An array of numbers of any length, of which some come several times. */
static void add_numbers(struct buffer *text, unsigned decimals, uint64_t *seed)
{
	struct buffer item = {0};

	buffer_char(text, '[');
	for (int i = 0; i < 3000; i++) {
		item.len = 0;
		buffer_text(&item, next_random(seed) % 8 ? "" : "-");
		add_digits(&item, 1 + next_random(seed) % (18 - decimals), seed);
		buffer_text(&item, next_random(seed) % 3 ? "." : "");
		if (item.at[item.len - 1] == '.')
			add_digits(&item, 1 + next_random(seed) % 11, seed);
		buffer_text(&item, next_random(seed) % 20 ? "," : i % 2 ? ", " : " ,\n");
		for (uint64_t again = next_random(seed) % 2 * (next_random(seed) % 9) + 1; again;
			again--)
			buffer_add(text, item.at, item.len);
	}
	buffer_text(text, "7]");
	buffer_release(&item);
}

/* A column has the same values as its items read one by one. */
static void columns_equal_their_items(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned decimals = 0; decimals <= 9; decimals += 3) {
		struct buffer text = {0};
		struct json_numbers all = {0};
		struct pulled p;
		size_t at = 0;

		add_numbers(&text, decimals, &seed);
		open_text(&p, text.at);
		json_numbers(&p.j, decimals, 0, &all);
		assert_true(close_text(&p));
		open_text(&p, text.at);
		for (json_array(&p.j); json_item(&p.j); at++)
			assert_int_equal(json_number(&p.j, decimals, 0), all.items[at]);
		assert_true(close_text(&p));
		assert_int_equal(at, all.len);
		open_text(&p, text.at);
		at = 0;
		for (json_array(&p.j); json_item(&p.j); at++) {
			struct json_decimal written;

			assert_true(json_decimal_if(&p.j, &written));
			assert_int_equal(json_decimal_scale(&written, decimals, 0), all.items[at]);
		}
		assert_true(close_text(&p));
		vector_release(&all);
		buffer_release(&text);
	}
}

/* json_peek_arrays finds arrays that are whole in the window and follow one another. Reading an
 * item ends where its text ends, if the text is the whole item. */
static void arrays_are_found_ahead(void **state)
{
	const char *told[] = {"[1,2]", "[ ]", "[\"a]", "[[3]", "[4]"};
	struct json_indices indices = {0};
	struct bytes texts[4];
	struct pulled p;

	(void)state;
	open_text(&p, "[[1,2],\n [ ] , [\"a]\"],[[3],5],[4], 6, [7]]");
	assert_int_equal(json_peek_arrays(&p.j, texts, 1), 1);
	json_array(&p.j);
	for (size_t i = 0; i < 5; i++) {
		uint64_t behind;

		assert_true(json_item(&p.j));
		assert_int_equal(json_peek_arrays(&p.j, texts, 4), i < 1 ? 3 : i == 1 ? 2 : 1);
		assert_bytes_equal(texts[0], told[i]);
		behind = json_byte(&p.j) + (size_t)(texts[0].at + texts[0].len - p.j.at);
		if (i == 1)
			json_skip_text(&p.j, texts[0]);
		else
			json_indices(&p.j, &indices);
		assert_int_equal(json_byte(&p.j) == behind, i != 2 && i != 3);
	}
	assert_true(json_item(&p.j));
	assert_int_equal(json_peek_arrays(&p.j, texts, 4), 0);
	json_skip(&p.j);
	assert_true(json_item(&p.j));
	assert_int_equal(json_peek_arrays(&p.j, texts, 4), 1);
	json_skip(&p.j);
	assert_false(json_item(&p.j));
	assert_true(close_text(&p));
	assert_int_equal(indices.len, 6);
	vector_release(&indices);
	open_parts(&p, BYTES("    [[1],[2"), BYTES("]]"));
	json_array(&p.j);
	assert_true(json_item(&p.j));
	assert_int_equal(json_peek_arrays(&p.j, texts, 4), 1);
	assert_bytes_equal(texts[0], "[1]");
	json_skip(&p.j);
	assert_true(json_item(&p.j));
	assert_int_equal(json_peek_arrays(&p.j, texts, 4), 0);
	json_skip(&p.j);
	assert_false(json_item(&p.j));
	assert_true(close_text(&p));
}

static void values_of_other_types_are_skipped(void **state)
{
	struct pulled p;

	(void)state;
	open_text(&p, "[1, \"x\", [2], {\"a\": 3}, \"12\", null]");
	json_array(&p.j);
	assert_true(json_item(&p.j));
	assert_int_equal(json_string_if(&p.j).len, 0);
	assert_true(json_item(&p.j));
	assert_int_equal(json_number_if(&p.j, 0, 5), 5);
	assert_true(json_item(&p.j));
	assert_false(json_object_if(&p.j));
	assert_true(json_item(&p.j));
	assert_false(json_array_if(&p.j));
	assert_true(json_item(&p.j));
	assert_int_equal(json_number_if(&p.j, 1, 5), 120);
	assert_true(json_item(&p.j));
	assert_int_equal(json_number_if(&p.j, 1, 5), 5);
	assert_false(json_item(&p.j));
	assert_true(close_text(&p));
}

static void check_error(const char *text, const char *expected, bool skip)
{
	struct buffer out = {0};
	struct pulled p;

	open_text(&p, text);
	if (skip)
		json_skip(&p.j);
	else
		describe(&p.j, &out);
	assert_false(close_text(&p));
	assert_string_equal(p.err.text, expected);
	assert_int_equal(p.err.code, ERR_FORMAT);
	buffer_release(&out);
}

static void errors_say_where(void **state)
{
	(void)state;
	check_error("{\"a\":1,\n \"b\" 2}", "line 2, byte 13: expected ':', got '2'", false);
	check_error("[1 2]", "line 1, byte 3: expected ',' or ']', got '2'", false);
	check_error("[1,]", "line 1, byte 3: expected a number, got ']'", false);
	check_error("[1}", "line 1, byte 2: expected ',' or ']', got '}'", false);
	check_error("[1}", "line 1, byte 2: expected ']', got '}'", true);
	check_error("{\"a\":[1}", "line 1, byte 7: expected ']', got '}'", true);
	check_error("{1:2}", "line 1, byte 1: expected a key, got '1'", false);
	check_error("[\"a", "line 1, byte 3: unexpected end of input; expected the end of a string",
		false);
	check_error("[\"a", "line 1, byte 3: unexpected end of input; expected the end of a string",
		true);
	check_error(
		"[[1,2]", "line 1, byte 6: unexpected end of input; expected ',' or ']'", false);
	check_error("[[1,2]", "line 1, byte 6: unexpected end of input; expected ']'", true);
	check_error(
		"[\"\\x\"]", "line 1, byte 5: the string before this has an invalid escape", false);
	check_error("[1e400]", "line 1, byte 1: a number above 2^63", false);
	check_error("[-]", "line 1, byte 1: expected a number, got '-'", false);
	check_error("[nul]", "line 1, byte 1: expected a value, got 'n'", false);
	check_error("[1] x", "line 1, byte 4: expected the end of the input, got 'x'", false);
	check_error("[\x01]", "line 1, byte 1: expected a number, got byte 0x01", false);
}

static void depth_is_limited(void **state)
{
	struct buffer deep = {0};

	(void)state;
	for (unsigned i = 0; i < JSON_DEPTH_LIMIT + 1; i++)
		buffer_char(&deep, '[');
	check_error(deep.at, "line 1, byte 4096: more than 4096 nested arrays and objects", true);
	check_error(deep.at, "line 1, byte 4096: more than 4096 nested arrays and objects", false);
	buffer_release(&deep);
}

/* A file that a killed program left incomplete. */
static void the_end_may_be_missing(void **state)
{
	static const char *const cut[] = {"{\"a\":[1,2", "{\"a\":[1,2,", "{\"a\":[1,2,]",
		"{\"a\":[1,2]", "{\"a\":[1,2],", "{\"a\":[1,2,],}"};

	(void)state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		struct pulled p;
		struct bytes key;
		int64_t sum = 0;

		open_text(&p, cut[i]);
		p.j.may_end_in = 2;
		for (json_object(&p.j); json_key(&p.j, &key);)
			for (json_array(&p.j); json_item(&p.j);)
				sum += json_number(&p.j, 0, 0);
		assert_int_equal(p.j.truncated, i != 5);
		assert_true(close_text(&p));
		assert_int_equal(sum, 3);
	}
}

#define BLANKS "                                                            "

static void plain_numbers_take_the_fast_path(void **state)
{
	static const struct {
		const char *text;
		int64_t value; /* -1: not at once */
	} numbers[] = {{"12,", 12000}, {"\"12\"", 12000}, {"1.25}", 1250}, {"-7]", -7000},
		{"1234567890123456,", 1234567890123456000}, {"9223372036854775.807,", INT64_MAX},
		{"9223372036854775.808,", -1}, {"12 ,", -1}, {"\"12,", -1}, {"1.2345,", -1},
		{"1e3,", -1}, {"null,", -1}, {"\"\"", -1}, {"[", -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct buffer text = {0};
		struct pulled p;
		int64_t value = -1;

		buffer_printf(&text, "%s" BLANKS, numbers[i].text);
		open_text(&p, text.at);
		if (!json_plain_number(&p.j, 3, &value))
			value = -1;
		assert_int_equal(value, numbers[i].value);
		assert_int_equal(json_byte(&p.j) > 0, numbers[i].value != -1);
		close_text(&p);
		buffer_release(&text);
	}
}

static void expected_keys_are_compared_in_place(void **state)
{
	struct bytes key;
	struct pulled p;

	(void)state;
	open_text(&p, "{\"one\":1,\n\"two\": 2,\"three\" :3,\"fo\\u0075r\":4,\"five\":5}" BLANKS);
	json_object(&p.j);
	assert_false(json_key_is(&p.j, BYTES("on")));
	assert_false(json_key_is(&p.j, BYTES("ones")));
	assert_true(json_key_is(&p.j, BYTES("one")));
	assert_int_equal(json_number(&p.j, 0, 0), 1);
	assert_true(json_key_is(&p.j, BYTES("two")));
	assert_int_equal(json_number(&p.j, 0, 0), 2);
	assert_false(json_key_is(&p.j, BYTES("three")));
	assert_true(json_key(&p.j, &key));
	assert_bytes_equal(key, "three");
	assert_int_equal(json_number(&p.j, 0, 0), 3);
	assert_false(json_key_is(&p.j, BYTES("four")));
	assert_true(json_key(&p.j, &key));
	assert_bytes_equal(key, "four");
	assert_int_equal(json_number(&p.j, 0, 0), 4);
	assert_true(json_key_is(&p.j, BYTES("five")));
	assert_int_equal(json_number(&p.j, 0, 0), 5);
	assert_false(json_key_is(&p.j, BYTES("six")));
	assert_false(json_key(&p.j, &key));
	assert_true(close_text(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read),
		cmocka_unit_test(windows_may_end_anywhere),
		cmocka_unit_test(keys_stay_valid_after_json_peek),
		cmocka_unit_test(columns_are_collected),
		cmocka_unit_test(short_numbers_are_read_like_others),
		cmocka_unit_test(columns_equal_their_items),
		cmocka_unit_test(arrays_are_found_ahead),
		cmocka_unit_test(plain_numbers_take_the_fast_path),
		cmocka_unit_test(expected_keys_are_compared_in_place),
		cmocka_unit_test(values_of_other_types_are_skipped),
		cmocka_unit_test(errors_say_where),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(the_end_may_be_missing),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
