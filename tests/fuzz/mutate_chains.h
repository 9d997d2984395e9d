/* mutate_chains.h: files of the symbol cache whose sizes and checksum are right. */
#ifndef KILN_FUZZ_MUTATE_CHAINS_H
#define KILN_FUZZ_MUTATE_CHAINS_H

#include "mutation.h"

/* Give the file the magic number, this key and source, and the right checksum. */
void chains_seal(char *file, size_t len, uint64_t key, uint64_t source);

/* Mutate rows of such a file in place, mostly so that a reader accepts them; any other file is
 * replaced by a small valid one. Returns the new size. */
size_t mutate_chains(uint8_t *data, size_t size, size_t max_size, uint64_t seed);

#endif
