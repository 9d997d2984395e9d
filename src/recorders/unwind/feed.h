/* feed.h: the mappings of processes, exported to programs as soon as they are known.
 *
 * The recorder applies records in the order of their times, some milliseconds late, because it
 * finds addresses in what was mapped at the time of a sample. But a program that walks stacks needs
 * the mappings of a new process at once. So there is a second state of all processes here, to which
 * each record is applied when it is first seen in a ring. */
#ifndef KILN_RECORDERS_UNWIND_FEED_H
#define KILN_RECORDERS_UNWIND_FEED_H

#include "recorders/perf/ring.h"
#include "recorders/unwind/tables.h"

struct unwind_feed {
	struct unwind_tables tables;
	const struct perf_merge *merge; /* the rings that records come from */
	struct processes *ordered;	/* the recorder's own state, in the order of times */
	struct profile profile;		/* of the second state: only names */
	struct processes processes;
	VECTOR(struct buffer) seen; /* of each ring: records that are not applied yet */
	VECTOR(uint64_t) times;
	VECTOR(struct bytes) records;
	VECTOR(const struct perf_layout *) layouts;
};

/* `processes` is the recorder's state, whose callback `read_text` is set; `merge` its rings, whose
 * callback `save` is set. To be called before both are used; both outlive the feed. */
bool unwind_feed_open(struct unwind_feed *f, const struct bpf_object *object,
	struct perf_merge *merge, struct processes *processes, struct error *err);
void unwind_feed_release(struct unwind_feed *f);

/* Begin with a copy of the recorder's state. Nothing is written before the next update, as the
 * programs that see fork and exec have to be attached first. `lazy`: see struct unwind_tables. */
void unwind_feed_begin(struct unwind_feed *f, bool lazy);
/* Apply the records that perf_merge_update has seen, and write what has changed; `now`
 * (CLOCK_MONOTONIC, ns) is from before perf_merge_update. */
void unwind_feed_update(struct unwind_feed *f, uint64_t now);

#endif
