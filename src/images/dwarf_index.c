/* dwarf_index.c: which unit describes an address? */
#include "images/dwarf_index.h"

#include "base/search.h"
#include "images/dwarf_ranges.h"

#include <dwarf.h>
#include <stdlib.h>

void dwarf_index_release(struct dwarf_index *index)
{
	vector_release(&index->spans);
}

static void span_add(struct dwarf_index *index, uint64_t start, uint64_t end, size_t unit)
{
	/* Address 0 marks code that the linker dropped. */
	if (start && start < end)
		vector_push(&index->spans, ((struct dwarf_span){start, end, (uint32_t)unit}));
}

/* ---- .debug_aranges ---- */

/* The index of the unit whose header is at `offset`; SIZE_MAX: none. */
static size_t unit_number(const struct dwarf_file *file, uint64_t offset)
{
	size_t at = search_below(file->units.items, file->units.len, offset);

	return at < file->units.len && file->units.items[at] == offset ? at : SIZE_MAX;
}

/* Read the pairs (address, length) of one set. (0, 0) marks the end of a set, but linkers also
 * write it for code that they dropped. So read up to the end that the set's length gives. */
static void pairs_read(struct dwarf_index *index, struct cursor *c, unsigned size, size_t unit)
{
	while (cursor_left(c) >= 2 * size) {
		uint64_t start = cursor_fixed(c, size), length = cursor_fixed(c, size);

		span_add(index, start, start + length, unit);
	}
}

/* Read one set under the cursor, which is cut to its end. Returns its unit; SIZE_MAX: not
 * plausible. */
static size_t set_read(struct dwarf_index *index, const struct dwarf_file *file, struct cursor *c,
	const uint8_t *start, unsigned offset_size)
{
	uint64_t version = cursor_fixed(c, 2);
	size_t unit = unit_number(file, cursor_fixed(c, offset_size));
	unsigned size = cursor_u8(c), segment_size = cursor_u8(c), before;

	if (c->bad || version != 2 || unit == SIZE_MAX || (size != 4 && size != 8) || segment_size)
		return SIZE_MAX;
	/* Aligned to the size of a pair, from the start of the set. */
	before = (unsigned)(c->at - start) % (2 * size);
	cursor_take(c, before ? 2 * size - before : 0);
	pairs_read(index, c, size, unit);
	return unit;
}

/* Marks the units that have a set with code. */
static void aranges_read(struct dwarf_index *index, const struct dwarf_file *file, bool *known)
{
	struct cursor c = cursor_of(file->sections[DWARF_ARANGES]);

	while (cursor_left(&c)) {
		struct cursor set = {c.at, c.end, false};
		uint64_t length = cursor_fixed(&c, 4);
		unsigned offset_size = 4;
		size_t unit, before = index->spans.len;

		if (length == 0xffffffff) {
			offset_size = 8;
			length = cursor_fixed(&c, 8);
		}
		if (c.bad || length > cursor_left(&c))
			break;
		set.at = c.at;
		set.end = c.at + length;
		unit = set_read(
			index, file, &set, set.at - (offset_size == 8 ? 12 : 4), offset_size);
		/* A set without code counts as missing. */
		if (unit != SIZE_MAX && index->spans.len > before)
			known[unit] = true;
		cursor_take(&c, length);
	}
}

/* ---- Units ---- */

static bool may_have_code(const struct dwarf_header *header)
{
	return header->kind == DW_UT_compile || header->kind == DW_UT_skeleton;
}

static void unit_read(
	struct dwarf_index *index, struct dwarf_reader *r, const struct dwarf_file *file, size_t i)
{
	struct dwarf_header header;
	struct dwarf_unit unit;
	struct dwarf_entry entry;
	struct dwarf_ranges ranges;
	uint64_t start, end;

	if (!dwarf_file_header(file, file->units.items[i], &header) || !may_have_code(&header) ||
		!dwarf_unit_peek(r, file, file->units.items[i], &unit, &entry) ||
		entry.tag == DW_TAG_partial_unit)
		return;
	dwarf_ranges_start(r, &entry, &ranges);
	while (dwarf_ranges_next(&ranges, &start, &end))
		span_add(index, start, end, i);
}

/* ---- Sorting ---- */

static int compare_spans(const void *a, const void *b)
{
	const struct dwarf_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end) /* the longer span contains the other */
		return x->end > y->end ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Turns sorted, nested spans into a list without overlaps: open spans are a stack, and the top
 * one owns the addresses up to where the next one starts. */
struct flattening {
	VECTOR(struct dwarf_span) out, open;
	uint64_t at;
};

static void flatten_to(struct flattening *f, uint64_t end)
{
	while (f->open.len && f->at < end) {
		struct dwarf_span *top = &f->open.items[f->open.len - 1];
		uint64_t stop = top->end < end ? top->end : end;

		if (f->at < stop) {
			vector_push(&f->out, ((struct dwarf_span){f->at, stop, top->unit}));
			f->at = stop;
		}
		if (top->end <= end)
			f->open.len--;
	}
	if (f->at < end)
		f->at = end;
}

static void flatten(struct dwarf_index *index)
{
	struct flattening f = {0};

	for (size_t i = 0; i < index->spans.len; i++) {
		const struct dwarf_span *span = &index->spans.items[i];

		flatten_to(&f, span->start);
		/* An equal span (code that the linker folded): the first unit keeps it. */
		if (f.open.len && f.open.items[f.open.len - 1].end == span->end &&
			index->spans.items[i - 1].start == span->start)
			continue;
		vector_push(&f.open, *span);
	}
	flatten_to(&f, UINT64_MAX);
	vector_release(&f.open);
	vector_release(&index->spans);
	index->spans.items = f.out.items;
	index->spans.len = f.out.len;
	index->spans.cap = f.out.cap;
}

void dwarf_index_build(
	struct dwarf_reader *r, const struct dwarf_file *file, struct dwarf_index *ret_index)
{
	bool *known = memory_new(file->units.len, sizeof(*known));

	aranges_read(ret_index, file, known);
	for (size_t i = 0; i < file->units.len; i++)
		if (!known[i])
			unit_read(ret_index, r, file, i);
	memory_free(known);
	if (ret_index->spans.len)
		qsort(ret_index->spans.items, ret_index->spans.len, sizeof(*ret_index->spans.items),
			compare_spans);
	flatten(ret_index);
}
