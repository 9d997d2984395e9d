/* pages.h: the HTML that a browser is given, with its style and its script inside. */
#ifndef KILN_SERVER_PAGES_H
#define KILN_SERVER_PAGES_H

#include "base/bytes.h"

struct page {
	const char *address;
	const char *policy; /* what it may run and load: part of a Content Security Policy */
	struct bytes bytes; /* static */
	size_t end;	    /* where its body ends */
};

/* NULL: there is none. */
const struct page *page_at(const char *address);

#endif
