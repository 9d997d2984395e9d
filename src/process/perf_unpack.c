/* perf_unpack.c: memory for records that cannot be used in place, and decompression. */
#include "process/perf_unpack.h"

#include "base/scope.h"
#include "process/perf_swap.h"

#include <stdlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define BLOCK_SIZE ((size_t)1 << 20) /* bytes */

/* ---- Blocks ---- */

void perf_blocks_release(struct perf_blocks *b)
{
	for (size_t i = 0; i < b->list.len; i++)
		memory_free(b->list.items[i].at);
	vector_release(&b->list);
}

static struct perf_block *block_with_room(struct perf_blocks *b, size_t size)
{
	struct perf_block *last = b->list.len ? &b->list.items[b->list.len - 1] : NULL;

	if (last && last->size - last->used >= size)
		return last;
	vector_push(&b->list, ((struct perf_block){.at = memory_resize(NULL, BLOCK_SIZE, 1),
				      .size = BLOCK_SIZE,
				      .number = ++b->last}));
	return &b->list.items[b->list.len - 1];
}

char *perf_blocks_reserve(struct perf_blocks *b, size_t size, uint32_t *ret_number)
{
	struct perf_block *block;
	char *at;

	size = (size + 7) & ~(size_t)7;
	block = block_with_room(b, size);
	at = block->at + block->used;
	block->used += size;
	*ret_number = block->number;
	return at;
}

void perf_blocks_drop(struct perf_blocks *b, uint32_t number)
{
	size_t gone = 0;

	while (gone + 1 < b->list.len && b->list.items[gone].number < number)
		memory_free(b->list.items[gone++].at);
	if (!gone)
		return;
	memmove(b->list.items, b->list.items + gone, (b->list.len - gone) * sizeof(*b->list.items));
	b->list.len -= gone;
}

/* ---- Compressed records ---- */

void perf_unpack_feed(struct perf_unpack *u, struct bytes packed)
{
	u->packed = packed;
}

#ifdef HAVE_ZSTD

static void free_stream(void *stream)
{
	ZSTD_freeDCtx(stream);
}

void perf_unpack_release(struct perf_unpack *u)
{
	scope_drop(u->stream);
	ZSTD_freeDCtx(u->stream);
	*u = (struct perf_unpack){0};
}

/* Decompress more, behind what is there. If the block is full, an incomplete record moves to a new
 * one. */
static bool unpack_more(struct perf_unpack *u, struct perf_blocks *blocks, struct error *err)
{
	ZSTD_inBuffer in = {u->packed.at, u->packed.len, 0};
	ZSTD_outBuffer out = {0};
	size_t left;

	if (!u->stream) {
		u->stream = ZSTD_createDCtx();
		if (!u->stream)
			scope_fail(0);
		scope_hold(u->stream, free_stream);
	}
	if ((size_t)(u->end - u->at) == u->len) {
		char *to = perf_blocks_reserve(blocks, BLOCK_SIZE, &u->block);

		if (u->len)
			memcpy(to, u->at, u->len);
		u->at = to;
		u->end = to + BLOCK_SIZE;
	}
	out.dst = u->at + u->len;
	out.size = (size_t)(u->end - u->at) - u->len;
	left = ZSTD_decompressStream(u->stream, &out, &in);
	if (ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		scope_fail(0);
	if (ZSTD_isError(left))
		return error_set(
			err, ERR_FORMAT, "damaged zstd data (%s)", ZSTD_getErrorName(left));
	u->len += out.pos;
	u->packed.at += in.pos;
	u->packed.len -= in.pos;
	/* zstd may have more output without more input; when it produces none, it is done. */
	if (!out.pos && !u->packed.len)
		u->packed = (struct bytes){0};
	return true;
}

#else

void perf_unpack_release(struct perf_unpack *u)
{
	(void)u;
}

static bool unpack_more(struct perf_unpack *u, struct perf_blocks *blocks, struct error *err)
{
	(void)u, (void)blocks;
	return error_set(err, ERR_UNSUPPORTED,
		"its records are compressed with zstd, which this build of kiln does not support");
}

#endif

bool perf_unpack_next(struct perf_unpack *u, struct perf_blocks *blocks, bool swapped,
	struct bytes *ret_record, struct error *err)
{
	struct perf_event_header header = {0};

	*ret_record = (struct bytes){0};
	for (;;) {
		struct bytes have = {u->at, u->len};

		if (have.len >= sizeof(header)) {
			header = perf_header_of(have, swapped);
			if (header.size < sizeof(header) || header.size % 8)
				return error_set(err, ERR_FORMAT,
					"a compressed record of %u bytes: expected at least 8",
					header.size);
			if (header.size <= have.len)
				break;
		}
		if (!u->packed.at)
			return true;
		if (!unpack_more(u, blocks, err))
			return false;
	}
	*ret_record = (struct bytes){u->at, header.size};
	u->at += header.size;
	u->len -= header.size;
	return true;
}
