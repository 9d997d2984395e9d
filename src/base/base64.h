/* base64.h: bytes as letters, and back (RFC 4648). */
#ifndef KILN_BASE_BASE64_H
#define KILN_BASE_BASE64_H

#include "base/buffer.h"

/* Append, padded, without line breaks. */
void base64_add(struct bytes content, struct buffer *out);

/* Append what `text` stands for, in the usual alphabet or that of URLs, with padding or without.
 * False: it has another letter; what is before that has been appended. */
bool base64_undo(struct bytes text, struct buffer *out);

#endif
