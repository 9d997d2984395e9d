/* parts.c: the page of `kiln view` with its module, as tools/page.py joins them. */
#include "renderers/page_parts.h"

#include "page_embedded.h"

const struct page_parts page_parts = {
	.start = {page_start, sizeof(page_start) - 1},
	.end = {page_end, sizeof(page_end) - 1},
};
