/* test_chains.c: are chains of functions found again by address, in memory and in a file? */
#include "test.h"

#include "images/chains.h"

#define KEY 0x1234u

static uint32_t add_function(struct chains *c, uint32_t caller, const char *function, uint32_t line)
{
	struct chain row = {.caller = caller,
		.function = chains_text(c, bytes_of(function)),
		.file = chains_text(c, BYTES("src/file.c")),
		.line = line};

	return chains_row(c, &row);
}

/* Three addresses of "work", at the last of which "inner" was inlined, and one of nothing. */
static void fill(struct chains *c)
{
	static const uint64_t addresses[] = {0x10, 0x18, 0x20, 0x30};
	uint32_t chains[4];

	chains_init(c);
	chains[0] = add_function(c, 0, "work", 7);
	chains[1] = add_function(c, 0, "work", 7);
	chains[2] = add_function(c, add_function(c, 0, "work", 8), "inner", 3);
	chains[3] = 0;
	assert_int_equal(chains[0], chains[1]);
	chains_add(c, addresses, chains, 4);
}

static void check_filled(const struct chains *c)
{
	static const uint64_t asked[] = {0, 0x10, 0x10, 0x11, 0x20, 0x30, 0x31, UINT64_MAX};
	uint32_t found[8];
	const struct chain *inner;

	assert_int_equal(chains_find(c, asked, 8, found), 4);
	assert_int_equal(found[0], CHAINS_UNKNOWN);
	assert_int_equal(found[1], found[2]);
	assert_int_equal(found[3], CHAINS_UNKNOWN);
	assert_int_equal(found[5], 0); /* known to be nothing */
	assert_int_equal(found[6], CHAINS_UNKNOWN);
	assert_int_equal(found[7], CHAINS_UNKNOWN);
	inner = &c->rows.items[found[4]];
	assert_bytes_equal(chains_text_at(c, inner->function), "inner");
	assert_bytes_equal(chains_text_at(c, inner->file), "src/file.c");
	assert_int_equal(inner->line, 3);
	assert_bytes_equal(chains_text_at(c, c->rows.items[inner->caller].function), "work");
	assert_int_equal(c->rows.items[inner->caller].line, 8);
	assert_int_equal(c->rows.items[found[1]].caller, 0);
	assert_int_equal(c->rows.items[found[1]].line, 7);
}

/* The file as bytes that are aligned as a mapping is. */
static struct bytes written(const struct chains *c)
{
	static const struct chains_origin origin = {.key = KEY, .source = 5, .extent = 2};
	struct output out;
	struct bytes file;

	output_open_memory(&out);
	chains_write(c, &origin, &out);
	file = (struct bytes){memory_copy_text(out.pending.at, out.pending.len), out.pending.len};
	output_discard(&out);
	assert_int_equal(file.len, chains_size(c));
	return file;
}

static void release_file(struct bytes file)
{
	free((void *)(uintptr_t)file.at);
}

static void addresses_are_found_and_merged(void **state)
{
	static const uint64_t more[] = {0x8, 0x8, 0x19, 0x40};
	uint32_t chains[4], found[4];
	struct chains c;

	(void)state;
	fill(&c);
	check_filled(&c);
	chains[0] = chains[1] = add_function(&c, 0, "first", 1);
	chains[2] = add_function(&c, 0, "between", 1);
	chains[3] = add_function(&c, 0, "last", 1);
	chains_add(&c, more, chains, 4);
	assert_int_equal(c.addresses.len, 7);
	for (size_t i = 1; i < c.addresses.len; i++)
		assert_true(c.addresses.items[i - 1] < c.addresses.items[i]);
	assert_int_equal(chains_find(&c, more, 4, found), 0);
	assert_memory_equal(found, chains, sizeof(found));
	check_filled(&c);
	chains_release(&c);
}

/* Every address is looked up, in strides of different lengths, so that the search skips others. */
static void the_search_agrees_with_a_linear_scan(void **state)
{
	uint64_t addresses[1000];
	uint32_t chains[1000], found;
	struct chains c;

	(void)state;
	chains_init(&c);
	for (uint32_t i = 0; i < 1000; i++) {
		addresses[i] = (uint64_t)i * i + 3;
		chains[i] = add_function(&c, 0, "f", i + 1);
	}
	chains_add(&c, addresses, chains, 1000);
	for (size_t stride = 1; stride < 1000; stride = stride * 2 + 1) {
		uint64_t asked[1000];
		uint32_t answers[1000];
		size_t count = 0;

		for (size_t i = stride - 1; i < 1000; i += stride)
			asked[count++] = addresses[i];
		assert_int_equal(chains_find(&c, asked, count, answers), 0);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(answers[i], chains[stride - 1 + i * stride]);
	}
	assert_int_equal(chains_find(&c, &(uint64_t){4}, 1, &found), 0); /* 1 * 1 + 3 */
	assert_int_equal(chains_find(&c, &(uint64_t){5}, 1, &found), 1);
	chains_release(&c);
}

static void a_file_gives_the_same_answers_and_grows(void **state)
{
	struct chains_origin origin;
	struct chains c, read;
	struct bytes file, again;

	(void)state;
	fill(&c);
	file = written(&c);
	assert_true(chains_read(file, KEY, &read, &origin));
	assert_int_equal(origin.source, 5);
	assert_int_equal(origin.extent, 2);
	check_filled(&read);
	again = written(&read);
	assert_int_equal(again.len, file.len);
	assert_memory_equal(again.at, file.at, file.len);

	/* What is in the file keeps its ids; what is new gets others. */
	assert_int_equal(add_function(&read, 0, "work", 7), add_function(&c, 0, "work", 7));
	assert_int_equal(add_function(&read, 0, "new", 7), c.rows.len);
	chains_add(&read, &(uint64_t){0x28}, &(uint32_t){1}, 1);
	check_filled(&read);
	chains_release(&read);
	chains_release(&c);
	release_file(file);
	release_file(again);
}

static bool is_read(struct bytes file)
{
	struct chains_origin origin;
	struct chains c;
	bool done = chains_read(file, KEY, &c, &origin);

	if (!done)
		assert_int_equal(c.addresses.len, 0);
	chains_release(&c);
	return done;
}

static void damage_is_refused(void **state)
{
	struct chains_origin origin;
	struct chains c, other;
	struct bytes file;
	char *at;

	(void)state;
	fill(&c);
	file = written(&c);
	at = (char *)(uintptr_t)file.at;
	assert_true(is_read(file));
	assert_false(chains_read(file, KEY + 1, &other, &origin));
	chains_release(&other);
	for (size_t i = 0; i < file.len; i++) {
		at[i] ^= 0x10;
		assert_false(is_read(file));
		at[i] ^= 0x10;
		assert_false(is_read((struct bytes){at, i}));
	}
	assert_true(is_read(file));
	chains_release(&c);
	release_file(file);
}

/* A file with invalid rows, and a checksum that is right. */
static void invalid_rows_with_a_right_checksum_are_refused(void **state)
{
	struct chains c;
	struct bytes file;
	struct chains_header h;
	char *at;
	size_t chain_of, rows, ends;

	(void)state;
	fill(&c);
	file = written(&c);
	at = (char *)(uintptr_t)file.at;
	chain_of = sizeof(h) + c.addresses.len * sizeof(uint64_t);
	rows = chain_of + c.addresses.len * sizeof(uint32_t);
	ends = rows + c.rows.len * sizeof(struct chain);
	const struct {
		size_t where;
		uint32_t value;
	} lies[] = {
		{sizeof(h), 0x19},		  /* the first address behind the second */
		{chain_of, (uint32_t)c.rows.len}, /* a chain that is not there */
		{rows, 1},			  /* the empty row with a caller */
		{rows + sizeof(struct chain), 1}, /* its own caller */
		{rows + sizeof(struct chain), 2}, /* ... one that comes later */
		{rows + sizeof(struct chain) + 4, (uint32_t)c.text_ends.len}, /* no such text */
		{ends, 1},						      /* the empty text */
		{ends + 4, (uint32_t)c.text.len + 1},
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		uint32_t before;

		memcpy(&before, at + lies[i].where, sizeof(before));
		memcpy(at + lies[i].where, &lies[i].value, sizeof(before));
		memcpy(&h, at, sizeof(h));
		h.checksum = chains_checksum(file);
		memcpy(at, &h, sizeof(h));
		if (is_read(file))
			fail_msg("lie %zu was believed", i);
		memcpy(at + lies[i].where, &before, sizeof(before));
	}
	h.checksum = chains_checksum(file);
	memcpy(at, &h, sizeof(h));
	assert_true(is_read(file));
	chains_release(&c);
	release_file(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_found_and_merged),
		cmocka_unit_test(the_search_agrees_with_a_linear_scan),
		cmocka_unit_test(a_file_gives_the_same_answers_and_grows),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(invalid_rows_with_a_right_checksum_are_refused),
	};

	return cmocka_run_group_tests_name("chains", tests, NULL, NULL);
}
