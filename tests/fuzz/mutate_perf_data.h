/* mutate_perf_data.h: perf.data files whose headers are right, with other events and records. */
#ifndef KILN_FUZZ_MUTATE_PERF_DATA_H
#define KILN_FUZZ_MUTATE_PERF_DATA_H

#include "mutation.h"

bool is_perf_data(struct bytes file);

/* A file or a pipe's content of either byte order with some events and records of all kinds. */
void perf_data_generate(uint64_t *state, struct buffer *out);

/* Mutate fields of events, records and feature sections in place, and how they are stored; what is
 * no perf.data is replaced by a generated one. Returns the new size. */
size_t mutate_perf_data(uint8_t *data, size_t size, size_t max_size, uint64_t seed);

#endif
