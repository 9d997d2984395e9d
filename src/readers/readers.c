/* readers.c: which format is this? */
#include "readers/readers.h"

#include "base/buffer.h"
#include "readers/lines/tabs.h"

#define ENTRY(name) extern const struct reader reader_##name;
#include "readers.list"
#undef ENTRY

const struct reader *const readers[] = {
#define ENTRY(name) &reader_##name,
#include "readers.list"
#undef ENTRY
	NULL,
};

const struct reader *reader_by_name(const char *name)
{
	for (size_t i = 0; readers[i]; i++)
		if (!strcmp(readers[i]->name, name))
			return readers[i];
	return NULL;
}

static const struct reader *highest_bid(struct bytes head, bool only_blanks)
{
	const struct reader *best = NULL;
	int highest = 0;

	for (size_t i = 0; readers[i]; i++) {
		int bid = only_blanks && !readers[i]->blanks ? 0 : readers[i]->bid(head);

		if (bid > highest) {
			highest = bid;
			best = readers[i];
		}
	}
	return best;
}

/* A terminal, an editor or a mail program may have changed blanks into tabs. */
static const struct reader *reader_without_tabs(struct bytes head)
{
	struct buffer text = {0};
	const struct reader *best;

	tabs_expand(head, &text);
	best = highest_bid(bytes_head(buffer_bytes(&text), READER_HEAD), true);
	buffer_release(&text);
	return best;
}

const struct reader *reader_for(struct bytes head)
{
	const struct reader *best = highest_bid(head, false);

	return best || !has_tab(head) ? best : reader_without_tabs(head);
}
