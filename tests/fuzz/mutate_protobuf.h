/* mutate_protobuf.h: protobuf messages (pprof, OTLP) whose lengths are right, with other fields. */
#ifndef KILN_FUZZ_MUTATE_PROTOBUF_H
#define KILN_FUZZ_MUTATE_PROTOBUF_H

#include "mutation.h"

/* Is all of it fields of the wire format, at least one? No shape is needed: what has a length is
 * taken for a message, for packed numbers or for text. */
bool is_protobuf(struct bytes message);

/* A pprof file of a random profile. */
void pprof_generate(uint64_t *state, struct buffer *out);

/* Mutate fields of a message, however deep, in place. Returns the new size. */
size_t mutate_protobuf(uint8_t *data, size_t size, size_t max_size, uint64_t seed);
/* The same for a pprof file; other input is replaced by a generated one. */
size_t mutate_pprof(uint8_t *data, size_t size, size_t max_size, uint64_t seed);

#endif
