/* perf_unpack.h: room for records that cannot stay where the file has them, and the records inside
 * of compressed ones.
 *
 * Records that come out of compression, that start at an odd place or that have another byte order
 * are kept in blocks until they have been handed out. */
#ifndef KILN_PROCESS_PERF_UNPACK_H
#define KILN_PROCESS_PERF_UNPACK_H

#include "base/memory.h"
#include "process/perf_record.h"

/* Room for several records. Numbered from 1 in the order in which they were made. */
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
char *perf_blocks_room(struct perf_blocks *b, size_t size, uint32_t *ret_number);

/* Blocks before `number` are not needed any more. */
void perf_blocks_forget(struct perf_blocks *b, uint32_t number);

/* What compressed records hold. All of a file's are one stream, in which records may start in one
 * and end in the next. `{0}` is the start of one. */
struct perf_unpack {
	struct ZSTD_DCtx_s *stream;
	struct bytes packed; /* of the present compressed record, not yet unpacked */
	char *at, *end;	     /* unpacked and not yet handed out, and the end of the room there */
	size_t len;
	uint32_t block; /* number of the block of `at` */
};
void perf_unpack_release(struct perf_unpack *u);

/* Take in the content of a compressed record. The one before has been used up. */
void perf_unpack_feed(struct perf_unpack *u, struct bytes packed);

/* The next whole record, not yet in our byte order if `swapped`, in
 * block u->block. *ret_record.len is 0 when more has to be fed. ERR_FORMAT when it is damaged,
 * ERR_UNSUPPORTED when this build has no zstd. */
bool perf_unpack_next(struct perf_unpack *u, struct perf_blocks *blocks, bool swapped,
	struct bytes *ret_record, struct error *err);

#endif
