/* clean.h: rule sets that take a runtime's own code out of stacks.
 *
 * Rules are text, a line each, applied to every function's name in their order:
 *
 *	# a comment
 *	REGEX		functions that match are taken out; callees move to their caller
 *	s/REGEX/TEXT/	the first match becomes TEXT ($1: what the first parentheses matched);
 *			a function whose name has become empty is taken out
 *
 * Code whose function nobody knows ("[libfoo.so]") is matched under the name [unknown] too. */
#ifndef KILN_TRANSFORMS_CLEAN_H
#define KILN_TRANSFORMS_CLEAN_H

#include "model/view.h"

/* One file and one line in meson.build each. */
struct clean_rules {
	const char *name; /* --clean NAME */
	struct bytes text;
	/* What rules cannot say: change a frame that they left; false when there is nothing to
	 * change. May be NULL. */
	bool (*frame)(struct view *v, struct frame *frame);
};

/* Apply rules, and leave a note in the view that says how much has moved. ERR_USAGE with the line
 * when a rule is none. */
bool clean(struct view *v, const struct clean_rules *rules, struct error *err);

#endif
