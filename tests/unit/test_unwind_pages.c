/* test_unwind_pages.c: does the table that programs in the kernel search say what cfi_table says?
 *
 * It is searched here as bpf/unwind.h does it, for every address of real binaries. */
#include "test.h"

#include "recorders/unwind_pages.h"

#define ADDRESSES_LIMIT 30000000u /* of one binary; the rest of it is like them */

static uint32_t find_rule(const struct unwind_pages *p, uint64_t offset)
{
	uint64_t number = offset >> UNWIND_PART_BITS;
	struct unwind_part part = p->pages.items[p->index + number / UNWIND_PAGE_PARTS]
					  .parts[number % UNWIND_PAGE_PARTS];
	uint32_t rule = part.rule;

	assert_true(part.count <= 1u << UNWIND_PART_BITS);
	for (uint32_t i = 0; i < part.count; i++) {
		uint32_t row = p->pages.items[part.row / UNWIND_PAGE_ROWS]
				       .rows[part.row % UNWIND_PAGE_ROWS + i];

		/* They lie in one page. */
		assert_true(part.row % UNWIND_PAGE_ROWS + i < UNWIND_PAGE_ROWS);
		if (row >> 16 <= (offset & 0xffff))
			rule = row & 0xffff;
	}
	return rule;
}

static void compare_rules(const struct unwind_rule *a, const struct cfi_table_rule *b)
{
	bool usual = b->ra_how == CFI_AT_CFA && b->ra_offset == -8 && b->fp_how == CFI_AT_CFA &&
		     b->fp_offset == -16 && !b->signal;

	assert_true(a->cfa_how == b->cfa_how && a->cfa_base == b->cfa_base &&
		    a->cfa_offset == b->cfa_offset && a->cfa_after == b->cfa_after);
	assert_true(
		a->ra_how == b->ra_how && a->ra_base == b->ra_base && a->ra_offset == b->ra_offset);
	assert_true(
		a->fp_how == b->fp_how && a->fp_base == b->fp_base && a->fp_offset == b->fp_offset);
	assert_true(a->base_how == b->base_how && a->base_offset == b->base_offset);
	assert_true(a->signal == b->signal && a->usual == usual);
}

static void check(const char *path)
{
	struct error err = {0};
	struct image *image = image_open(path, &err);
	struct unwind_pages pages;
	struct cfi_table table;
	struct cfi *cfi;
	uint64_t size;

	if (!image)
		return;
	cfi = cfi_open(image);
	assert_true(cfi_table_build(cfi, &table, &err));
	unwind_pages_build(&table, &pages);
	assert_int_equal(pages.start, table.start);
	assert_true(pages.pages.len * UNWIND_PAGE_BYTES <= unwind_pages_most(&table));
	for (size_t i = 0; i < table.rule_count; i++)
		compare_rules(
			&pages.pages.items[i / UNWIND_PAGE_RULES].rules[i % UNWIND_PAGE_RULES],
			&table.rules[i]);
	size = (uint64_t)table.page_count << CFI_TABLE_PAGE_BITS;
	assert_int_equal((uint64_t)pages.parts << UNWIND_PART_BITS, size);
	for (uint64_t at = 0; at < size && at < ADDRESSES_LIMIT; at++)
		if (find_rule(&pages, at) !=
			(size_t)(cfi_table_find(&table, table.start + at) - table.rules))
			fail_msg("%s: another rule at 0x%lx", path,
				(unsigned long)(table.start + at));
	print_message("%s: %zu rows, %zu rules, %zu KB\n", path, table.row_count, table.rule_count,
		pages.pages.len * UNWIND_PAGE_BYTES / 1024);
	unwind_pages_release(&pages);
	cfi_table_release(&table);
	cfi_release(cfi);
	image_release(image);
}

static void test_same_rules(void **state)
{
	(void)state;
	check("/proc/self/exe");
	check("/lib64/ld-linux-x86-64.so.2");
	check("/lib/x86_64-linux-gnu/libc.so.6");
	check("/usr/bin/python3");
	check("/usr/bin/perl");
}

/* Every byte of code with a rule of its own: the most rows that a part can have. */
static void test_dense(void **state)
{
	static struct cfi_table_row rows[2 * 65536];
	struct cfi_table_rule rules[3] = {
		{.cfa_how = CFI_UNDEFINED}, {.cfa_how = CFI_REGISTER}, {.cfa_how = CFI_PLT}};
	uint32_t starts[3] = {0, 65536, 131072};
	struct cfi_table table = {.start = 0x10000,
		.page_count = 2,
		.row_count = 131072,
		.rule_count = 3,
		.pages = starts,
		.rows = rows,
		.rules = rules};
	struct unwind_pages pages;

	(void)state;
	for (uint32_t i = 0; i < 131072; i++)
		rows[i] = (struct cfi_table_row){(uint16_t)i, (uint16_t)(i % 3)};
	unwind_pages_build(&table, &pages);
	assert_true(pages.pages.len * UNWIND_PAGE_BYTES <= unwind_pages_most(&table));
	for (uint32_t i = 0; i < 131072; i++)
		assert_int_equal(find_rule(&pages, i), i % 3);
	unwind_pages_release(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_rules),
		cmocka_unit_test(test_dense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
