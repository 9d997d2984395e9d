/* expansion.h: how much memory and output may an input cause?
 *
 * A small file can stand for a large tree, unpack to a long text, or have a long name in every
 * stack. One rule bounds all of that: what is kept in memory of an input is at most 1 GB, or 256
 * times the input's size where that is more; what passes through, because it is unpacked or
 * written, at most 4 times as much. ERR_LIMIT says so before the memory is asked for. */
#ifndef KILN_BASE_EXPANSION_H
#define KILN_BASE_EXPANSION_H

#include "base/error.h"

#include <stdint.h>

#define EXPANSION_LEAST	 ((uint64_t)1 << 30) /* bytes, however small the input is */
#define EXPANSION_FACTOR 256u		     /* times its size */
#define EXPANSION_PASSES 4u		     /* times as much may be unpacked or written */
#define EXPANSION_OPTION "max-expansion"

/* The limit for all inputs from here on, instead of that; 0: the rule again. For the start of a
 * program. */
void expansion_set(uint64_t limit);

/* Bytes that may be kept of an input of `size` bytes. */
uint64_t expansion_limit(uint64_t size);
/* Bytes that may be unpacked or written, where `limit` may be kept. */
uint64_t expansion_passing(uint64_t limit);

/* ERR_LIMIT: `what` ("the tree of its stacks") takes more than `limit` bytes, and the option that
 * allows more. Returns false. */
bool expansion_refuse(const char *what, uint64_t limit, struct error *err);

#endif
