/* expansion.h: how much memory and output may an input cause?
 *
 * A small file can stand for a large tree, unpack to a long text, or have a long name in every
 * stack. One rule bounds all of these: what is kept in memory for an input is at most 1 GB, or
 * 256 times the input's size if that is more. What is only passed through (unpacked or written)
 * may be 4 times as much. Beyond that the input is refused with ERR_LIMIT, before the memory is
 * allocated. */
#ifndef KILN_BASE_EXPANSION_H
#define KILN_BASE_EXPANSION_H

#include "base/error.h"

#include <stdint.h>

#define EXPANSION_MIN		((uint64_t)1 << 30) /* bytes, for small inputs */
#define EXPANSION_FACTOR	256u		    /* times the input's size */
#define EXPANSION_OUTPUT_FACTOR 4u /* factor for bytes that are unpacked or written */
#define EXPANSION_OPTION	"max-expansion"

/* Set the limit for all inputs from here on; 0: the rule above. Call at the start of a program. */
void expansion_set(uint64_t limit);

/* Bytes that may be kept for an input of `size` bytes. */
uint64_t expansion_limit(uint64_t size);
/* Bytes that may be unpacked or written if `limit` bytes may be kept. */
uint64_t expansion_output_limit(uint64_t limit);

/* ERR_LIMIT: `what` ("the tree of its stacks") takes more than `limit` bytes; the text names the
 * option that raises the limit. Returns false. */
bool expansion_error(const char *what, uint64_t limit, struct error *err);

#endif
