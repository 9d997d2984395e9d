/* test_protobuf.c: are the fields of a message read back, and are invalid bytes reported, without
 * an access beyond the end? */
#include "test.h"

#include "base/gzip.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/protobuf.h"

static const struct protobuf_schema inner = {
	3, {[1] = {PROTOBUF_NUMBER, 0}, [2] = {PROTOBUF_NUMBERS, 0}}};
static const struct protobuf_schema outer = {6, {[1] = {PROTOBUF_NUMBER, 0},
							[2] = {PROTOBUF_TEXT, &inner},
							[3] = {PROTOBUF_TEXT, 0},
							[4] = {PROTOBUF_FIXED, 0},
							[5] = {PROTOBUF_FIXEDS, 0}}};

/* Bytes in a block of exactly their size: sanitizers see a read behind them. */
static struct bytes exactly(const void *at, size_t len)
{
	char *copy = malloc(len ? len : 1);

	memcpy(copy, at, len);
	return (struct bytes){copy, len};
}

static void numbers_of_every_length_are_read_back(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		for (int less = 0; less < 2; less++) {
			uint64_t value = (1ull << bit) - (unsigned)less;
			struct protobuf_field f;
			struct buffer b = {0};
			struct protobuf m;

			protobuf_put_explicit(&b, 1, value);
			protobuf_put_number(&b, 77777, value);
			m = protobuf_open(buffer_bytes(&b), &outer);
			assert_true(protobuf_next(&m, &f));
			assert_int_equal(f.number, 1);
			assert_true(f.value == value);
			assert_int_equal(protobuf_next(&m, &f), value != 0);
			if (value) {
				assert_int_equal(f.number, 77777);
				assert_true(f.value == value);
				assert_false(protobuf_next(&m, &f));
			}
			assert_null(m.failed);
			buffer_release(&b);
		}
	}
}

/* The example of the format's own page: field 1 is 150; field 2 is "testing"; packed 3, 270, 86942.
 */
static void published_examples_are_read(void **state)
{
	static const struct protobuf_schema any = {0, {{0}}};
	const struct bytes number = BYTES("\x08\x96\x01"), text = BYTES("\x12\x07testing");
	const struct bytes packed = BYTES("\x32\x06\x03\x8e\x02\x9e\xa7\x05");
	static const uint64_t expected[] = {3, 270, 86942};
	struct protobuf m = protobuf_open(number, &any);
	struct protobuf_field f;
	uint64_t value;
	size_t at = 0;
	bool bad;

	(void)state;
	assert_true(protobuf_next(&m, &f));
	assert_int_equal(f.value, 150);
	m = protobuf_open(text, &any);
	assert_true(protobuf_next(&m, &f));
	assert_int_equal(f.number, 2);
	assert_bytes_equal(f.bytes, "testing");
	m = protobuf_open(packed, &any);
	assert_true(protobuf_next(&m, &f));
	for (size_t i = 0; i < 3; i++) {
		assert_true(protobuf_number(&f, &at, &value, &bad));
		assert_int_equal(value, expected[i]);
	}
	assert_false(protobuf_number(&f, &at, &value, &bad));
	assert_false(bad);
}

static void packed_and_single_numbers_are_equal(void **state)
{
	struct protobuf_field f;
	struct buffer b = {0};
	struct protobuf m;
	uint64_t value, sum = 0;
	bool bad;

	(void)state;
	protobuf_put_explicit(&b, 2, 300);
	protobuf_put_item(&b, 2, BYTES("\x01\x02\x03"));
	protobuf_put_explicit(&b, 2, 0);
	m = protobuf_open(buffer_bytes(&b), &inner);
	while (protobuf_next(&m, &f))
		for (size_t at = 0; protobuf_number(&f, &at, &value, &bad);)
			sum = sum * 10 + value;
	assert_null(m.failed);
	assert_int_equal(sum, 3001230);
	buffer_release(&b);
}

/* A truncated message is reported at the field that is cut off. */
static void every_truncation_is_reported(void **state)
{
	struct buffer b = {0};

	(void)state;
	protobuf_put_explicit(&b, 1, 1ull << 40);
	protobuf_put_item(&b, 3, BYTES("twelve bytes"));
	buffer_add(&b,
		"\x21"
		"12345678",
		9);
	buffer_add(&b,
		"\x35"
		"1234",
		5);
	for (size_t len = 0; len < b.len; len++) {
		struct bytes part = exactly(b.at, len);
		struct protobuf m = protobuf_open(part, &outer);
		size_t fields = 0;

		for (struct protobuf_field f; protobuf_next(&m, &f);)
			fields++;
		if (len == 0 || len == 7 || len == 21 || len == 30) {
			assert_null(m.failed);
		} else {
			assert_non_null(m.failed);
			assert_int_equal(m.failed - part.at, len < 7	? 0
							     : len < 21 ? 7
							     : len < 30 ? 21
									: 30);
		}
		assert_int_equal(fields, (len >= 7) + (len >= 21) + (len >= 30));
		assert_true(protobuf_match(part, &outer, true) >= 0 || len > 30);
		free((void *)(uintptr_t)part.at);
	}
	buffer_release(&b);
}

static void invalid_messages_are_reported(void **state)
{
	static const struct {
		struct bytes bytes;
		const char *expected;
	} cases[] = {
		{{"\x00\x01", 2}, "a field number"},
		{{"\x0b\x0c", 2}, "a field with the type of its number"}, /* a group */
		{{"\x7b", 1}, "a field of a known type"},		  /* also one */
		{{"\x7e\x01", 2}, "a field of a known type"},
		{{"\x0a\x00", 2}, "a field with the type of its number"},
		{{"\x10\x00", 2}, "a field with the type of its number"},
		{{"\xff\xff\xff\xff\xff\x7f\x01", 7}, "a field number"},
		{{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
			"the rest of a truncated field"},
		{{"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
			"the rest of a truncated field"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes message = exactly(cases[i].bytes.at, cases[i].bytes.len);
		struct protobuf m = protobuf_open(message, &outer);
		struct protobuf_field f;

		assert_false(protobuf_next(&m, &f));
		assert_ptr_equal(m.failed, message.at);
		assert_string_equal(m.expected, cases[i].expected);
		assert_false(protobuf_next(&m, &f));
		assert_int_equal(protobuf_match(message, &outer, false), -1);
		free((void *)(uintptr_t)message.at);
	}
}

static void a_schema_matches_or_not(void **state)
{
	(void)state;
	assert_int_equal(protobuf_match(BYTES(""), &outer, false), 0);
	assert_int_equal(protobuf_match(BYTES("\x08\x01"), &outer, false), 1);
	/* A message with two fields, then a number. */
	assert_int_equal(
		protobuf_match(BYTES("\x12\x04\x08\x01\x10\x05\x08\x01"), &outer, false), 4);
	/* The message's own field 3, and the outer field 6, are unknown. */
	assert_int_equal(protobuf_match(BYTES("\x12\x02\x18\x01"), &outer, false), -1);
	assert_int_equal(protobuf_match(BYTES("\x30\x01"), &outer, false), -1);
	/* The fields of a truncated message count as far as they are there. */
	assert_int_equal(protobuf_match(BYTES("\x12\x14\x08\x01\x10"), &outer, true), 1);
	assert_int_equal(protobuf_match(BYTES("\x12\x14\x08\x01\x18\x01"), &outer, true), -1);
	assert_int_equal(protobuf_match(BYTES("\x12\x14\x08\x01\x10"), &outer, false), -1);
	assert_int_equal(protobuf_match(BYTES("\x32\x14\x08\x01"), &outer, true), -1);
}

/* Output of gzip_compress is read back, for all lengths, and is the same each time. */
static void compressed_content_is_read_back(void **state)
{
	static const size_t lengths[] = {
		0, 1, 1000, (size_t)1 << 20, ((size_t)1 << 20) + 1, 5000000};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct buffer packed = {0}, again = {0};
		char *content = malloc(lengths[i] + 1);
		struct error err = {0};
		struct bytes whole;
		struct input in;

		for (size_t at = 0; at < lengths[i]; at++)
			content[at] = (char)(at * at >> 7);
		gzip_compress((struct bytes){content, lengths[i]}, &packed);
		gzip_compress((struct bytes){content, lengths[i]}, &again);
		assert_int_equal(packed.len, again.len);
		assert_memory_equal(packed.at, again.at, packed.len);
		assert_true(input_open_bytes(&in, buffer_bytes(&packed), "packed", &err));
		assert_true(input_whole(&in, 1u << 30, &whole, &err));
		assert_int_equal(whole.len, lengths[i]);
		if (whole.len)
			assert_memory_equal(whole.at, content, lengths[i]);
		input_release(&in);
		buffer_release(&packed);
		buffer_release(&again);
		free(content);
	}
}

/* protobuf_skip counts as many fields as reading them one by one, wherever the message is cut. */
static void short_fields_are_skipped(void **state)
{
	static const size_t lengths[] = {0, 1, 127, 128, 300, 16383, 16384, 5, 0};
	struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *content = memory_new(lengths[i] + 1, 1);

		protobuf_put_item(&b, i == 4 ? 3 : 2, (struct bytes){content, lengths[i]});
		free(content);
	}
	for (size_t len = 0; len <= b.len; len += len < 1000 || len + 40 > b.len ? 1 : 37) {
		struct bytes message = exactly(b.at, len);
		struct protobuf slow = protobuf_open(message, &outer), fast = slow;
		size_t one_by_one = 0, stepped = 0;

		for (struct protobuf_field f; protobuf_next(&slow, &f);)
			one_by_one += f.number == 2;
		for (struct protobuf_field f; protobuf_next(&fast, &f);)
			if (f.number == 2)
				stepped += 1 + protobuf_skip(&fast, 2);
		assert_int_equal(stepped, one_by_one);
		assert_ptr_equal(fast.failed, slow.failed);
		assert_ptr_equal(fast.cursor.at, slow.cursor.at);
		free((char *)(uintptr_t)message.at);
	}
	buffer_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_length_are_read_back),
		cmocka_unit_test(published_examples_are_read),
		cmocka_unit_test(packed_and_single_numbers_are_equal),
		cmocka_unit_test(every_truncation_is_reported),
		cmocka_unit_test(invalid_messages_are_reported),
		cmocka_unit_test(a_schema_matches_or_not),
		cmocka_unit_test(compressed_content_is_read_back),
		cmocka_unit_test(short_fields_are_skipped),
	};

	return cmocka_run_group_tests_name("protobuf", tests, NULL, NULL);
}
