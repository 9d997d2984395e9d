/* perf_order.h: in which order did the events of a perf.data file happen?
 *
 * Processes have to be replayed in the order of time: a sample's address means what was mapped when
 * it was taken. But perf drains one CPU's ring after the other, so the file is in order only within
 * each of these pieces, of which a long recording has millions. Sorting the whole file would need
 * memory for all of its records.
 *
 * perf marks the end of each round over the rings (FINISHED_ROUND). All records behind the next
 * mark are newer than all records before this one. So two rounds at a time are enough: records
 * are held (time and address, not content), sorted when a mark arrives, and returned up to the
 * newest time of the round before. The sort merges the runs that are already in order, one for
 * each CPU.
 *
 * In a recording with parts, each part has records of the whole time. So all records are held. */
#ifndef KILN_PROCESS_PERF_ORDER_H
#define KILN_PROCESS_PERF_ORDER_H

#include "process/perf_file.h"

/* If a file has no rounds, this many records are held, plus one for every so many bytes of the
 * file; then the older half is returned. Each takes 64 bytes, with the room for sorting. */
#define PERF_ORDER_MIN		    ((size_t)1 << 19)
#define PERF_ORDER_BYTES_PER_RECORD 512u /* bytes */

struct perf_order {
	struct perf_file *file;
	/* Rows [next, ready) are in order and can be returned; [ready, len) are not sorted yet. */
	VECTOR(struct perf_queued) queued;
	VECTOR(struct perf_queued) merged; /* scratch space for sorting */
	VECTOR(size_t) runs;		   /* starts of runs, while sorting */
	size_t next, ready;
	uint64_t round_end; /* the newest time of the round before this one */
	uint64_t latest;    /* newest time of all records */
	uint64_t last_time; /* time of the record returned last */
	uint64_t late;	    /* records that were older than one returned before them */
	bool ended;

	/* Called before the blocks of returned records are released; or NULL. False stops
	 * reading. */
	bool (*release_blocks)(void *context);
	void *context;
};
void perf_order_release(struct perf_order *o);

/* The next record by time. Records without a time are returned in file order. Valid until
 * `release_blocks` is called, which any later call may do; records without a block are valid for
 * ever. False at the end. */
bool perf_order_next(struct perf_order *o, struct perf_file_record *ret_record);

#endif
