/* profile_cache.h: the profiles in memory; the least recently used ones are evicted. */
#ifndef KILN_SERVER_PROFILE_CACHE_H
#define KILN_SERVER_PROFILE_CACHE_H

#include "answers/profile_store.h"
#include "server/entries.h"

/* A profile in memory. */
struct cache_entry {
	struct stored_profile
		stored; /* the first member: callers of acquire() get a pointer to it */
	struct profile profile;
	struct file_mark mark;
	char *name;
	struct entry *entry; /* the file's entry; NULL: made of other profiles */
	struct buffer
		key; /* for a made one: what it is made of. is_being_made: it is not ready yet */
	bool is_being_made;
	bool is_cached; /* false: its last user releases it */
	size_t size;	/* bytes */
	unsigned users; /* how many callers hold it */
	uint64_t used;	/* larger: used more recently */
};

struct profile_cache {
	VECTOR(struct cache_entry *) all;
	uint64_t most; /* bytes, all profiles together */
	uint64_t uses;
};

/* Add `h`; it replaces what `entry` had in the cache (NULL: it was made of other profiles). */
void profile_cache_add(struct profile_cache *k, struct cache_entry *h, struct entry *entry);

/* The profile made, or being made, for this key; NULL: none. */
struct cache_entry *profile_cache_find_made(const struct profile_cache *k, struct bytes key);
void profile_cache_use(struct profile_cache *k, struct cache_entry *h);

/* Remove it from the cache; those who hold it keep it until they release it. */
void profile_cache_drop(struct profile_cache *k, struct cache_entry *h);

/* The profile to evict, or NULL when all fit. Candidates have no holders and can be read again or
 * were uploaded; the most recently used one always stays, as it is likely to be requested next. */
struct cache_entry *profile_cache_oldest(const struct profile_cache *k);

/* Drops all profiles. */
void profile_cache_release(struct profile_cache *k);
void cache_entry_release(struct cache_entry *h);

#endif
