/* unnamed_weights.c: how much of a profile would be clearer if the functions of a module had names?
 *
 * The problem: for each of some modules, the sum of the values whose stacks contain an unnamed
 * location of it; a stack counts once for a module, however many of its frames are unnamed. Walking
 * each sample's stack costs its depth, and millions of samples share most of their frames. The
 * idea: a caller has a smaller number than its callees, so one sweep over the stacks gives each of
 * them the set of its caller's modules, as bits of a word, and its own. Each sample then adds its
 * value to the modules of one word. The cost is one step for each stack and each sample; the words
 * have room for the modules in which most samples end.
 *
 * The outermost frames of a stack are left out: a program or a thread starts in static functions of
 * the C library, which are in all stacks, and which nobody looks for. */
#include "process/unnamed_weights.h"

#include "base/memory.h"
#include "model/idle.h"

#include <stdlib.h>

#define MODULES_WEIGHED 64u /* bits of a word */
#define STARTING_FRAMES 3   /* of a program or a thread, in front of its own functions */

struct ranked {
	uint32_t module;
	uint64_t samples;
};

static int rank_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

/* For every module, its bit plus 1; 0: it has none. *ret_modules are the modules of the bits. */
static uint8_t *assign_bits(
	const uint64_t *samples, size_t count, uint32_t ret_modules[MODULES_WEIGHED])
{
	uint8_t *bits = memory_new(count + 1, sizeof(*bits));
	struct ranked *ranked = memory_new(count + 1, sizeof(*ranked));

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){(uint32_t)i, samples[i]};
	qsort(ranked, count, sizeof(*ranked), rank_compare);
	for (size_t i = 0; i < count && i < MODULES_WEIGHED; i++) {
		ret_modules[i] = ranked[i].module;
		bits[ranked[i].module] = (uint8_t)(i + 1);
	}
	memory_free(ranked);
	return bits;
}

/* The modules of each stack, a bit each. */
static uint64_t *find_modules(const struct profile *p, const bool *unnamed,
	const uint32_t *module_of, const uint8_t *bits)
{
	size_t count = p->stack_caller.len;
	uint64_t *sets = memory_new(count, sizeof(*sets));
	uint8_t *depth = memory_new(count, sizeof(*depth)); /* up to STARTING_FRAMES */

	for (size_t i = 1; i < count; i++) {
		stack_id caller = p->stack_caller.items[i];
		location_id location = p->stack_location.items[i];
		uint32_t module = module_of[p->locations.items[location].mapping];

		sets[i] = sets[caller];
		depth[i] = depth[caller];
		if (depth[i] < STARTING_FRAMES)
			depth[i]++;
		if (unnamed[location] && depth[caller] == STARTING_FRAMES && module &&
			bits[module - 1])
			sets[i] |= (uint64_t)1 << (bits[module - 1] - 1);
	}
	memory_free(depth);
	return sets;
}

uint64_t unnamed_weights(const struct profile *p, const bool *unnamed, const uint32_t *module_of,
	const uint64_t *counts, size_t count, uint64_t *ret_weights)
{
	const struct stream *stream = p->streams.len ? &p->streams.items[0] : NULL;
	const struct samples *samples = stream ? &p->samples.items[stream->row.samples] : NULL;
	uint32_t module_of_bit[MODULES_WEIGHED];
	uint64_t *sets, all = 0;
	uint8_t *bits;

	if (!stream || stream_is_idle(p, 0))
		return 0;
	bits = assign_bits(counts, count, module_of_bit);
	sets = find_modules(p, unnamed, module_of, bits);
	for (size_t i = 0; i < samples->stack.len; i++) {
		int64_t value = stream_value(stream, i);
		uint64_t weight = value > 0 ? (uint64_t)value : 0;

		if (__builtin_add_overflow(all, weight, &all))
			break; /* more than a recording can have: only what came before is weighed
				*/
		for (uint64_t set = sets[samples->stack.items[i]]; set; set &= set - 1)
			ret_weights[module_of_bit[__builtin_ctzll(set)]] += weight;
	}
	memory_free(sets);
	memory_free(bits);
	return all;
}
