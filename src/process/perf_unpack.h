/* perf_unpack.h: memory for records that cannot be used in place, and decompression.
 *
 * Records that are compressed, misaligned or in the other byte order are copied into blocks,
 * which are kept until the records have been processed. */
#ifndef KILN_PROCESS_PERF_UNPACK_H
#define KILN_PROCESS_PERF_UNPACK_H

#include "base/memory.h"
#include "process/perf_record.h"

/* Memory for several records. Numbered from 1 in the order of creation. */
struct perf_block {
	char *at;
	size_t used, size; /* bytes */
	uint32_t number;
};

struct perf_blocks {
	VECTOR(struct perf_block) list; /* oldest first */
	uint32_t last;			/* number */
};
void perf_blocks_release(struct perf_blocks *b);

/* Room for `size` bytes, aligned to 8, in the newest block or a new one. */
char *perf_blocks_reserve(struct perf_blocks *b, size_t size, uint32_t *ret_number);

/* Blocks before `number` are no longer needed. */
void perf_blocks_drop(struct perf_blocks *b, uint32_t number);

/* Decompresses records. All compressed records of a file are one stream; the records in it may
 * cross the borders of compressed ones. `{0}` is the start of a stream. */
struct perf_unpack {
	struct ZSTD_DCtx_s *stream;
	struct bytes packed; /* the rest of the current compressed record */
	char *at, *end;	     /* decompressed records that were not returned yet; end of the room */
	size_t len;
	uint32_t block; /* number of the block that contains `at` */
};
void perf_unpack_release(struct perf_unpack *u);

/* Continue with the content of the next compressed record. The previous one has been used up. */
void perf_unpack_feed(struct perf_unpack *u, struct bytes packed);

/* The next complete record, not yet in our byte order if `swapped`, in block u->block.
 * *ret_record.len is 0 if more input is needed. ERR_FORMAT when it is damaged, ERR_UNSUPPORTED
 * when this build has no zstd. */
bool perf_unpack_next(struct perf_unpack *u, struct perf_blocks *blocks, bool swapped,
	struct bytes *ret_record, struct error *err);

#endif
