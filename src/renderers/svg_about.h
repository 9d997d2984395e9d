/* svg_about.h: what should everybody who sees the picture know about its profile? */
#ifndef KILN_RENDERERS_SVG_ABOUT_H
#define KILN_RENDERERS_SVG_ABOUT_H

#include "base/buffer.h"
#include "model/view.h"

/* One line: `first` (or the command that was recorded), the two sides of a difference, which of
 * several kinds is shown, how much was lost and why, that idle samples are left out, how many
 * stacks are incomplete, notes. Empty if there is nothing to say. `total` is of every node
 * (tree_totals). */
void about_line(const struct view *v, const int64_t *total, const char *first, struct buffer *out);

/* Negative values are not drawn: say how much that is. */
void about_below_zero(const struct view *v, int64_t below, struct buffer *out);

/* The notes of the profile, one per line. */
void about_notes(const struct view *v, struct buffer *out);

#endif
