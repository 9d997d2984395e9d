/* page_parts.h: what stands around the profile in a page that is one file. Whoever compiles the
 * floors for it has it: src/page/. */
#ifndef KILN_RENDERERS_PAGE_PARTS_H
#define KILN_RENDERERS_PAGE_PARTS_H

#include "base/bytes.h"

/* `start` ends within the tag that the profile stands in, after its name; `end` begins with the end
 * of that element. Both are static. */
struct page_parts {
	struct bytes start, end;
	const char *lacking; /* what to say where there are none; else NULL */
};

extern const struct page_parts page_parts;

#endif
