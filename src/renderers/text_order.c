/* text_order.c: in which order must a tree be walked so that its paths come out sorted? */
#include "renderers/text_order.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

struct entry {
	uint64_t start; /* first bytes, which decide most comparisons */
	struct bytes text;
	uint32_t id;
};

/* Eight bytes from `at` on as a number that compares like the text. */
static uint64_t start_of(struct bytes text, size_t at)
{
	uint64_t start = 0;

	for (size_t i = at; i < at + 8; i++)
		start = start << 8 | (i < text.len ? (unsigned char)text.at[i] : 0);
	return start;
}

static int compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return bytes_compare(a->text, b->text);
}

/* Radix sort by the first eight bytes; texts that are equal in these are compared by the next
 * eight, then completely. */
static struct entry *sort_texts(const struct bytes *texts, size_t count)
{
	struct entry *sorted = memory_new(count, sizeof(*sorted));
	struct sort_key *keys = memory_new(count, sizeof(*keys));
	uint64_t *starts = memory_new(count, sizeof(*starts));

	for (size_t i = 0; i < count; i++)
		starts[i] = start_of(texts[i], 0);
	sort_by_number(starts, count, keys);
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct entry){
			start_of(texts[keys[i].row], 8), texts[keys[i].row], keys[i].row};
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1;
			end < count && starts[keys[end].row] == starts[keys[first].row]; end++)
			;
		if (end > first + 1)
			qsort(sorted + first, end - first, sizeof(*sorted), compare);
	}
	memory_free(starts);
	memory_free(keys);
	return sorted;
}

/* Does `text` followed by ';' precede `next`, which is greater than `text`? */
static bool leads_before(struct bytes text, struct bytes next)
{
	return !bytes_starts_with(next, text) || (unsigned char)next.at[text.len] > ';';
}

/* Assign ranks in order. A text that is a prefix of the next ones waits on a stack until nothing
 * that sorts before ';' can follow; each waiting text begins with the one below it. */
static void give_ranks(struct text_order *o, const struct entry *sorted, size_t count)
{
	uint32_t *waiting = memory_new(count, sizeof(*waiting));
	size_t depth = 0;
	uint32_t rank = 0;

	for (size_t i = 0; i < count; i++) {
		while (depth && leads_before(sorted[waiting[depth - 1]].text, sorted[i].text))
			o->leading[sorted[waiting[--depth]].id] = rank++;
		o->ending[sorted[i].id] = rank++;
		waiting[depth++] = (uint32_t)i;
	}
	while (depth)
		o->leading[sorted[waiting[--depth]].id] = rank++;
	memory_free(waiting);
}

void text_order_init(struct text_order *o, const struct bytes *texts, size_t count)
{
	struct entry *sorted = sort_texts(texts, count);

	o->ending = memory_new(count, sizeof(*o->ending));
	o->leading = memory_new(count, sizeof(*o->leading));
	give_ranks(o, sorted, count);
	memory_free(sorted);
}

void text_order_release(struct text_order *o)
{
	memory_free(o->ending);
	memory_free(o->leading);
	*o = (struct text_order){0};
}
