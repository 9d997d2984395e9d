/* chart_runs.h: from samples in time to boxes: consecutive samples with the same frame become
 * one. */
#ifndef KILN_RENDERERS_CHART_RUNS_H
#define KILN_RENDERERS_CHART_RUNS_H

#include "renderers/chart_lanes.h"

#define CHART_BOXES_LIMIT ((size_t)200000)

/* One run of a lane at one depth, or several that are too short to be visible. */
struct chart_box {
	uint64_t begin, end; /* ns on the samples' clock, half-open */
	int64_t value;
	node_id node; /* of the longest run */
	uint32_t lane, samples, runs;
	uint16_t depth; /* 0: the outermost frame */
	uint64_t longest;
};

struct chart_boxes {
	VECTOR(struct chart_box) boxes; /* by lane and depth, then by time */
	uint64_t min;			/* ns: shorter boxes are merged */
};

/* Make the boxes of all lanes. Neighbours that are both shorter than `min`, and closer than that,
 * are merged, until the merged box is at least `min` long. If there would be more than
 * CHART_BOXES_LIMIT boxes, `min` (at least 1) is multiplied by four, repeatedly. */
void chart_boxes_init(struct chart_boxes *b, const struct chart_lanes *lanes, uint64_t min);
void chart_boxes_release(struct chart_boxes *b);

#endif
