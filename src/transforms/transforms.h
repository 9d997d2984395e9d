/* transforms.h: what can be done to a view. One file and one line in meson.build each.
 *
 * Every command that draws or prints takes all of them as options, applied in the order given. */
#ifndef KILN_TRANSFORMS_TRANSFORMS_H
#define KILN_TRANSFORMS_TRANSFORMS_H

#include "base/options.h"
#include "model/view.h"

struct transform {
	const char *name;     /* the option: "focus" */
	const char *argument; /* "REGEX", or NULL */
	const char *help;
	bool files; /* see struct option */

	/* Change the view: for transform_apply. The argument has come from the user: ERR_USAGE says
	 * what was expected.
	 */
	bool (*apply)(struct view *v, const char *argument, struct error *err);
};

extern const struct transform *const transforms[];	     /* NULL-terminated */
const struct transform *transform_by_name(const char *name); /* NULL: none is called so */

/* Change the view; ERR_LIMIT when its tree becomes too large (view_fits). */
bool transform_apply(
	const struct transform *transform, struct view *v, const char *argument, struct error *err);

/* Transforms in the order in which they were asked for. `{0}` is none. */
struct transform_list {
	VECTOR(struct transform_step {
		const struct transform *transform;
		const char *argument;
	})
	steps;
};

/* The option table of all transforms, for a group whose target is a struct transform_list. */
#define TRANSFORM_OPTIONS 48u /* room for all and the end */
void transform_options(struct option ret_options[TRANSFORM_OPTIONS]);
/* One more, by the name of one that there is; the argument is the caller's, or NULL. */
void transform_list_add(struct transform_list *list, const char *name, const char *argument);
bool transform_list_apply(const struct transform_list *list, struct view *v, struct error *err);

#endif
