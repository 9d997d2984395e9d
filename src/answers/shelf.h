/* shelf.h: what is served: profiles by their names. */
#ifndef KILN_ANSWERS_SHELF_H
#define KILN_ANSWERS_SHELF_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/view.h"

/* What ERR_MISSING says, with the name. */
#define SHELF_HAS_NONE "there is no profile '%s': profiles lists those that there are"

/* Nobody changes it while somebody has it. */
struct shelf_profile {
	const char *name; /* different ones */
	const struct profile *profile;
	enum projection projection; /* how it becomes a tree */
	uint64_t reading; /* a number that each has for itself, and another one when it is read anew
			   */
};

/* Make a profile for which there is room at *ret; false: it is released all the same. */
typedef bool shelf_make(void *context, struct profile *ret, struct error *err);

/* Whoever serves has one, and says where its profiles come from. Its functions are called by
 * several threads at once. */
struct shelf {
	/* Append a list of what there is, JSON. */
	void (*list)(struct shelf *shelf, struct buffer *ret_json);

	/* The profile of this name (NULL: the first one), which is there until it is given back.
	 * NULL: ERR_MISSING, there is none; or whatever stands in the way of reading it. */
	const struct shelf_profile *(*take)(
		struct shelf *shelf, const char *name, struct error *err);
	/* The same for who asks when samples were, and not in what: stacks may be missing, and the
	 * profile grows when it has been given back. */
	const struct shelf_profile *(*take_samples)(
		struct shelf *shelf, const char *name, struct error *err);
	void (*give)(struct shelf *shelf, const struct shelf_profile *taken);

	/* A profile that is made of others, which may be there until somebody else asks for the
	 * same key: then it is not made again. To be given back. NULL: it could not be made. */
	const struct shelf_profile *(*made)(struct shelf *shelf, struct bytes key, shelf_make *make,
		void *context, struct error *err);

	/* A number that is another one when the profile may be: answers hold as long as it does.
	 * Anything when there is none. */
	uint64_t (*version)(struct shelf *shelf, const char *name);
};

#endif
