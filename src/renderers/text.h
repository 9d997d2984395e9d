/* text.h: what the outputs for a terminal share. */
#ifndef KILN_RENDERERS_TEXT_H
#define KILN_RENDERERS_TEXT_H

#include "base/buffer.h"
#include "model/view.h"

/* Properties of the user's terminal; the first member of the settings of every text renderer. */
struct text_settings {
	uint64_t width; /* columns; 0: unlimited */
	bool colour;
	bool ascii; /* no box drawing, no ellipsis */
};

/* `text` in at most `width` columns (0: unlimited), cut with an ellipsis and, with `pad`, padded
 * with blanks. Cannot contain control sequences. */
void text_cell(struct buffer *b, struct bytes text, size_t width, bool pad,
	const struct text_settings *settings);

/* The same, right-aligned. */
void text_right(struct buffer *b, struct bytes text, size_t width);

enum text_style {
	TEXT_PLAIN,
	TEXT_HEADING,
	TEXT_HOT,
	TEXT_WARM,
	TEXT_FAINT,
	TEXT_KERNEL,
	TEXT_LESS, /* decreased; more is TEXT_HOT */
};
void text_style(struct buffer *b, enum text_style style, const struct text_settings *settings);
/* Hot from 10%, warm from 1%, otherwise faint. */
enum text_style text_share_style(int64_t part, int64_t whole);

/* A value of the view's streams for a column: "1.23 s", "1,234". */
void text_value(struct buffer *b, const struct view *v, int64_t value);

/* A stream's value with its unit: "1.23 s", "1,234 samples". */
void text_stream_value(
	struct buffer *b, const struct profile *p, const struct stream_row *row, int64_t value);

/* Are the stream's values counts, with or without decimals? */
bool text_counts(const struct profile *p, const struct stream_row *row);

/* The samples in `rows` rows of a stream's table, all that the view shows. UINT64_MAX: unknown,
 * because a reader has merged samples without a count and some are left out. */
uint64_t text_sample_count(const struct view *v, size_t stream, uint64_t rows);

/* One line: what is shown, its total, and the number of samples. */
void text_summary(struct buffer *b, const struct view *v, int64_t total);

#endif
