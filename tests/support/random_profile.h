/* random_profile.h: profiles that a seed decides, with everything that a profile can have. */
#ifndef KILN_TEST_RANDOM_PROFILE_H
#define KILN_TEST_RANDOM_PROFILE_H

#include "model/profile.h"

/* The next number of a splitmix64 sequence; below `below`. */
uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t below);

/* The string "TEXTnumber". */
string_id numbered_string(struct profile *p, const char *text, uint32_t number);

/* `samples` samples over two tables: one with times, threads, CPUs and labels and two streams, one
 * untimed with a stream of positive and negative values. Stacks are up to 40 deep, recursive here
 * and there; locations have no, one or several frames. Initialises p. */
void random_profile(struct profile *p, uint64_t seed, size_t samples);

/* More of the same in a profile made by random_profile. */
void random_profile_grow(struct profile *p, uint64_t *state, size_t samples);

/* The same rows in every table? When not, the name of one that differs is in *ret_where. */
bool profiles_equal(const struct profile *a, const struct profile *b, const char **ret_where);

#endif
