/* pattern.h: which frames and rows does a regular expression match? */
#ifndef KILN_TRANSFORMS_PATTERN_H
#define KILN_TRANSFORMS_PATTERN_H

#include "base/pattern.h"
#include "model/view.h"

/* Does the function of a frame match? An array over all frame ids of the view, to be freed; only
 * frames in the tree are looked at, each once. */
bool pattern_frames(const char *text, const struct view *v, bool **ret_matches, struct error *err);

/* Rows 1.. of a table whose id is `which` (when that is a number), else whose name matches it:
 * ret_matches[row], which the caller has filled with false. */
struct pattern_table {
	size_t rows;
	int32_t (*id)(const struct profile *p, size_t row); /* -1: unknown */
	string_id (*name)(const struct profile *p, size_t row);
};
bool pattern_rows(const struct pattern_table *table, const struct profile *p, const char *which,
	bool *ret_matches, struct error *err);

#endif
