/* chart_lanes.h: which thread's or CPU's samples are in a lane of the chart, and how long does
 * each stand for? */
#ifndef KILN_RENDERERS_CHART_LANES_H
#define KILN_RENDERERS_CHART_LANES_H

#include "renderers/heatmap_rows.h"

enum chart_by {
	CHART_BY_THREAD,
	CHART_BY_CPU,
	CHART_ALL, /* all in one lane */
};

/* A sample of one of the shown streams. */
struct chart_sample {
	uint32_t stream, sample;
	node_id node; /* where its stack ends */
};

/* Samples with times, by lane, and in each lane by time. */
struct chart_lanes {
	const struct view *view;
	struct heatmap_rows rows; /* unless CHART_ALL */
	enum chart_by by;
	size_t count, left_out; /* lanes */
	size_t *first; /* for each lane its first index in samples[]; [count] is the end of the last
			*/
	struct chart_sample *samples;
	bool weighs_time; /* values are ns: each sample has its own duration */
	uint64_t period;  /* ns: the median of the gaps between a lane's samples; 0: unknown */
	int64_t total, untimed;
};

/* At most `max` lanes: those with the largest sums (for CPUs, the first). ERR_USAGE: the input
 * has no such lanes, or no times. */
bool chart_lanes_init(struct chart_lanes *l, const struct view *v, enum chart_by by, size_t max,
	struct error *err);
int64_t chart_value(const struct chart_lanes *l, size_t at);

/* The time that the sample samples[at] of its lane stands for. If the input gives a duration: from
 * the sample's time on, at most up to the next sample. Otherwise the time before it: its value if
 * values are times, or the period, but not before the previous sample of the lane. A gap between
 * the two is included if it is at most half as long as that. */
void chart_span(const struct chart_lanes *l, size_t lane, size_t at, uint64_t *ret_begin,
	uint64_t *ret_end);
void chart_lanes_release(struct chart_lanes *l);

#endif
