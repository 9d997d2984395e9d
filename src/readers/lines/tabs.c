/* tabs.c: text with blanks in the place of tabs, for formats where both mean the same. */
#include "readers/lines/tabs.h"

#define COLUMNS 8u

void tabs_expand(struct bytes text, struct buffer *to)
{
	size_t column = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == '\n')
			column = 0;
		else if (c != '\t')
			column++;
		if (c != '\t')
			buffer_char(to, c);
		for (bool first = true; c == '\t' && (first || column % COLUMNS); first = false) {
			buffer_char(to, ' ');
			column++;
		}
	}
}
