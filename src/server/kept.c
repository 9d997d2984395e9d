/* kept.c: which profiles are in memory, and which of them are let go? */
#include "server/kept.h"

#include <stdlib.h>

void held_release(struct held *h)
{
	profile_release(&h->profile);
	free(h->name);
	buffer_release(&h->key);
	free(h);
}

void kept_use(struct kept *k, struct held *h)
{
	h->users++;
	h->used = ++k->uses;
}

void kept_add(struct kept *k, struct held *h, struct entry *entry)
{
	h->entry = entry;
	h->is_kept = true;
	if (entry && entry->held)
		kept_drop(k, entry->held);
	if (entry)
		entry->held = h;
	vector_push(&k->all, h);
}

struct held *kept_made(const struct kept *k, struct bytes key)
{
	for (size_t i = 0; i < k->all.len; i++)
		if (!k->all.items[i]->entry &&
			bytes_equal(buffer_bytes(&k->all.items[i]->key), key))
			return k->all.items[i];
	return NULL;
}

void kept_drop(struct kept *k, struct held *h)
{
	for (size_t i = 0; i < k->all.len; i++)
		if (k->all.items[i] == h)
			k->all.items[i] = k->all.items[--k->all.len];
	if (h->entry)
		h->entry->held = NULL;
	h->entry = NULL;
	h->is_kept = false;
	if (!h->users)
		held_release(h);
}

static bool can_go(const struct kept *k, const struct held *h)
{
	return !h->users && h->used != k->uses &&
	       (!h->entry || !h->entry->only_here || h->entry->was_sent);
}

struct held *kept_oldest(const struct kept *k)
{
	struct held *oldest = NULL;
	uint64_t size = 0;

	for (size_t i = 0; i < k->all.len; i++) {
		struct held *h = k->all.items[i];

		size += h->size;
		if (can_go(k, h) && (!oldest || h->used < oldest->used))
			oldest = h;
	}
	return size > k->most ? oldest : NULL;
}

void kept_release(struct kept *k)
{
	while (k->all.len)
		kept_drop(k, k->all.items[0]);
	vector_release(&k->all);
}
