/* numbers.h: can the numbers of a profile be counted with?
 *
 * No sum or difference of two times overflows, nor one of losses and samples that were expected.
 * What a file says is checked once, whatever its format: what Kiln writes, it reads. */
#ifndef KILN_MODEL_NUMBERS_H
#define KILN_MODEL_NUMBERS_H

#include "model/profile.h"

/* ERR_FORMAT names the row that is out of range. Columns that are borrowed from a .kiln file have
 * had their times checked with their checksums (kiln_columns.h). */
bool profile_numbers_fit(const struct profile *p, struct error *err);

#endif
