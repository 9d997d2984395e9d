/* fold_text.h: text in, folded text out. */
#ifndef KILN_TEST_FOLD_TEXT_H
#define KILN_TEST_FOLD_TEXT_H

#include "base/buffer.h"
#include "readers/readers.h"

/* Read `text` with the reader of this name (NULL: by content). p is to be released in any case. */
bool read_text(
	struct profile *p, struct bytes text, const char *format, unsigned want, struct error *err);

/* What `kiln fold` makes of the kind (NULL: the first one), with or without idle samples, with the
 * renderer's switch of this name on ("all", ...; NULL: none). Appended to *out. */
void fold_profile(
	const struct profile *p, const char *kind, bool idle, const char *mark, struct buffer *out);

#endif
