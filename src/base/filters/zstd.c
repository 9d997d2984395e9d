/* zstd.c: RFC 8878, through libzstd. */
#include "base/filters/filter.h"
#include "base/memory.h"
#include "base/scope.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct zstd {
	ZSTD_DStream *stream;
	bool between; /* at the end of a frame, or before the first */
};

static void end_stream(void *state)
{
	ZSTD_freeDStream(((struct zstd *)state)->stream);
}

static void *zstd_open(void)
{
	struct zstd *z = memory_new(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (!z->stream)
		scope_fail(0);
	scope_hold(z, end_stream);
	return z;
}

static void zstd_close(void *state)
{
	struct zstd *z = state;

	scope_drop(z);
	end_stream(z);
	memory_free(z);
}

static bool zstd_step(void *state, struct bytes *in, bool last, char *out, size_t room,
	size_t *ret_len, bool *ret_done, struct error *err)
{
	struct zstd *z = state;
	ZSTD_inBuffer from = {in->at, in->len, 0};
	ZSTD_outBuffer to = {out, room, 0};
	size_t left;

	*ret_len = 0;
	*ret_done = false;
	if (!in->len && last && z->between) {
		*ret_done = true;
		return true;
	}
	left = ZSTD_decompressStream(z->stream, &to, &from);
	if (ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		scope_fail(0);
	if (ZSTD_isError(left))
		return error_set(
			err, ERR_FORMAT, "damaged zstd data (%s)", ZSTD_getErrorName(left));
	z->between = left == 0;
	*ret_len = to.pos;
	in->at += from.pos;
	in->len -= from.pos;
	if (last && !in->len && !to.pos && left)
		return error_set(err, ERR_FORMAT, "truncated zstd data");
	return true;
}

const struct filter filter_zstd = {
	.name = "zstd",
	.magic = {"\x28\xb5\x2f\xfd", 4},
	.open = zstd_open,
	.close = zstd_close,
	.step = zstd_step,
};
