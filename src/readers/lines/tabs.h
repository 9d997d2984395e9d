/* tabs.h: text with blanks in the place of tabs, for formats where both mean the same. */
#ifndef KILN_READERS_LINES_TABS_H
#define KILN_READERS_LINES_TABS_H

#include "base/buffer.h"

#include <string.h>

static inline bool has_tab(struct bytes text)
{
	return text.len && memchr(text.at, '\t', text.len);
}

/* Append the text, with blanks up to the next of the columns 8, 16, ... for each tab. */
void tabs_expand(struct bytes text, struct buffer *to);

#endif
