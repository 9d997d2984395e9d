/* svg_about.h: what should be known about a profile by everybody who sees its picture? */
#ifndef KILN_RENDERERS_SVG_ABOUT_H
#define KILN_RENDERERS_SVG_ABOUT_H

#include "base/buffer.h"
#include "model/view.h"

/* One line: `first` (or the command that was recorded), the two sides of a difference, which kind
 * of several is shown, what was lost and why, that idle samples are left out, how many stacks are
 * not complete, notes. Empty when there is nothing to tell. `total` is of every node (tree_totals).
 */
void about_line(const struct view *v, const int64_t *total, const char *first, struct buffer *out);

/* What is below 0 is drawn as nothing: say how much that is. */
void about_below_zero(const struct view *v, int64_t below, struct buffer *out);

/* The notes of the profile, a line each. */
void about_notes(const struct view *v, struct buffer *out);

#endif
