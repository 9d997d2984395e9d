/* shape.h: from a profile to the view that options describe. */
#ifndef KILN_TRANSFORMS_SHAPE_H
#define KILN_TRANSFORMS_SHAPE_H

#include "transforms/transforms.h"

/* `{0}`: the first kind, unchanged. */
struct shape {
	const char *kind; /* NULL: the first */
	bool idle;
	struct transform_list transforms;
};

/* --kind and --idle, for an option group whose target is a struct shape; transform_options are
 * for one whose target is its `transforms`. */
extern const struct option shape_options[];

/* Select what a new view `v` shows; apply the transforms afterwards. ERR_USAGE names the kinds
 * that exist. */
bool shape_select(const struct shape *s, struct view *v, struct error *err);

void shape_release(struct shape *s);

#endif
