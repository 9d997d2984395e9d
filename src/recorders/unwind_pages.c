/* unwind_pages.c: a binary's unwind table in the shape that programs in the kernel search. */
#include "recorders/unwind_pages.h"

#include <stdlib.h>
#include <string.h>

#define PART_SIZE  (1u << UNWIND_PART_BITS)
#define PAGE_PARTS (1u << (CFI_TABLE_PAGE_BITS - UNWIND_PART_BITS)) /* of a page of cfi_table */
#define WORD	   8

_Static_assert(sizeof(union unwind_page) == UNWIND_PAGE_BYTES, "pages of one size");
_Static_assert(sizeof(struct unwind_rule) * UNWIND_PAGE_RULES == UNWIND_PAGE_BYTES, "rules fit");
_Static_assert(sizeof(struct unwind_part) * UNWIND_PAGE_PARTS == UNWIND_PAGE_BYTES, "parts fit");

static size_t rounded_up(size_t count, size_t unit)
{
	return (count + unit - 1) / unit;
}

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

uint64_t unwind_pages_most(const struct cfi_table *table)
{
	size_t parts = table->page_count * PAGE_PARTS;

	/* The rows of a part may leave an end of a page empty, of at most a quarter. */
	return (uint64_t)UNWIND_PAGE_BYTES *
	       (rounded_up(table->rule_count, UNWIND_PAGE_RULES) +
		       rounded_up(parts, UNWIND_PAGE_PARTS) +
		       rounded_up(table->row_count, UNWIND_PAGE_ROWS * 3 / 4) + 1);
}

/* The row where the next part's `count` rows go, in one page. */
static uint32_t make_room(struct unwind_pages *p, uint32_t row, uint32_t count)
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
static void put_part(struct unwind_pages *p, const struct cfi_table_row *rows, size_t end,
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

void unwind_pages_build(const struct cfi_table *table, struct unwind_pages *ret)
{
	struct unwind_pages p = {.start = table->start};
	struct unwind_part part = {0};
	uint16_t rule = 0;
	size_t pages;

	p.parts = (uint32_t)(table->page_count * PAGE_PARTS);
	p.index = (uint16_t)rounded_up(table->rule_count, UNWIND_PAGE_RULES);
	pages = p.index + rounded_up(p.parts, UNWIND_PAGE_PARTS);
	vector_reserve(&p.pages, pages + table->row_count / UNWIND_PAGE_ROWS + 1);
	memset(p.pages.items, 0, pages * UNWIND_PAGE_BYTES);
	p.pages.len = pages;
	for (size_t i = 0; i < table->rule_count; i++)
		p.pages.items[i / UNWIND_PAGE_RULES].rules[i % UNWIND_PAGE_RULES] =
			rule_of(&table->rules[i]);
	part.row = (uint32_t)pages * UNWIND_PAGE_ROWS;
	for (size_t page = 0, at = 0; page < table->page_count; page++) {
		for (uint32_t i = 0; i < PAGE_PARTS; i++) {
			size_t number = page * PAGE_PARTS + i;

			put_part(&p, table->rows, table->pages[page + 1],
				(uint16_t)(i << UNWIND_PART_BITS), &at, &rule, &part);
			p.pages.items[p.index + number / UNWIND_PAGE_PARTS]
				.parts[number % UNWIND_PAGE_PARTS] = part;
			part.row += part.count;
		}
	}
	*ret = p;
}

void unwind_pages_release(struct unwind_pages *p)
{
	vector_release(&p->pages);
	*p = (struct unwind_pages){0};
}
