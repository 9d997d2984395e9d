/* pages.c: which pages are there? One line each in meson.build. */
#include "server/pages.h"

#include "view_embedded.h"

#define ENTRY(name, NAME)                                                                          \
	{#name, PAGE_##NAME##_POLICY "; img-src 'self' data:; connect-src 'self'",                 \
		{page_##name, sizeof(page_##name) - 1}, PAGE_##NAME##_END},

static const struct page pages[] = {
#include "pages.list"
};

const struct page *page_at(const char *address)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		if (!strcmp(pages[i].address, address))
			return &pages[i];
	return NULL;
}
