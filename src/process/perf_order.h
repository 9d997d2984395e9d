/* perf_order.h: in which order did the records of a perf.data file happen?
 *
 * perf drains one CPU's ring after the other, so that the file is in order only within each of
 * these pieces. It marks the end of a round (FINISHED_ROUND): what comes behind the next mark is
 * not older than anything before this one. Only two rounds have to be held at a time: their times
 * and places, not their content. */
#ifndef KILN_PROCESS_PERF_ORDER_H
#define KILN_PROCESS_PERF_ORDER_H

#include "process/perf_file.h"

/* Records held at most, where a file has no rounds: then the older half is handed out. So many, and
 * one more for every so many bytes of the file; each takes 64 bytes with the room for sorting. */
#define PERF_ORDER_LEAST ((size_t)1 << 19)
#define PERF_ORDER_SHARE 512u /* bytes */

struct perf_order {
	struct perf_file *file;
	/* Rows [next, ready) are in order and may be handed out; [ready, len) are not. */
	VECTOR(struct perf_held) held;
	VECTOR(struct perf_held) merged; /* room for sorting */
	VECTOR(size_t) runs;		 /* where they start, while sorting */
	size_t next, ready;
	uint64_t round_end; /* the latest time of the round before this one */
	uint64_t latest;    /* time of all records */
	uint64_t handed;    /* time of the record that was handed out last */
	uint64_t late;	    /* records that are older than one that was handed out before them */
	bool ended;

	/* Called before records of blocks are forgotten that were handed out; or NULL. False ends
	 * the reading. */
	bool (*forget)(void *context);
	void *context;
};
void perf_order_release(struct perf_order *o);

/* The next record in time. Records without a time come as the file has them. Valid until
 * `forget` is called, at any later call; without blocks for ever. False at the end. */
bool perf_order_next(struct perf_order *o, struct perf_file_record *ret_record);

#endif
