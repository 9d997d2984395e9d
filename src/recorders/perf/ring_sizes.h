/* ring_sizes.h: how much memory do rings of events get, and how much of a stack is copied? */
#ifndef KILN_RECORDERS_PERF_RING_SIZES_H
#define KILN_RECORDERS_PERF_RING_SIZES_H

#include "recorders/perf/event.h"
#include "recorders/request.h"

#define RING_MIN      ((uint64_t)32 << 10)  /* bytes of a CPU's ring for samples */
#define RING_TRACKING ((uint64_t)256 << 10) /* bytes of its ring for processes and mappings */

struct ring_sizes {
	uint64_t ring_bytes;
	uint64_t regs_mask;   /* registers that are copied with stacks; 0: no copies */
	uint64_t stack_bytes; /* of a copy */
};

/* Choose rings with room for some time of samples, within the limit of locked memory; then stack
 * copies that fit, unless a program in the kernel unwinds. */
struct ring_sizes ring_sizes_choose(const struct perf_features *features,
	const struct record_options *o, bool by_program, uint64_t frequency, size_t cpus);

/* What keeps stack copies small where this limit is low. Returns false. */
bool ring_sizes_obstacle(struct obstacle *ret);

#endif
