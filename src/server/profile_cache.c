/* profile_cache.c: which profiles are in memory, and which one is evicted next? */
#include "server/profile_cache.h"

#include <stdlib.h>

void cache_entry_release(struct cache_entry *h)
{
	profile_release(&h->profile);
	free(h->name);
	buffer_release(&h->key);
	free(h);
}

void profile_cache_use(struct profile_cache *k, struct cache_entry *h)
{
	h->users++;
	h->used = ++k->uses;
}

void profile_cache_add(struct profile_cache *k, struct cache_entry *h, struct entry *entry)
{
	h->entry = entry;
	h->is_cached = true;
	if (entry && entry->cached)
		profile_cache_drop(k, entry->cached);
	if (entry)
		entry->cached = h;
	vector_push(&k->all, h);
}

struct cache_entry *profile_cache_find_made(const struct profile_cache *k, struct bytes key)
{
	for (size_t i = 0; i < k->all.len; i++)
		if (!k->all.items[i]->entry &&
			bytes_equal(buffer_bytes(&k->all.items[i]->key), key))
			return k->all.items[i];
	return NULL;
}

void profile_cache_drop(struct profile_cache *k, struct cache_entry *h)
{
	for (size_t i = 0; i < k->all.len; i++)
		if (k->all.items[i] == h)
			k->all.items[i] = k->all.items[--k->all.len];
	if (h->entry)
		h->entry->cached = NULL;
	h->entry = NULL;
	h->is_cached = false;
	if (!h->users)
		cache_entry_release(h);
}

static bool can_go(const struct profile_cache *k, const struct cache_entry *h)
{
	return !h->users && h->used != k->uses &&
	       (!h->entry || !h->entry->is_read_once || h->entry->is_upload);
}

struct cache_entry *profile_cache_oldest(const struct profile_cache *k)
{
	struct cache_entry *oldest = NULL;
	uint64_t size = 0;

	for (size_t i = 0; i < k->all.len; i++) {
		struct cache_entry *h = k->all.items[i];

		size += h->size;
		if (can_go(k, h) && (!oldest || h->used < oldest->used))
			oldest = h;
	}
	return size > k->most ? oldest : NULL;
}

void profile_cache_release(struct profile_cache *k)
{
	while (k->all.len)
		profile_cache_drop(k, k->all.items[0]);
	vector_release(&k->all);
}
