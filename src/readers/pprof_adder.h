/* pprof_adder.h: samples on their way into the profile, a batch at a time, added by another thread
 * where there is a CPU for it.
 *
 * While samples are being added, nobody else may touch the profile's stacks, samples and values. */
#ifndef KILN_READERS_PPROF_ADDER_H
#define KILN_READERS_PPROF_ADDER_H

#include "readers/paths.h"

#define PPROF_BATCH	  1024u	 /* samples */
#define PPROF_BATCH_STEPS 65536u /* frames from which a batch is large enough */

struct pprof_batch {
	size_t count, paths_count;
	/* `stack` is its number among the different ones. Columns that one has, those behind it
	 * have too. */
	struct sample samples[PPROF_BATCH];
	struct pprof_path {
		uint32_t level, steps;
	} paths[PPROF_BATCH];	   /* of the stacks whose numbers are met for the first time */
	VECTOR(location_id) steps; /* of all paths, one after the other */
	VECTOR(int64_t) values;	   /* `types` for each sample */
};

struct pprof_adder;

/* So many samples are expected, for this table of the profile, with a value for each of these
 * streams, which stay where they are. */
struct pprof_adder *pprof_adder_new(struct profile *profile, uint32_t samples, size_t expected,
	const uint32_t *streams, size_t types, bool with_thread);
/* An empty batch to be filled. */
struct pprof_batch *pprof_adder_batch(struct pprof_adder *a);
/* It is full. Returns the next one. */
struct pprof_batch *pprof_adder_pass(struct pprof_adder *a);
/* Add what has been passed. NULL is fine. */
void pprof_adder_finish(struct pprof_adder *a);

#endif
