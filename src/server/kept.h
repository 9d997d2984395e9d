/* kept.h: which profiles are in memory, and which of them are let go? */
#ifndef KILN_SERVER_KEPT_H
#define KILN_SERVER_KEPT_H

#include "answers/shelf.h"
#include "server/entries.h"

/* A profile in memory. */
struct held {
	struct shelf_profile given; /* the first member: what takers have is this */
	struct profile profile;
	struct file_mark mark;
	char *name;
	struct entry *entry; /* whose it is; NULL: it was made */
	struct buffer key;   /* ... of what; is_being_made: the profile is not there yet */
	bool is_being_made;
	bool is_kept;	/* no: nobody else gets it, the last user releases it */
	size_t size;	/* bytes */
	unsigned users; /* who have it now */
	uint64_t used;	/* a larger number was used later */
};

struct kept {
	VECTOR(struct held *) all;
	uint64_t most; /* bytes of them together */
	uint64_t uses;
};

/* Keep it; `entry` has it from now on instead of what it had (NULL: it was made). */
void kept_add(struct kept *k, struct held *h, struct entry *entry);

/* What was, or is being, made of this; NULL: nothing. */
struct held *kept_made(const struct kept *k, struct bytes key);
void kept_use(struct kept *k, struct held *h);

/* It is there for those who use it, and nobody else. */
void kept_drop(struct kept *k, struct held *h);

/* Of what nobody uses, and can be had again or was sent, what was not used for longest: but never
 * what was used last, as that will be asked for again. NULL: there is none, or room enough. */
struct held *kept_oldest(const struct kept *k);

/* Drops all of them. */
void kept_release(struct kept *k);
void held_release(struct held *h);

#endif
