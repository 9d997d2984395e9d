/* packed_path.h: how much of a stack, whose locations are packed varints, does the last one share?
 *
 * pprof and OTLP list the locations of a stack innermost first, each as a varint of protobuf. So
 * two stacks that share their outermost frames end in the same bytes, and these can be compared
 * from the end without decoding them, 8 or more at a time. Where the equal bytes begin is moved to
 * where a varint begins; the varints from there on are the shared locations, and only those before
 * have to be decoded. For each stack `levels` keeps the path's length behind each location, as one
 * location can be several frames (what was inlined): it tells how much of the last path stays. */
#ifndef KILN_READERS_STACKS_PACKED_PATH_H
#define KILN_READERS_STACKS_PACKED_PATH_H

#include "base/bytes.h"
#include "base/memory.h"

/* `{0}`: there was none. */
struct packed_path {
	struct bytes last;	 /* the locations of the stack that was taken last */
	VECTOR(uint32_t) levels; /* of its path behind each of them, outermost first */
	uint32_t level;		 /* of the path behind those that the present one shares with it */
};
void packed_path_release(struct packed_path *p);

/* How many locations at the end are those of the last stack; the others are left in *locations. */
size_t packed_path_cut(const struct packed_path *p, struct bytes *locations);
/* These were taken, of which the first `shared` were shared; returns where to put a level for each
 * of the `more` others. */
uint32_t *packed_path_take(
	struct packed_path *p, struct bytes locations, size_t shared, size_t more);
/* Nothing is shared with the next one. */
void packed_path_clear(struct packed_path *p);

/* For each number what the table has of it, 0 for one behind its `count`; `to` has room for one a
 * byte. Bytes up to `end` may be read. Returns how many there are, SIZE_MAX: the last one is cut
 * off. */
size_t packed_look_up(
	struct bytes numbers, const char *end, const uint32_t *table, size_t count, uint32_t *to);

#endif
