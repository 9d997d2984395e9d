/* pprof_batch.h: samples of a pprof file that are passed on together (pprof_adder.h). */
#ifndef KILN_READERS_PPROF_PPROF_BATCH_H
#define KILN_READERS_PPROF_PPROF_BATCH_H

#include "readers/stacks/paths.h"

#define PPROF_BATCH	  1024u	 /* samples */
#define PPROF_BATCH_STEPS 65536u /* frames from which a batch is large enough */

struct pprof_batch {
	size_t count, paths_count;
	struct pprof_taken {
		const char *at;			   /* in the file */
		const char *fields, *labels, *end; /* only labels are from `labels` on */
		uint32_t stack;			   /* its number among the different ones */
	} samples[PPROF_BATCH];
	struct listed_path
		paths[PPROF_BATCH]; /* of stacks whose numbers are met for the first time */
	VECTOR(location_id) steps;  /* of all paths, one after the other */
};

#endif
