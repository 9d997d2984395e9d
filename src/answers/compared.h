/* compared.h: makes one profile with two sides from two profiles, or from two time ranges of
 * one. */
#ifndef KILN_ANSWERS_COMPARED_H
#define KILN_ANSWERS_COMPARED_H

#include "answers/profile_store.h"
#include "transforms/compare_options.h"
#include "transforms/shape.h"

/* Make *ret_profile from what `shape` selects in sides[0], before, and sides[1], after. The caller
 * releases it even after an error. ERR_USAGE: the units differ, or the shape selects what one side
 * does not have. */
bool compared_make(const struct stored_profile *const sides[2], const struct shape *shape,
	const struct compare_options *how, struct profile *ret_profile, struct error *err);

#endif
