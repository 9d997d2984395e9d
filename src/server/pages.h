/* pages.h: the HTML pages, with styles and scripts inside. */
#ifndef KILN_SERVER_PAGES_H
#define KILN_SERVER_PAGES_H

#include "base/bytes.h"

struct page {
	const char *address;
	const char *policy; /* what it may run and load: part of a Content Security Policy */
	struct bytes bytes; /* static */
	size_t end;	    /* where its body ends */
};

/* NULL: no such page. */
const struct page *page_at(const char *address);

#endif
