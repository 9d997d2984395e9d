/* chart_runs.h: from samples in time to boxes: consecutive samples with the same frame are one. */
#ifndef KILN_RENDERERS_CHART_RUNS_H
#define KILN_RENDERERS_CHART_RUNS_H

#include "renderers/chart_lanes.h"

#define CHART_BOXES_MOST ((size_t)200000)

/* Runs of one lane in one depth, which are one, or so many that each is too thin to be seen. */
struct chart_box {
	uint64_t begin, end; /* ns on the samples' clock, half-open */
	int64_t value;
	node_id node; /* of the run that lasts longest */
	uint32_t lane, samples, runs;
	uint16_t depth; /* 0: the outermost frame */
	uint64_t longest;
};

struct chart_boxes {
	VECTOR(struct chart_box) boxes; /* by lane and depth, then time */
	uint64_t least;			/* ns: thinner ones are put together */
};

/* Boxes of all lanes. Neighbours that are each shorter than `least` and less than that apart become
 * one, as long as it is shorter, too; where boxes would be more than CHART_BOXES_MOST, `least` (at
 * least 1) is four times as long, and so on. */
void chart_boxes_init(struct chart_boxes *b, const struct chart_lanes *lanes, uint64_t least);
void chart_boxes_release(struct chart_boxes *b);

#endif
