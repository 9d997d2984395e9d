/* gzip.c: RFC 1952, through zlib. */
#include "base/filters/filter.h"
#include "base/memory.h"
#include "base/scope.h"

#include <stdlib.h>
#include <zlib.h>

struct gzip {
	z_stream stream;
	bool between; /* at the end of a member */
};

static void end_stream(void *state)
{
	inflateEnd(&((struct gzip *)state)->stream);
}

static void *gzip_open(void)
{
	struct gzip *g = memory_new(1, sizeof(*g));

	if (inflateInit2(&g->stream, 15 + 16) != Z_OK)
		scope_fail(0); /* the only possible reason is lack of memory */
	scope_hold(g, end_stream);
	return g;
}

static void gzip_close(void *state)
{
	struct gzip *g = state;

	scope_drop(g);
	end_stream(g);
	memory_free(g);
}

/* Another member may follow; zero padding and other trailing bytes are ignored, as by gzip(1). */
static bool next_member(struct gzip *g, struct bytes *in, bool last, bool *ret_done)
{
	if (in->len < 2 && !last)
		return false;
	if (in->len >= 2 && !memcmp(in->at, "\x1f\x8b", 2)) {
		inflateReset(&g->stream);
		g->between = false;
		return true;
	}
	*in = (struct bytes){in->at + in->len, 0};
	*ret_done = last;
	return false;
}

static bool gzip_step(void *state, struct bytes *in, bool last, char *out, size_t room,
	size_t *ret_len, bool *ret_done, struct error *err)
{
	struct gzip *g = state;
	int status;

	*ret_len = 0;
	*ret_done = false;
	if (g->between && !next_member(g, in, last, ret_done))
		return true;
	g->stream.next_in = (Bytef *)(uintptr_t)in->at;
	g->stream.avail_in = in->len > UINT32_MAX ? UINT32_MAX : (uInt)in->len;
	g->stream.next_out = (Bytef *)out;
	g->stream.avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
	status = inflate(&g->stream, Z_NO_FLUSH);
	*ret_len = (size_t)((char *)g->stream.next_out - out);
	in->len -= (size_t)((const char *)g->stream.next_in - in->at);
	in->at = (const char *)g->stream.next_in;
	if (status == Z_STREAM_END) {
		g->between = true;
		return true;
	}
	if (status == Z_MEM_ERROR)
		scope_fail(0);
	if (status != Z_OK && status != Z_BUF_ERROR)
		return error_set(err, ERR_FORMAT, "damaged gzip data (%s)",
			g->stream.msg ? g->stream.msg : "unknown");
	if (last && !in->len && !*ret_len)
		return error_set(err, ERR_FORMAT, "truncated gzip data");
	return true;
}

const struct filter filter_gzip = {
	.name = "gzip",
	.magic = {"\x1f\x8b", 2},
	.open = gzip_open,
	.close = gzip_close,
	.step = gzip_step,
};
