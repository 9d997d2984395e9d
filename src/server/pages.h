/* pages.h: the files of web/ that a browser is given as they are. */
#ifndef KILN_SERVER_PAGES_H
#define KILN_SERVER_PAGES_H

#include "base/bytes.h"

struct page {
	const char *address; /* "view" is the page itself */
	const char *type;
	struct bytes bytes; /* static */
};

/* NULL: there is none. */
const struct page *page_at(const char *address);

#endif
