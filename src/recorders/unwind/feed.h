/* feed.h: what happens to processes, told to the programs in the kernel at once.
 *
 * A recorder names addresses by what was mapped at their time, so it takes records in their order,
 * some milliseconds late. A program that walks stacks needs a new program's mappings before that:
 * here is a second state of all processes, which each record changes when it is seen. */
#ifndef KILN_RECORDERS_UNWIND_FEED_H
#define KILN_RECORDERS_UNWIND_FEED_H

#include "recorders/perf/ring.h"
#include "recorders/unwind/tables.h"

struct unwind_feed {
	struct unwind_tables tables;
	const struct perf_merge *merge; /* the rings that records come from */
	struct processes *ordered;	/* the recorder's own state */
	struct profile profile;		/* of the other one: nothing but names */
	struct processes processes;
	VECTOR(struct buffer) seen; /* of each ring: records that were not applied yet */
	VECTOR(uint64_t) times;
	VECTOR(struct bytes) records;
	VECTOR(const struct perf_layout *) layouts;
};

/* `processes` is the recorder's state, whose `told` is taken; `merge` its rings, whose `save` is
 * taken, before any of it is used. All outlive the feed. */
bool unwind_feed_open(struct unwind_feed *f, const struct bpf_object *object,
	struct perf_merge *merge, struct processes *processes, struct error *err);
void unwind_feed_release(struct unwind_feed *f);

/* Begin with what the recorder's state is now. Nothing is told before the next update: programs
 * that see fork and exec have to be there first. `lazy`: see struct unwind_tables. */
void unwind_feed_begin(struct unwind_feed *f, bool lazy);
/* Apply and tell what perf_merge_update has seen; `now` (CLOCK_MONOTONIC, ns) is from before that.
 */
void unwind_feed_update(struct unwind_feed *f, uint64_t now);

#endif
