/* shape.h: from a profile to the view of it that options ask for. */
#ifndef KILN_TRANSFORMS_SHAPE_H
#define KILN_TRANSFORMS_SHAPE_H

#include "transforms/transforms.h"

/* `{0}`: the first kind, as it is. */
struct shape {
	const char *kind; /* NULL: the first */
	bool idle;
	struct transform_list transforms;
};

/* --kind and --idle, for a group whose target is a struct shape; transform_options are for one
 * whose target is its `transforms`. */
extern const struct option shape_options[];

/* Select what `v`, which has just been initialised, shows; what follows are the transforms.
 * ERR_USAGE names the kinds that there are. */
bool shape_select(const struct shape *s, struct view *v, struct error *err);

void shape_release(struct shape *s);

#endif
