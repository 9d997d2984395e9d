/* text_lines.h: the lines of an input, and what they meant the last time.
 *
 * Lines are found many at once: those of a long text mean too much to stay in the processor's
 * caches, and what is known about one is fetched while others are looked at. */
#ifndef KILN_READERS_LINES_TEXT_LINES_H
#define KILN_READERS_LINES_TEXT_LINES_H

#include "base/input.h"
#include "readers/lines/memo.h"

#define TEXT_AHEAD 64u /* lines */
#define TEXT_HINTS 8192u

/* A line that was found ahead. */
struct text_line {
	struct bytes text;
	uint32_t value; /* that of the text, or of its part, if it is known, or 0 */
	bool unknown;	/* it was not known when it was looked up */
};

struct text_lines {
	struct input *in;
	uint64_t number; /* of the last line */
	/* For readers that look up a part of each line: returns the part. NULL: whole lines are
	 * looked up, if any. */
	struct bytes (*part)(struct bytes line);
	struct text_line ahead[TEXT_AHEAD];
	struct bytes parts[TEXT_AHEAD]; /* of those lines, if parts are looked up */
	unsigned held, taken;		/* how many were found, and how many of them were taken */
	bool uses_parts;		/* parts are looked up, with those of lines that are held */
	bool learned;			/* something was, since then */
	struct memo known;
	/* By text, the one that was looked up next the last time: mostly it is again. */
	uint32_t next[TEXT_HINTS], beginnings;
};

void text_lines_release(struct text_lines *l);

bool text_lines_look(
	struct text_lines *l, struct bytes *ret_line, bool *ret_more, struct error *err);

/* The next line without its newline, valid until the next call; *ret_more is false at the end. */
static inline bool text_lines_next(
	struct text_lines *l, struct bytes *ret_line, bool *ret_more, struct error *err)
{
	if (l->taken == l->held)
		return text_lines_look(l, ret_line, ret_more, err);
	*ret_line = l->ahead[l->taken++].text;
	*ret_more = true;
	l->number++;
	return true;
}

uint32_t text_lines_find(struct text_lines *l, struct bytes text);

/* The text of the last line that is looked up. */
static inline struct bytes text_lines_part(const struct text_lines *l, struct bytes line)
{
	if (!l->part)
		return line;
	return l->taken && l->ahead[l->taken - 1].text.at == line.at ? l->parts[l->taken - 1]
								     : l->part(line);
}

/* Is this the text of the last line that is looked up? */
static inline bool text_lines_is_part(const struct text_lines *l, struct bytes text)
{
	const struct bytes *part = l->part ? &l->parts[l->taken - 1] : &l->ahead[l->taken - 1].text;

	return part->at == text.at && part->len == text.len;
}

/* The value of this text (a line or a part of one), or 0; and how to remember it. */
static inline uint32_t text_lines_known(struct text_lines *l, struct bytes text)
{
	if (l->taken) {
		const struct text_line *line = &l->ahead[l->taken - 1];

		if (line->value && text_lines_is_part(l, text))
			return line->value;
	}
	return text_lines_find(l, text);
}

/* What the part of a line means that is so many lines further on, as far as that is known now: to
 * fetch what will be looked at then. */
static inline uint32_t text_lines_coming(const struct text_lines *l, unsigned lines)
{
	unsigned at = l->taken + lines - 1;

	return at < l->held ? l->ahead[at].value : 0;
}

void text_lines_learn(struct text_lines *l, struct bytes text, uint32_t value);

#endif
