/* readers.c: which format is this? */
#include "readers/readers.h"

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

const struct reader *reader_for(struct bytes head)
{
	const struct reader *best = NULL;
	int highest = 0;

	for (size_t i = 0; readers[i]; i++) {
		int bid = readers[i]->bid(head);

		if (bid > highest) {
			highest = bid;
			best = readers[i];
		}
	}
	return best;
}
