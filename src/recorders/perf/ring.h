/* ring.h: the ring buffers of perf events, and their records in the order of their times.
 *
 * Each CPU has its own rings, so records of different rings have to be merged: a sample may need
 * the mapping that another CPU has reported. Records stay in the ring until they are taken; only
 * one that wraps around the ring's end is copied.
 *
 * The protocol is that of perf_event_open(2), "MMAP layout". */
#ifndef KILN_RECORDERS_PERF_RING_H
#define KILN_RECORDERS_PERF_RING_H

#include "base/memory.h"
#include "process/perf_record.h"

struct perf_ring {
	int fd; /* the event that owns it; -1: no kernel behind it */
	uint32_t cpu;
	const struct perf_layout *layout;  /* of all records in it */
	struct perf_event_mmap_page *page; /* NULL: no kernel behind it */
	char *data;
	uint64_t size;	     /* bytes of data, a power of two */
	uint64_t head, tail; /* written up to, taken up to */
	uint64_t saved;	     /* passed to `save` up to */
	char *wrapped;	     /* a record in one piece */
	struct bytes next;   /* the record at the tail; len 0: not looked up yet */
	uint64_t next_time;
	uint64_t most; /* bytes: the highest fill level so far */
};

/* Map the ring of an event, `size` bytes (a power of two, at least a page). False with errno. */
bool perf_ring_map(struct perf_ring *ring, int fd, uint32_t cpu, uint64_t size,
	const struct perf_layout *layout);
/* A ring without a kernel, filled with perf_ring_feed. */
void perf_ring_init(
	struct perf_ring *ring, uint32_t cpu, uint64_t size, const struct perf_layout *layout);

/* Append saved bytes; false: there is no room for them. */
bool perf_ring_feed(struct perf_ring *ring, struct bytes bytes);

struct perf_merge {
	VECTOR(struct perf_ring) rings;

	/* Called with all bytes of every ring, before their records are taken; may be NULL. */
	void (*save)(void *context, size_t ring, struct bytes bytes);
	void *save_context;

	uint64_t late;	  /* records older than one that was taken already */
	uint64_t damaged; /* rings abandoned because of an invalid record, which a kernel never
			     writes */
	uint64_t last_time;
};
void perf_merge_release(struct perf_merge *m);

/* Update from what the kernel has written. Returns how full the fullest ring is, in percent. */
unsigned perf_merge_update(struct perf_merge *m);

/* The oldest record of those present at the last update that are at most as new as `until` (ns);
 * false: none. Valid until perf_merge_done. */
bool perf_merge_next(struct perf_merge *m, uint64_t until, struct bytes *ret_record,
	struct perf_ring **ret_ring);

/* Hand the space of the record back to the kernel. */
void perf_merge_done(struct perf_ring *ring);

#endif
