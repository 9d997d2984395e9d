/* gzip.c: how does content become a gzip member? By libdeflate, which takes it as a whole: several
 * times as fast as what takes it in pieces. */
#include "base/gzip.h"

#include "base/memory.h"
#include "base/scope.h"

#include <libdeflate.h>
#include <stdlib.h>

#define LEVEL 6 /* higher ones take several times as long for a percent */

static void free_compressor(void *c)
{
	libdeflate_free_compressor(c);
}

void gzip_pack(struct bytes content, struct buffer *out)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most;

	if (!c)
		scope_fail(0);
	scope_hold(c, free_compressor);
	most = libdeflate_gzip_compress_bound(c, content.len);
	out->len +=
		libdeflate_gzip_compress(c, content.at, content.len, buffer_room(out, most), most);
	out->at[out->len] = '\0';
	scope_drop(c);
	libdeflate_free_compressor(c);
}
