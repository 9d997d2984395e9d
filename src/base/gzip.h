/* gzip.h: writing compressed files (reading them is input.h's). */
#ifndef KILN_BASE_GZIP_H
#define KILN_BASE_GZIP_H

#include "base/buffer.h"

/* Append `content` to `out` as one gzip member (RFC 1952) without name and time, so that equal
 * content gives equal bytes. */
void gzip_compress(struct bytes content, struct buffer *out);

#endif
