/* xz.c: the .xz format, through liblzma. */
#include "base/filters/filter.h"
#include "base/memory.h"
#include "base/scope.h"

#include <lzma.h>
#include <stdlib.h>

/* Memory for a decoder: the largest preset (-9) needs 65 MiB; a crafted header can demand 4 GiB. */
#define XZ_MEMORY_LIMIT ((uint64_t)128 << 20)

static void end_stream(void *stream)
{
	lzma_end(stream);
}

static void *xz_open(void)
{
	lzma_stream *stream = memory_new(1, sizeof(*stream));

	*stream = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(stream, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) != LZMA_OK)
		scope_fail(0);
	scope_hold(stream, end_stream);
	return stream;
}

static void xz_close(void *state)
{
	scope_drop(state);
	lzma_end(state);
	memory_free(state);
}

static bool xz_step(void *state, struct bytes *in, bool last, char *out, size_t room,
	size_t *ret_len, bool *ret_done, struct error *err)
{
	lzma_stream *stream = state;
	lzma_ret status;

	stream->next_in = (const uint8_t *)in->at;
	stream->avail_in = in->len;
	stream->next_out = (uint8_t *)out;
	stream->avail_out = room;
	status = lzma_code(stream, last ? LZMA_FINISH : LZMA_RUN);
	*ret_len = room - stream->avail_out;
	*ret_done = status == LZMA_STREAM_END;
	in->at = (const char *)stream->next_in;
	in->len = stream->avail_in;
	if (status == LZMA_MEM_ERROR)
		scope_fail(0);
	if (status == LZMA_MEMLIMIT_ERROR)
		return error_set(err, ERR_LIMIT, "xz data needs more than %llu MiB to unpack",
			(unsigned long long)(XZ_MEMORY_LIMIT >> 20));
	if (status == LZMA_BUF_ERROR && last && !*ret_len)
		return error_set(err, ERR_FORMAT, "truncated xz data");
	if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR)
		return error_set(err, ERR_FORMAT, "damaged xz data");
	return true;
}

const struct filter filter_xz = {
	.name = "xz",
	.magic = {"\xfd"
		  "7zXZ\0",
		6},
	.open = xz_open,
	.close = xz_close,
	.step = xz_step,
};
