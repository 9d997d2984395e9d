/* test_unwind_pages.c: does the table for programs in the kernel agree with cfi_table?
 *
 * The table is searched here as bpf/unwind.h does it, for every address of real binaries. */
#include "test.h"

#include "recorders/unwind/pages.h"
#include "support/work_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADDRESSES_LIMIT 30000000u /* of one binary; its other addresses are alike */

static uint32_t find_rule(const struct unwind_pages *p, uint64_t offset)
{
	uint64_t number = offset >> UNWIND_PART_BITS;
	struct unwind_part part = p->at[p->at->head.index + number / UNWIND_PAGE_PARTS]
					  .parts[number % UNWIND_PAGE_PARTS];
	uint32_t rule = part.rule;

	assert_true(part.count <= 1u << UNWIND_PART_BITS);
	for (uint32_t i = 0; i < part.count; i++) {
		uint32_t row =
			p->at[part.row / UNWIND_PAGE_ROWS].rows[part.row % UNWIND_PAGE_ROWS + i];

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
	assert_int_equal(pages.at->head.start, table.start);
	for (size_t i = 1; i < table.rule_count; i++)
		compare_rules(&pages.at[i / UNWIND_PAGE_RULES].rules[i % UNWIND_PAGE_RULES],
			&table.rules[i]);
	size = (uint64_t)table.page_count << CFI_TABLE_PAGE_BITS;
	assert_int_equal((uint64_t)pages.at->head.parts << UNWIND_PART_BITS, size);
	for (uint64_t at = 0; at < size && at < ADDRESSES_LIMIT; at++)
		if (find_rule(&pages, at) !=
			(size_t)(cfi_table_find(&table, table.start + at) - table.rules))
			fail_msg("%s: another rule at 0x%lx", path,
				(unsigned long)(table.start + at));
	print_message("%s: %zu rows, %zu rules, %zu KB\n", path, table.row_count, table.rule_count,
		pages.count * UNWIND_PAGE_BYTES / 1024);
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
	for (uint32_t i = 0; i < 131072; i++)
		assert_int_equal(find_rule(&pages, i), i % 3);
	unwind_pages_release(&pages);
}

/* ---- On disk ---- */

static const char *kept_path(const struct image *image)
{
	char identity[65], name[96];

	unwind_pages_identity(image, identity);
	snprintf(name, sizeof(name), "cache/%s.unwind", identity);
	return work_path(name);
}

/* Flip a byte of the file, or cut the file off there. */
static void damage(const char *path, long at, bool cut)
{
	FILE *f = fopen(path, "r+");
	int byte;

	assert_non_null(f);
	if (cut) {
		assert_int_equal(ftruncate(fileno(f), at), 0);
	} else {
		fseek(f, at, SEEK_SET);
		byte = fgetc(f);
		fseek(f, at, SEEK_SET);
		fputc(byte ^ 1, f);
	}
	fclose(f);
}

static void check_kept(const char *path)
{
	static const long places[] = {0, 8, 16, 24, 32, 5000};
	struct error err = {0};
	struct image *image = image_open(path, &err);
	struct unwind_pages made, kept;

	assert_non_null(image);
	setenv("KILN_CACHE", work_path("cache"), 1);
	unwind_pages_open(image, &made);
	assert_true(!made.file.content.len && made.count >= 16);
	unwind_pages_save(&made, image);
	for (size_t i = 0; i <= 2 * sizeof(places) / sizeof(*places); i++) {
		unwind_pages_open(image, &kept);
		assert_int_equal(kept.count, made.count);
		assert_memory_equal(kept.at, made.at, made.count * UNWIND_PAGE_BYTES);
		/* Damage is seen, and the next one is whole again. */
		assert_true((i > 0) == !kept.file.content.len);
		unwind_pages_save(&kept, image);
		unwind_pages_release(&kept);
		damage(kept_path(image), places[i / 2 % 6], i % 2);
	}
	unwind_pages_release(&made);
	image_release(image);
}

static void test_kept(void **state)
{
	(void)state;
	if (access("/usr/bin/perl", R_OK))
		skip();
	check_kept("/usr/bin/perl");
}

static void test_kept_without_build_id(void **state)
{
	struct error err = {0};
	struct image *image;

	(void)state;
	if (!work_try("objcopy --remove-section .note.gnu.build-id /usr/bin/perl perl"))
		skip();
	image = image_open(work_path("perl"), &err);
	assert_non_null(image);
	assert_int_equal(image_build_id(image).len, 0);
	image_release(image);
	check_kept(work_path("perl"));
}

/* Without a table of sections, which the header leads to (bytes 40 to 47, and 60 to 61). */
static void cut_sections(const char *name)
{
	work_run("printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=%s bs=1 seek=40 conv=notrunc "
		 "status=none",
		name);
	work_run("printf '\\0\\0\\0\\0' | dd of=%s bs=1 seek=60 conv=notrunc status=none", name);
}

static void identity_of(const char *name, char ret_text[65])
{
	struct error err = {0};
	struct image *image = image_open(work_path(name), &err);

	assert_non_null(image);
	assert_int_equal(image_build_id(image).len, 0);
	unwind_pages_identity(image, ret_text);
	image_release(image);
}

/* Two programs have different identities; a program whose tables are the same has the same one. */
static void test_identity(void **state)
{
	char one[65], other[65], padded[65];

	(void)state;
	if (!work_try("cc -O2 -Wl,--build-id=none %s -o one",
		    test_path("tests/privileged/programs/at_call.c")) ||
		!work_try("cc -O2 -Wl,--build-id=none %s -o other",
			test_path("tests/privileged/programs/forbidden.c")))
		skip_without("a compiler");
	for (int cut = 0; cut < 2; cut++) {
		work_run("cp one padded && head -c 1000 one >>padded");
		identity_of("one", one);
		identity_of("other", other);
		identity_of("padded", padded);
		assert_string_not_equal(one, other);
		assert_string_equal(one, padded);
		cut_sections("one");
		cut_sections("other");
	}
}

/* A binary without tables has a page that states this; no file is written for it. */
static void test_empty(void **state)
{
	struct cfi_table none = {.rule_count = 1};
	struct unwind_pages pages;

	(void)state;
	unwind_pages_build(&none, &pages);
	assert_true(pages.empty && pages.count == 1 && !pages.at->head.parts);
	unwind_pages_release(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_rules),
		cmocka_unit_test(test_dense),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_kept_without_build_id),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
