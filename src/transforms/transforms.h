/* transforms.h: what can be done to a view. One file and one line in meson.build each.
 *
 * Every command that draws or prints accepts all of them as options and applies them in the order
 * given. A transform changes the view's tree or leaves out samples (model/view.h); it never changes
 * the profile, so several can follow one another and each sees the result of the one before. Most
 * of them are built from reshape.h, select.h, group.h and cut.h. */
#ifndef KILN_TRANSFORMS_TRANSFORMS_H
#define KILN_TRANSFORMS_TRANSFORMS_H

#include "base/options.h"
#include "model/view.h"

/* Which argument the page of `kiln view` passes to a transform that is chosen in a frame's menu. */
enum transform_subject {
	TRANSFORM_OF_NAME,    /* an expression that matches the frame's name alone */
	TRANSFORM_OF_PATH,    /* the names from the root to the frame: "main;work" */
	TRANSFORM_OF_MODULE,  /* an expression that matches its module alone */
	TRANSFORM_OF_RUNTIME, /* "node": offered where a runtime compiled or interpreted code */
	TRANSFORM_OF_ALL,     /* none: it does not depend on the frame */
};

struct transform {
	const char *name;     /* the option: "focus" */
	const char *argument; /* "REGEX", or NULL */
	const char *help;
	bool opens_files; /* see struct option */

	/* In the page of `kiln view`: the entry in a frame's menu (NULL: it is not in the menu),
	 * and what the page writes before the argument once the transform is applied. */
	const char *label;   /* "Remove this function (keep its callees)" */
	const char *applied; /* "Removed"; not NULL */
	enum transform_subject subject;

	/* Change the view; called by transform_apply. The argument comes from the user:
	 * ERR_USAGE says what was expected. */
	bool (*apply)(struct view *v, const char *argument, struct error *err);
};

extern const struct transform *const transforms[];	     /* NULL-terminated */
const struct transform *transform_by_name(const char *name); /* NULL: no such transform */

/* Change the view; ERR_LIMIT if its tree becomes too large (view_check_size). */
bool transform_apply(
	const struct transform *transform, struct view *v, const char *argument, struct error *err);

/* Transforms in the order in which they were requested. `{0}` is empty. */
struct transform_list {
	VECTOR(struct transform_step {
		const struct transform *transform;
		const char *argument;
	})
	steps;
};

/* The option table of all transforms, for an option group whose target is a struct
 * transform_list. */
#define TRANSFORM_OPTIONS 48u /* for all of them and the end */
void transform_options(struct option ret_options[TRANSFORM_OPTIONS]);
/* Append a transform by name, which exists; the argument is borrowed, or NULL. */
void transform_list_add(struct transform_list *list, const char *name, const char *argument);
bool transform_list_apply(const struct transform_list *list, struct view *v, struct error *err);

#endif
