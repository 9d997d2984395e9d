/* text_lines.c: finds the next lines, and their values from the last time. */
#include "readers/lines/text_lines.h"

#include "readers/lines/scan.h"

#define LOOK_LIMIT ((size_t)1 << 20) /* bytes in which newlines are looked for */

void text_lines_release(struct text_lines *l)
{
	memo_release(&l->known);
}

/* The slot that remembers which text follows the last one. */
static uint32_t *hint(struct text_lines *l)
{
	if (l->beginnings != l->known.beginnings) {
		l->beginnings = l->known.beginnings;
		memset(l->next, 0, sizeof(l->next));
	}
	return &l->next[l->known.last % TEXT_HINTS];
}

/* Mostly the same text follows as the last time. */
static uint32_t find_by_hint(struct text_lines *l, struct bytes text)
{
	uint32_t *next = hint(l), value;

	if (*next && memo_is(&l->known, *next, text))
		return memo_value(&l->known, l->known.last = *next);
	value = memo_find(&l->known, text);
	*next = l->known.last;
	return value;
}

static struct bytes part(const struct text_lines *l, unsigned line)
{
	return l->part ? l->parts[line] : l->ahead[line].text;
}

/* One step for all lines at a time: meanwhile the memory for the next step is prefetched. */
static void look_up(struct text_lines *l)
{
	uint64_t hash[TEXT_AHEAD];
	uint32_t record[TEXT_AHEAD];

	for (unsigned i = 0; i < l->held; i++)
		hash[i] = memo_fetch(&l->known, part(l, i));
	for (unsigned i = 0; i < l->held; i++)
		record[i] = memo_candidate(&l->known, hash[i]);
	for (unsigned i = 0; i < l->held; i++) {
		struct text_line *line = &l->ahead[i];

		line->unknown = !record[i];
		line->value = record[i] && memo_is(&l->known, record[i], part(l, i))
				      ? memo_value(&l->known, record[i])
				      : 0;
	}
}

/* Take the lines that are in the window. */
static void look_ahead(struct text_lines *l)
{
	struct bytes window = l->in->window;
	uint32_t ends[TEXT_AHEAD];
	size_t start = 0;

	if (window.len > LOOK_LIMIT)
		window.len = LOOK_LIMIT;
	l->held = (unsigned)scan_newlines(window, ends, TEXT_AHEAD);
	for (unsigned i = 0; i < l->held; i++) {
		size_t len = ends[i] - start;

		len -= len && window.at[ends[i] - 1] == '\r';
		l->ahead[i] = (struct text_line){{window.at + start, len}, 0, false};
		start = ends[i] + 1;
	}
	input_skip(l->in, start);
	l->taken = 0;
	l->learned = false;
	for (unsigned i = 0; i < l->held && l->part; i++)
		l->parts[i] = l->part(l->ahead[i].text);
	if (l->part || l->uses_parts)
		look_up(l);
}

bool text_lines_look(
	struct text_lines *l, struct bytes *ret_line, bool *ret_more, struct error *err)
{
	look_ahead(l);
	if (l->held)
		return text_lines_next(l, ret_line, ret_more, err);
	/* No newline, or one that is far away. */
	if (!input_line(l->in, ret_line, ret_more, err))
		return error_prefix(err, "line %llu: ", (unsigned long long)l->number + 1);
	l->number += *ret_more;
	return true;
}

uint32_t text_lines_find(struct text_lines *l, struct bytes text)
{
	if (l->taken) {
		const struct text_line *line = &l->ahead[l->taken - 1];

		l->uses_parts = text_lines_is_part(l, text);
		if (l->uses_parts && line->unknown && !l->learned)
			return 0;
	}
	return find_by_hint(l, text);
}

void text_lines_learn(struct text_lines *l, struct bytes text, uint32_t value)
{
	if (!value)
		return;
	memo_put(&l->known, text, value);
	l->learned = true;
}
