/* bpftrace_maps.h: what do maps whose keys are stacks count?
 *
 * Keys that are no stack become outer frames, in the order of the key. Every map is a value of its
 * own. */
#ifndef KILN_READERS_TRACERS_BPFTRACE_MAPS_H
#define KILN_READERS_TRACERS_BPFTRACE_MAPS_H

#include "readers/lines/text_stacks.h"

/* `{0}` with its stacks opened has no maps. */
struct bpftrace_maps {
	struct text_stacks stacks;
	VECTOR(string_id) names; /* the stream of each is its index */
	size_t map;		 /* of the entry */
	VECTOR(location_id) keys;
	int64_t values[TEXT_STREAMS_LIMIT];
};

void bpftrace_maps_release(struct bpftrace_maps *b); /* but for the stacks */

/* What comes next is of this map, whose name includes the '@'; false when there are too many. */
bool bpftrace_choose(struct bpftrace_maps *b, struct bytes name);
/* The next part of the key: a value, or a line of a stack, innermost frame first. */
void bpftrace_key(struct bpftrace_maps *b, struct bytes key);
void bpftrace_frame(struct bpftrace_maps *b, struct bytes line);
/* What a line of a stack is known by: all of it but an offset, which other tools' style keeps. What
 * looks like the end of a key without it (`]:`) keeps it, too. */
struct bytes bpftrace_part(struct bytes line);
/* The key is complete, and this its value; or it is no key after all. */
bool bpftrace_add(struct bpftrace_maps *b, int64_t value, struct error *err);
void bpftrace_drop(struct bpftrace_maps *b);

/* text_stacks.add_notes, for lost events. */
void bpftrace_note_lost(struct profile *p, uint64_t lost);

#endif
