/* clean.h: sets of rules that remove a runtime's own code from stacks.
 *
 * Rules are text, one per line, applied to every function's name in order:
 *
 *	# a comment
 *	REGEX		functions that match are removed; their callees move to their caller
 *	s/REGEX/TEXT/	the first match becomes TEXT ($1: the first group);
 *			a function whose name becomes empty is removed
 *
 * Code of an unknown function ("[libfoo.so]") is also matched under the name [unknown]. */
#ifndef KILN_TRANSFORMS_CLEAN_H
#define KILN_TRANSFORMS_CLEAN_H

#include "model/view.h"

/* One file and one line in meson.build each. */
struct clean_rules {
	const char *name; /* --clean NAME */
	struct bytes text;
	/* What rules cannot express: change a frame that they kept; false: unchanged. May be
	 * NULL. */
	bool (*frame)(struct view *v, struct frame *frame);
};

/* Apply rules, and leave a note in the view about how many samples were affected. ERR_USAGE with
 * the line if a rule is not valid. */
bool clean(struct view *v, const struct clean_rules *rules, struct error *err);

#endif
