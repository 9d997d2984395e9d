/* compared.h: two profiles, or two times of one, as the one of two sides that a query asks for. */
#ifndef KILN_ANSWERS_COMPARED_H
#define KILN_ANSWERS_COMPARED_H

#include "answers/shelf.h"
#include "transforms/comparing.h"
#include "transforms/shape.h"

/* Make *ret_profile of what `shape` shows of both, before and after; the caller releases it, done
 * or not. ERR_USAGE: their units differ, or the shape asks for what one has not. */
bool compared_make(const struct shelf_profile *const sides[2], const struct shape *shape,
	const struct comparing *how, struct profile *ret_profile, struct error *err);

#endif
