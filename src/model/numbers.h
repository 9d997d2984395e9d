/* numbers.h: are the numbers of a profile small enough to calculate with?
 *
 * After this check, sums and differences of two times do not overflow, nor sums of losses and
 * expected samples. Checked once for every format, so that Kiln can read what it writes. */
#ifndef KILN_MODEL_NUMBERS_H
#define KILN_MODEL_NUMBERS_H

#include "model/profile.h"

/* ERR_FORMAT names the row that is out of range. The times of columns that are borrowed from a
 * .kiln file have already been checked with their checksums (kiln_columns.h). */
bool profile_check_numbers(const struct profile *p, struct error *err);

#endif
