/* extent.h: how much memory and output do the rows of a profile stand for? */
#ifndef KILN_MODEL_EXTENT_H
#define KILN_MODEL_EXTENT_H

#include "model/profile.h"

/* A few rows of a file can stand for a lot: many frames at each location of a stack, a name of
 * many bytes. Checked once, whatever the format, so that Kiln can read what it writes. ERR_LIMIT
 * when a stack has more than PROFILE_DEPTH_LIMIT frames, a set more than PROFILE_LABELS_LIMIT
 * labels, a string more than PROFILE_STRING_LIMIT bytes, or when the tree of all stacks would
 * take more than the profile's limit. */
bool profile_check_extent(const struct profile *p, struct error *err);

/* The same, but first the middle of stacks of more than `frames` frames is cut out
 * (deep_stacks.h). */
bool profile_limit_extent(struct profile *p, uint32_t frames, struct error *err);

#endif
