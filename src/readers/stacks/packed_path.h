/* packed_path.h: stacks whose locations are numbers as protobuf packs them, innermost first: which
 * of them are those of the stack before?
 *
 * Stacks that share their outermost locations end in the same bytes. */
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
void packed_path_forget(struct packed_path *p);

/* For each number what the table has of it, 0 for one behind its `count`; `to` has room for one a
 * byte. Bytes up to `end` may be read. Returns how many there are, SIZE_MAX: the last one is cut
 * off. */
size_t packed_look_up(
	struct bytes numbers, const char *end, const uint32_t *table, size_t count, uint32_t *to);

#endif
