/* summary.h: what is in a profile, counted over the samples that a view keeps. */
#ifndef KILN_RENDERERS_SUMMARY_H
#define KILN_RENDERERS_SUMMARY_H

#include "model/view.h"

struct stream_summary {
	uint64_t samples;
	int64_t sum;
	uint64_t lost;
};

/* A property of some of the selected streams' samples: a reason why their stacks are incomplete,
 * or a name that stands for missing symbols. */
struct share {
	string_id name;
	uint64_t samples;
	int64_t sum;
};

struct mapping_summary {
	uint64_t locations, named;
};

struct summary {
	struct stream_summary *streams;	  /* for every stream of the profile */
	struct mapping_summary *mappings; /* for every mapping of the profile */
	uint64_t first, last;		  /* ns; 0 and 0 if samples have no times */
	size_t threads, processes;	  /* with at least one sample, under each of their names */
	size_t nodes;			  /* distinct stacks */
	size_t deepest;			  /* in frames */
	int64_t sum;			  /* of the selected streams */
	uint64_t idle;			  /* samples of streams of the kind "idle" */
	VECTOR(struct share) truncated;	  /* by reason: "no-table", largest first */
	VECTOR(struct share) unnamed;	  /* by leaf: "[libx.so]", "[unknown]", largest first */
};

void summary_init(struct summary *s, const struct view *v);
void summary_release(struct summary *s);

#endif
