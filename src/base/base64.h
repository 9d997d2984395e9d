/* base64.h: base64, encoded and decoded (RFC 4648). */
#ifndef KILN_BASE_BASE64_H
#define KILN_BASE_BASE64_H

#include "base/buffer.h"

/* Append, padded, without line breaks. */
void base64_encode(struct bytes content, struct buffer *out);

/* Append what `text` encodes, in the standard alphabet or the URL-safe one, with padding or
 * without. False at any other character; what was decoded before it stays appended. */
bool base64_decode(struct bytes text, struct buffer *out);

#endif
