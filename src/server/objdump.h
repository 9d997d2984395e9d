/* objdump.h: machine code as text, by binutils' objdump. */
#ifndef KILN_SERVER_OBJDUMP_H
#define KILN_SERVER_OBJDUMP_H

#include "base/buffer.h"
#include "base/error.h"

#define OBJDUMP_SECONDS	   10
#define OBJDUMP_TEXT_LIMIT ((size_t)16 << 20) /* bytes of its answer */

/* For the broker (broker.h): start objdump, confined, on a binary that may be read. A pipe from
 * which its text comes; -1, with errno: it could not be started. */
int objdump_start(const char *path, uint64_t start, uint64_t end);

/* Ask the broker: what `objdump -d -l` says of [start, end) in the binary at `path`, appended.
 * ERR_UNSUPPORTED: there is none; ERR_LIMIT: it takes longer, or says more. */
bool objdump_run(
	const char *path, uint64_t start, uint64_t end, struct buffer *ret_text, struct error *err);

#endif
