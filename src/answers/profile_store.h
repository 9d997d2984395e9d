/* profile_store.h: the profiles that are served, by name. */
#ifndef KILN_ANSWERS_PROFILE_STORE_H
#define KILN_ANSWERS_PROFILE_STORE_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/view.h"

/* The text of ERR_MISSING; its argument is the name. */
#define PROFILE_NOT_FOUND "Profile \"%s\" not found"

/* A profile of the store. It does not change while a caller holds it. */
struct stored_profile {
	const char *name; /* unique in the store */
	const struct profile *profile;
	enum projection projection; /* how stacks become a tree */
	uint64_t reading;	    /* unique number of this reading of the file */
};

/* Make a profile in *ret. It is released even if this returns false. */
typedef bool profile_maker(void *context, struct profile *ret, struct error *err);

/* Implemented by the server (files.h) and by the page's module. All functions are thread-safe. */
struct profile_store {
	/* Append the list of profiles, as JSON. */
	void (*list)(struct profile_store *store, struct buffer *ret_json);

	/* The profile of this name (NULL: the first one), valid until it is released. NULL:
	 * ERR_MISSING, not found; or another error of reading it. */
	const struct stored_profile *(*acquire)(
		struct profile_store *store, const char *name, struct error *err);
	/* The same for answers that need times of samples and no stacks: the profile may still be
	 * incomplete, and grows after it is released. */
	const struct stored_profile *(*acquire_samples)(
		struct profile_store *store, const char *name, struct error *err);
	void (*release)(struct profile_store *store, const struct stored_profile *taken);

	/* A profile made of others. It may be cached under `key`: then `make` is not called.
	 * Release it. NULL: error. */
	const struct stored_profile *(*acquire_made)(struct profile_store *store, struct bytes key,
		profile_maker *make, void *context, struct error *err);

	/* Differs when the profile may have changed: answers are valid as long as it is the same.
	 * Any number for an unknown name. */
	uint64_t (*version)(struct profile_store *store, const char *name);
};

#endif
