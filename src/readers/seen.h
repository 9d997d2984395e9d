/* seen.h: what did these bytes mean the last time? Of bytes that stay where they are: memo.h, which
 * copies them, is for those that do not. */
#ifndef KILN_READERS_SEEN_H
#define KILN_READERS_SEEN_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"

/* `{0}` is empty. */
struct seen {
	struct id_map by_bytes;
	VECTOR(struct seen_row) rows;
	uint64_t asked, known;
	uint64_t hash; /* of what was asked for last, and where it belongs */
	size_t at;
	bool useless; /* hardly anything came twice: nothing is remembered any more */
};
struct seen_row {
	const char *at;
	uint32_t len, value;
};

void seen_release(struct seen *s);
/* False: not known; then seen_put may tell. */
bool seen_find(struct seen *s, struct bytes bytes, uint32_t *ret_value);
/* The bytes that seen_find did not know. */
void seen_put(struct seen *s, struct bytes bytes, uint32_t value);

#endif
