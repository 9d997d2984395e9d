/* compared.h: two profiles, or two time ranges of one, as the profile with two sides that a
 * query asks for. */
#ifndef KILN_ANSWERS_COMPARED_H
#define KILN_ANSWERS_COMPARED_H

#include "answers/shelf.h"
#include "transforms/compare_options.h"
#include "transforms/shape.h"

/* Make *ret_profile from what `shape` shows of both, before and after; the caller releases it in
 * any case. ERR_USAGE: their units differ, or the shape needs something that one of them lacks. */
bool compared_make(const struct shelf_profile *const sides[2], const struct shape *shape,
	const struct compare_options *how, struct profile *ret_profile, struct error *err);

#endif
