/* chart_lanes.h: whose time is a row of boxes over time, and when is each of its samples? */
#ifndef KILN_RENDERERS_CHART_LANES_H
#define KILN_RENDERERS_CHART_LANES_H

#include "renderers/heatmap_rows.h"

enum chart_by {
	CHART_BY_THREAD,
	CHART_BY_CPU,
	CHART_BY_NOTHING, /* all in one */
};

/* A sample of one of the streams that the view shows. */
struct chart_sample {
	uint32_t stream, sample;
	node_id node; /* in which it ends */
};

/* Samples with times, lane by lane, each in the order of time. */
struct chart_lanes {
	const struct view *view;
	struct heatmap_rows rows; /* but by nothing */
	enum chart_by by;
	size_t count, left_out; /* lanes */
	size_t *first;		/* of each lane in samples[]; [count] is where they end */
	struct chart_sample *samples;
	bool weighs_time; /* values are ns: a sample's own says for how long it stands */
	uint64_t period;  /* ns: the median of the times between a lane's samples; 0: unknown */
	int64_t total, untimed;
};

/* At most `most` lanes, those with the largest sums (of CPUs the first). ERR_USAGE: the input does
 * not say what they are, or has no times. */
bool chart_lanes_init(struct chart_lanes *l, const struct view *v, enum chart_by by, size_t most,
	struct error *err);
uint64_t chart_time(const struct chart_lanes *l, size_t at);
int64_t chart_value(const struct chart_lanes *l, size_t at);

/* How long the sample that is samples[at] of its lane stands: what its input says it lasted, from
 * its time on and at most until the next one; else what comes before its time: its value when that
 * is time, or the period, but nothing of before the lane's sample before. What is missing to that
 * one counts as its own when it is less than half of it. */
void chart_span(const struct chart_lanes *l, size_t lane, size_t at, uint64_t *ret_begin,
	uint64_t *ret_end);
void chart_lanes_release(struct chart_lanes *l);

#endif
