/* heap_record.h: the counts of a heap profile's record, as gperftools, jemalloc and Go write them:
 * `300: 1228800 [300: 1228800]`, objects and bytes in use, and allocated in all. */
#ifndef KILN_READERS_PPROF_HEAP_RECORD_H
#define KILN_READERS_PPROF_HEAP_RECORD_H

#include "base/bytes.h"
#include "readers/lines/text_stacks.h"

enum heap_value { INUSE_SPACE, INUSE_OBJECTS, ALLOC_SPACE, ALLOC_OBJECTS, HEAP_VALUES };

/* A stream for each of the first `count` values. */
void heap_record_streams(struct text_stacks *t, size_t count);

/* The number before the next `end`, at most 2^63 - 1, and `end` with it. */
bool heap_record_count(struct bytes *line, char end, int64_t *ret_count);

/* The counts at the start of *line, which moves behind them. */
bool heap_record_parse(struct bytes *line, int64_t ret_values[HEAP_VALUES]);

/* Of a profile that samples one in about `rate` bytes: from what was sampled to an estimate of all.
 * False, and nothing is changed: it is beyond 2^63, or there are bytes of no objects. */
bool heap_record_scale(int64_t values[HEAP_VALUES], uint64_t rate);

/* Said once for such a profile. */
void heap_record_note(struct profile *p, uint64_t rate);

#endif
