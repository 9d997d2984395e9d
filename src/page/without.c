/* without.c: what is said where nothing could compile the module of a page. */
#include "renderers/page_parts.h"

const struct page_parts page_parts = {
	.unavailable = "this kiln cannot write pages: " PAGE_WHY,
};
