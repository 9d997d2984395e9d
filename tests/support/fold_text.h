/* fold_text.h: text in, folded text out. */
#ifndef KILN_TEST_FOLD_TEXT_H
#define KILN_TEST_FOLD_TEXT_H

#include "base/buffer.h"
#include "readers/readers.h"

/* Read `text` with the reader of this name (NULL: by content). p is to be released in any case. */
bool read_text(
	struct profile *p, struct bytes text, const char *format, unsigned want, struct error *err);

/* Append the output of `kiln fold` for a kind (NULL: the first one), with or without idle samples,
 * with the renderer's switch of this name on ("all", ...; NULL: none), to *out. */
void fold_profile(
	const struct profile *p, const char *kind, bool idle, const char *mark, struct buffer *out);

/* Is what was read in parts the same as what was read at once? When not, *ret_where says what
 * differs: the folded text, or a table, row by row; but not where numbers have decimals: how many
 * is known only at the end, and the unit that says so is one of the strings. */
bool profiles_read_alike(
	const struct profile *whole, const struct profile *parts, const char **ret_where);

#endif
