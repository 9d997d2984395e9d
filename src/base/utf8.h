/* utf8.h: is this valid UTF-8, and how many code points are in it? */
#ifndef KILN_BASE_UTF8_H
#define KILN_BASE_UTF8_H

#include "base/bytes.h"

/* Length in bytes of the well-formed sequence at the start of `text` (no surrogates, no overlong
 * forms), 0 when there is none. Sets the code point when asked. */
size_t utf8_decode(struct bytes text, uint32_t *ret_code_point);

/* How many code points; a byte outside any well-formed sequence counts as one. */
size_t utf8_count(struct bytes text);

/* The offset of the first byte that a string table may not hold, or text.len: a control
 * character (below 0x20, 0x7f to 0x9f), a line separator or a mark that changes the direction of
 * text (U+2028 to U+202E, U+2066 to U+2069), or a byte outside well-formed UTF-8. Fast on ASCII. */
size_t utf8_clean_length(struct bytes text);

#endif
