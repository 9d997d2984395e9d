/* pattern.h: which frames and rows match a regular expression? */
#ifndef KILN_TRANSFORMS_PATTERN_H
#define KILN_TRANSFORMS_PATTERN_H

#include "base/pattern.h"
#include "model/view.h"

/* For every frame id of the view: does its function match? The caller frees the array. Only
 * frames in the tree are examined, each once. */
bool pattern_frames(const char *text, const struct view *v, bool **ret_matches, struct error *err);

/* Set ret_matches[row], which the caller has cleared, for rows 1.. of a table whose id is
 * `which` (if that is a number), or else whose name matches it. */
struct pattern_table {
	size_t rows;
	int32_t (*id)(const struct profile *p, size_t row); /* -1: unknown */
	string_id (*name)(const struct profile *p, size_t row);
};
bool pattern_rows(const struct pattern_table *table, const struct profile *p, const char *which,
	bool *ret_matches, struct error *err);

#endif
