/* unnamed_weights.h: how much of a profile would be clearer if the functions of a module had names?
 */
#ifndef KILN_PROCESS_UNNAMED_WEIGHTS_H
#define KILN_PROCESS_UNNAMED_WEIGHTS_H

#include "model/profile.h"

/* Modules, `count` of them, with the number of samples that end in each. *ret_weights, one for each
 * module: the sum of the first stream's values (without idle CPUs) whose stacks have a location in
 * it that is `unnamed`. `module_of` has the index of a mapping's module plus 1, or 0. Returns the
 * sum of all values. */
uint64_t unnamed_weights(const struct profile *p, const bool *unnamed, const uint32_t *module_of,
	const uint64_t *samples, size_t count, uint64_t *ret_weights);

#endif
