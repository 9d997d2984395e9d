/* gzip.c: how does content become a gzip member? */
#include "base/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#define LEVEL 6			/* higher ones take several times as long for a percent */
#define STEP  ((size_t)1 << 20) /* bytes */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void gzip_pack(struct bytes content, struct buffer *out)
{
	z_stream z = {0};
	int status = Z_OK;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort(); /* only for want of memory */
	while (status != Z_STREAM_END) {
		if (!z.avail_in) {
			size_t len = least(content.len, STEP);

			z.next_in = (Bytef *)(uintptr_t)content.at;
			z.avail_in = (uInt)len;
			content.at += len;
			content.len -= len;
		}
		z.next_out = (Bytef *)buffer_room(out, STEP);
		z.avail_out = (uInt)STEP;
		status = deflate(&z, content.len ? Z_NO_FLUSH : Z_FINISH);
		out->len += STEP - z.avail_out;
	}
	out->at[out->len] = '\0';
	deflateEnd(&z);
}
