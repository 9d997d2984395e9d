/* without.c: the error of a build without the page's module. */
#include "renderers/page_parts.h"

const struct page_parts page_parts = {
	.unavailable = "this kiln cannot write pages: " PAGE_WHY,
};
