/* pages.c: a binary's unwind table in the layout that programs search.
 *
 * images/cfi_table.h has compiled the binary's .eh_frame into rows: from this address on, that rule
 * holds. Here the rows are cut into parts of 256 bytes of code. A part gets the rule that holds at
 * its first address and the rows that begin in it, which are put into one page of rows; a row that
 * begins with the part becomes that rule. Pages are in the order head and rules, index, rows. */
#include "recorders/unwind/pages.h"

#include "base/hash.h"
#include "images/cfi_index.h"
#include "images/symbol_cache.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_SIZE  (1u << UNWIND_PART_BITS)
#define PAGE_PARTS (1u << (CFI_TABLE_PAGE_BITS - UNWIND_PART_BITS)) /* of a page of cfi_table */
#define WORD	   8

static_assert(sizeof(union unwind_page) == UNWIND_PAGE_BYTES, "pages of one size");
static_assert(sizeof(struct unwind_rule) * UNWIND_PAGE_RULES == UNWIND_PAGE_BYTES, "rules fit");
static_assert(sizeof(struct unwind_part) * UNWIND_PAGE_PARTS == UNWIND_PAGE_BYTES, "parts fit");

static size_t rounded_up(size_t count, size_t unit)
{
	return (count + unit - 1) / unit;
}

struct building {
	VECTOR(union unwind_page) pages;
};

static struct unwind_rule rule_of(const struct cfi_table_rule *r)
{
	return (struct unwind_rule){.cfa_offset = r->cfa_offset,
		.cfa_after = r->cfa_after,
		.ra_offset = r->ra_offset,
		.fp_offset = r->fp_offset,
		.cfa_how = r->cfa_how,
		.cfa_base = r->cfa_base,
		.ra_how = r->ra_how,
		.ra_base = r->ra_base,
		.fp_how = r->fp_how,
		.fp_base = r->fp_base,
		.base_how = r->base_how,
		.base_offset = r->base_offset,
		.signal = r->signal,
		.usual = !r->signal && r->ra_how == CFI_AT_CFA && r->ra_offset == -WORD &&
			 r->fp_how == CFI_AT_CFA && r->fp_offset == -2 * WORD};
}

/* The row where the next part's `count` rows go, in one page. */
static uint32_t make_room(struct building *p, uint32_t row, uint32_t count)
{
	if (row / UNWIND_PAGE_ROWS != (row + count - 1) / UNWIND_PAGE_ROWS)
		row = (row / UNWIND_PAGE_ROWS + 1) * UNWIND_PAGE_ROWS;
	if (row / UNWIND_PAGE_ROWS == p->pages.len) {
		vector_reserve(&p->pages, 1);
		memset(&p->pages.items[p->pages.len++], 0, UNWIND_PAGE_BYTES);
	}
	return row;
}

/* One part: rows from `*at` on that begin in it. A first one that begins with it needs no row. */
static void put_part(struct building *p, const struct cfi_table_row *rows, size_t end,
	uint16_t first_pc, size_t *at, uint16_t *rule, struct unwind_part *ret_part)
{
	size_t i = *at;

	if (i < end && rows[i].pc == first_pc)
		*rule = rows[i++].rule;
	ret_part->rule = *rule;
	for (*at = i; *at < end && rows[*at].pc - first_pc < (int)PART_SIZE; ++*at)
		;
	ret_part->count = (uint16_t)(*at - i);
	if (!ret_part->count)
		return;
	*rule = rows[*at - 1].rule;
	ret_part->row = make_room(p, ret_part->row, ret_part->count);
	for (size_t k = 0; k < ret_part->count; k++)
		p->pages.items[ret_part->row / UNWIND_PAGE_ROWS]
			.rows[ret_part->row % UNWIND_PAGE_ROWS + k] =
			(uint32_t)rows[i + k].pc << 16 | rows[i + k].rule;
}

/* Of the index and the rules, which all lie before the first row; none is set but the rules. */
static struct unwind_head begin(struct building *p, const struct cfi_table *table)
{
	struct unwind_head head = {.start = table->start,
		.parts = (uint32_t)(table->page_count * PAGE_PARTS),
		.index = (uint32_t)rounded_up(table->rule_count, UNWIND_PAGE_RULES)};
	size_t pages = head.index + rounded_up(head.parts, UNWIND_PAGE_PARTS);

	vector_reserve(&p->pages, pages + table->row_count / UNWIND_PAGE_ROWS + 1);
	memset(p->pages.items, 0, pages * UNWIND_PAGE_BYTES);
	p->pages.len = pages;
	for (size_t i = 1; i < table->rule_count; i++)
		p->pages.items[i / UNWIND_PAGE_RULES].rules[i % UNWIND_PAGE_RULES] =
			rule_of(&table->rules[i]);
	p->pages.items[0].head = head;
	return head;
}

void unwind_pages_build(const struct cfi_table *table, struct unwind_pages *ret)
{
	struct building p = {0};
	struct unwind_head head = begin(&p, table);
	struct unwind_part part = {.row = (uint32_t)p.pages.len * UNWIND_PAGE_ROWS};
	uint16_t rule = 0;

	for (size_t page = 0, at = 0; page < table->page_count; page++) {
		for (uint32_t i = 0; i < PAGE_PARTS; i++) {
			size_t number = page * PAGE_PARTS + i;

			put_part(&p, table->rows, table->pages[page + 1],
				(uint16_t)(i << UNWIND_PART_BITS), &at, &rule, &part);
			p.pages.items[head.index + number / UNWIND_PAGE_PARTS]
				.parts[number % UNWIND_PAGE_PARTS] = part;
			part.row += part.count;
		}
	}
	*ret = (struct unwind_pages){
		.at = p.pages.items, .count = p.pages.len, .empty = !head.parts};
	ret->own.items = p.pages.items;
	ret->own.len = p.pages.len;
	ret->own.cap = p.pages.cap;
}

void unwind_pages_release(struct unwind_pages *p)
{
	vector_release(&p->own);
	stable_file_release(&p->file);
	*p = (struct unwind_pages){0};
}

/* ---- From the image, or from disk ---- */

#define KEPT_PAGES   16 /* at least: a smaller table is made as fast as it is read */
#define KEPT_MAGIC   "kilnuwt\1"
#define KEPT_EDITION "3 " KILN_VERSION /* to be raised with every change of the layout */

/* Of a file, whose pages follow it. */
struct kept_header {
	char magic[8];
	uint64_t key;	   /* of the binary, and of what made the pages */
	uint64_t count;	   /* pages */
	uint64_t checksum; /* of them */
};

/* What tables are made from. */
static const char *const table_sections[] = {
	".eh_frame", ".debug_frame", ".zdebug_frame", ".plt", ".plt.got", ".plt.sec", ".iplt"};

static bool makes_tables(const struct image_section *section)
{
	for (size_t i = 0; i < sizeof(table_sections) / sizeof(*table_sections); i++)
		if (!strcmp(section->name, table_sections[i]))
			return true;
	return false;
}

/* Of one build there are stripped files, and files that have only debugging information. */
static uint64_t kept_key(const struct image *image)
{
	uint64_t key = hash_bytes(KEPT_EDITION, sizeof(KEPT_EDITION));
	const struct image_section *section;

	for (size_t i = 0; (section = image_section_header(image, i)); i++)
		if (makes_tables(section))
			key = hash_pair(key, hash_pair(section->address, section->content.len));
	return key;
}

/* Of what tables are made from where there is no table of sections; most often there is nothing. */
static uint64_t hash_without_sections(const struct image *image)
{
	struct cfi_index index;
	struct bytes content;
	uint64_t hash;

	cfi_index_eh_frame(&index, image);
	content = index.section.content;
	hash = hash_pair(index.section.address, hash_bytes(content.at, content.len));
	cfi_index_release(&index);
	return hash;
}

void unwind_pages_identity(const struct image *image, char ret_text[65])
{
	const struct image_section *section;
	uint64_t hash = image_machine(image);
	size_t found = 0;

	if (image_build_id(image).len) {
		image_build_id_text(image, ret_text);
		return;
	}
	for (size_t i = 0; (section = image_section_by_index(image, i)); i++) {
		if (!makes_tables(section))
			continue;
		hash = hash_pair(hash ^ section->address,
			hash_bytes(section->content.at, section->content.len));
		found += section->content.len;
	}
	if (!found)
		hash = hash_pair(hash, hash_without_sections(image));
	snprintf(ret_text, 65, "xxh3-%016llx", (unsigned long long)hash);
}

static void kept_name(const struct image *image, char ret_name[96])
{
	char identity[65];

	unwind_pages_identity(image, identity);
	snprintf(ret_name, 96, "%s.unwind", identity);
}

/* Programs follow the numbers in pages, and check themselves what is there. */
static bool kept_fits(const struct kept_header *h, struct bytes file, uint64_t key)
{
	return !memcmp(h->magic, KEPT_MAGIC, sizeof(h->magic)) && h->key == key &&
	       h->count >= KEPT_PAGES && h->count * UNWIND_PAGE_BYTES == file.len - sizeof(*h) &&
	       h->checksum == hash_bytes(file.at + sizeof(*h), file.len - sizeof(*h));
}

static bool read_kept(const struct image *image, uint64_t key, struct unwind_pages *ret)
{
	struct kept_header h;
	struct stable_file file;
	char name[96];

	kept_name(image, name);
	if (!symbol_cache_open(name, &file))
		return false;
	if (file.content.len < sizeof(h)) {
		stable_file_release(&file);
		return false;
	}
	memcpy(&h, file.content.at, sizeof(h));
	if (!kept_fits(&h, file.content, key)) {
		stable_file_release(&file);
		return false;
	}
	*ret = (struct unwind_pages){
		.at = (const void *)(file.content.at + sizeof(h)), .count = h.count, .file = file};
	return true;
}

bool unwind_pages_read(const struct image *image, struct unwind_pages *ret)
{
	return read_kept(image, kept_key(image), ret);
}

void unwind_pages_save(const struct unwind_pages *pages, const struct image *image)
{
	struct bytes content = {(const void *)pages->at, pages->count * UNWIND_PAGE_BYTES};
	struct kept_header h = {.magic = KEPT_MAGIC, .key = pages->key, .count = pages->count};
	struct output out;
	char name[96];

	if (pages->file.content.len || pages->count < KEPT_PAGES)
		return;
	kept_name(image, name);
	if (!symbol_cache_create(name, sizeof(h) + content.len, &out))
		return;
	h.checksum = hash_bytes(content.at, content.len);
	output_write(&out, (struct bytes){(const void *)&h, sizeof(h)});
	output_write(&out, content);
	symbol_cache_commit(&out);
}

void unwind_pages_open(const struct image *image, struct unwind_pages *ret)
{
	struct cfi_table none = {.rule_count = 1}, rules;
	struct error ignored = {0};
	uint64_t key = kept_key(image);
	struct cfi *cfi;

	if (read_kept(image, key, ret))
		return;
	cfi = cfi_open(image);
	if (cfi_table_build(cfi, &rules, &ignored)) {
		unwind_pages_build(&rules, ret);
		cfi_table_release(&rules);
	} else {
		unwind_pages_build(&none, ret);
	}
	cfi_release(cfi);
	ret->key = key;
}
