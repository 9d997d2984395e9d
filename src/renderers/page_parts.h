/* page_parts.h: the HTML around the profile in a page that is one file. Compiled in by
 * src/page/. */
#ifndef KILN_RENDERERS_PAGE_PARTS_H
#define KILN_RENDERERS_PAGE_PARTS_H

#include "base/bytes.h"

/* `start` ends with the name in the start tag of the element that contains the profile; `end`
 * begins with the end tag of that element. Both are static. */
struct page_parts {
	struct bytes start, end;
	const char *unavailable; /* why they are missing; NULL: they are there */
};

extern const struct page_parts page_parts;

#endif
