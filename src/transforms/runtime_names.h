/* runtime_names.h: which parts of a name does a runtime number anew in every run or build?
 *
 * Java's lambdas, method handles, accessors and proxies, .NET's expression trees, and closures of
 * Rust, whose two manglings spell them differently. */
#ifndef KILN_TRANSFORMS_RUNTIME_NAMES_H
#define KILN_TRANSFORMS_RUNTIME_NAMES_H

#include "base/buffer.h"

/* A quick check: may the name, or one of several that are joined, have such a part? */
bool runtime_name_is_numbered(struct bytes name);

/* Append the name without the numbers: "Main$$Lambda.run" for "Main$$Lambda$14/0x80000c00.run". */
void runtime_name_add(struct bytes name, struct buffer *out);

#endif
