/* profile_cost.c: how much is a profile when all of its stacks are written out? */
#include "profile_cost.h"

#include <stdlib.h>

#define FRAMES_LIMIT ((uint64_t)1 << 16)
#define TEXT_LIMIT   ((uint64_t)8 << 20) /* bytes */

bool profile_is_small(const struct profile *p)
{
	uint64_t *depth = memory_new(p->stack_caller.len, sizeof(*depth)), frames = 0, longest = 0;

	for (size_t i = 1; i < p->stack_caller.len && frames <= FRAMES_LIMIT; i++) {
		uint32_t names = p->location_names.items[p->stack_location.items[i]].count;

		depth[i] = depth[p->stack_caller.items[i]] + (names ? names : 1);
		frames += depth[i];
	}
	for (size_t i = 1; i < p->string_ends.len; i++) {
		uint64_t len = p->string_ends.items[i] - p->string_ends.items[i - 1];

		longest = len > longest ? len : longest;
	}
	free(depth);
	return frames <= FRAMES_LIMIT && frames * longest <= TEXT_LIMIT;
}
