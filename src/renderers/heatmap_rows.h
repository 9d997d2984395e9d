/* heatmap_rows.h: what are the rows of a heat map: parts of a column's time, threads, or CPUs? */
#ifndef KILN_RENDERERS_HEATMAP_ROWS_H
#define KILN_RENDERERS_HEATMAP_ROWS_H

#include "transforms/group.h"

enum heatmap_by {
	HEATMAP_BY_TIME,
	HEATMAP_BY_THREAD, /* largest sum first */
	HEATMAP_BY_CPU,	   /* by their numbers */
};

/* The groups that have a sample; none for HEATMAP_BY_TIME. */
struct heatmap_rows {
	const struct view *view;
	struct grouping by;
	VECTOR(size_t) groups; /* of each row */
	uint32_t *row_of;      /* of each group; UINT32_MAX: no row */
};

/* Find the groups of all samples that `v` shows. ERR_USAGE: no sample has one. */
bool heatmap_rows_init(
	struct heatmap_rows *r, const struct view *v, enum heatmap_by by, struct error *err);
/* The row of a shown sample. */
size_t heatmap_rows_of(const struct heatmap_rows *r, const struct samples *s, size_t sample);
/* `"main-12/12","worker-12/13"`: labels of the first `count` rows, in JSON. */
void heatmap_rows_labels(const struct heatmap_rows *r, size_t count, struct buffer *out);
void heatmap_rows_release(struct heatmap_rows *r);

#endif
