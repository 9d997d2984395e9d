/* shelf.h: what is served: profiles by their names. */
#ifndef KILN_ANSWERS_SHELF_H
#define KILN_ANSWERS_SHELF_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/view.h"

/* The text of ERR_MISSING, with the name. */
#define SHELF_HAS_NONE "there is no profile '%s': profiles lists those that there are"

/* Not modified while it is in use. */
struct shelf_profile {
	const char *name; /* unique */
	const struct profile *profile;
	enum projection projection; /* how it becomes a tree */
	uint64_t reading;	    /* a number unique to each profile and each time it is read */
};

/* Make a profile at *ret, which has room for one; it is released even after false. */
typedef bool shelf_make(void *context, struct profile *ret, struct error *err);

/* Implemented by the server, which knows where its profiles come from. Its functions are
 * thread-safe. */
struct shelf {
	/* Append a list of all profiles, as JSON. */
	void (*list)(struct shelf *shelf, struct buffer *ret_json);

	/* The profile with this name (NULL: the first one), valid until it is given back. NULL:
	 * ERR_MISSING if there is none, or why it cannot be read. */
	const struct shelf_profile *(*take)(
		struct shelf *shelf, const char *name, struct error *err);
	/* The same for questions about when samples were taken: stacks may be missing, and the
	 * profile grows after it has been given back. */
	const struct shelf_profile *(*take_samples)(
		struct shelf *shelf, const char *name, struct error *err);
	void (*give)(struct shelf *shelf, const struct shelf_profile *taken);

	/* A profile made from others, which may be kept until the next request with the same key
	 * and is then not made again. To be given back. NULL: it could not be made. */
	const struct shelf_profile *(*made)(struct shelf *shelf, struct bytes key, shelf_make *make,
		void *context, struct error *err);

	/* A number that changes when the profile may have; answers are valid as long as it does
	 * not. Any number if there is no such profile. */
	uint64_t (*version)(struct shelf *shelf, const char *name);
};

#endif
