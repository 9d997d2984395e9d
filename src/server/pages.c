/* pages.c: which files of web/ are there? One line each in meson.build. */
#include "server/pages.h"

#include "view_embedded.h"

#define HTML   "text/html; charset=utf-8"
#define CSS    "text/css; charset=utf-8"
#define MODULE "text/javascript; charset=utf-8"

#define ENTRY(name, address, type) {address, type, {embedded_##name, sizeof(embedded_##name) - 1}},

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

void page_link(const struct page *page, struct buffer *ret)
{
	struct bytes folder = bytes_of(page->address);

	buffer_text(ret, "");
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct bytes address = bytes_of(pages[i].address);

		if (address.len > folder.len && address.at[folder.len] == '/' &&
			bytes_start(address, folder))
			buffer_printf(ret, "%s<%s>; rel=modulepreload", ret->len ? ", " : "",
				pages[i].address);
	}
}
