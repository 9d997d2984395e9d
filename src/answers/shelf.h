/* shelf.h: what is served: profiles by their names. */
#ifndef KILN_ANSWERS_SHELF_H
#define KILN_ANSWERS_SHELF_H

#include "base/buffer.h"
#include "model/view.h"

/* The caller's, and there as long as the server is; nobody changes it. */
struct shelf_profile {
	const char *name; /* different ones */
	const struct profile *profile;
	enum projection projection; /* how it becomes a tree */
};

struct shelf {
	const struct shelf_profile *profiles;
	size_t count; /* at least 1 */
};

#endif
