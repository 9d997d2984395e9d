/* pages.h: the files of web/ that a browser is given as they are. */
#ifndef KILN_SERVER_PAGES_H
#define KILN_SERVER_PAGES_H

#include "base/buffer.h"

struct page {
	const char *address; /* "view" is the page itself */
	const char *type;
	struct bytes bytes; /* static */
};

/* A header that has a browser fetch all scripts of a page at once, not when the first one that
 * wants them has come; "" for one that has none of its own. */
void page_link(const struct page *page, struct buffer *ret);

/* NULL: there is none. */
const struct page *page_at(const char *address);

#endif
