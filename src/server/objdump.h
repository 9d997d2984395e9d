/* objdump.h: disassembly by binutils' objdump. */
#ifndef KILN_SERVER_OBJDUMP_H
#define KILN_SERVER_OBJDUMP_H

#include "base/buffer.h"
#include "base/error.h"

#define OBJDUMP_SECONDS	   10
#define OBJDUMP_TEXT_LIMIT ((size_t)16 << 20) /* bytes of its output */

/* For the broker (broker.h): start objdump, confined, on the readable file `binary` at `path`: it
 * cannot open another one that takes its place. Returns a pipe with its output; -1, with errno:
 * error. */
int objdump_start(int binary, const char *path, uint64_t start, uint64_t end);

/* Append the output of `objdump -d -l` for [start, end) of the binary at `path`, run by the broker.
 * ERR_UNSUPPORTED: not installed; ERR_LIMIT: it took too long or printed too much. */
bool objdump_run(
	const char *path, uint64_t start, uint64_t end, struct buffer *ret_text, struct error *err);

#endif
