/* gzip.c: how does content become a gzip member? By libdeflate, which takes it as a whole: several
 * times as fast as what takes it in pieces. */
#include "base/gzip.h"

#include <libdeflate.h>
#include <stdlib.h>

#define LEVEL 6 /* higher ones take several times as long for a percent */

void gzip_pack(struct bytes content, struct buffer *out)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most;

	if (!c)
		abort(); /* only for want of memory */
	most = libdeflate_gzip_compress_bound(c, content.len);
	out->len +=
		libdeflate_gzip_compress(c, content.at, content.len, buffer_room(out, most), most);
	out->at[out->len] = '\0';
	libdeflate_free_compressor(c);
}
