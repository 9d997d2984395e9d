/* select.h: leaving out samples, by the node they end in or by their own columns. */
#ifndef KILN_TRANSFORMS_SELECT_H
#define KILN_TRANSFORMS_SELECT_H

#include "model/view.h"

/* Keep the samples that end in a node for which keep[node] is set; branches without samples are
 * removed. */
void select_nodes(struct view *v, const bool *keep);

/* Selects samples, many at a time: a bit for each of `count` samples from `first` on, at most
 * SAMPLES_PER_WORD. Tables for which `has` is false lack the column, and all of their samples are
 * left out; if all tables lack it, ERR_USAGE with `what` ("the thread of a sample"). */
struct selection {
	bool (*has)(const struct samples *s);
	uint64_t (*match)(const struct samples *s, size_t first, size_t count, const void *context);
	const void *context;
	const char *what;
};
bool select_samples(struct view *v, const struct selection *by, struct error *err);

/* select_samples by thread: keep[thread_id]. */
bool select_threads(struct view *v, const bool *keep, struct error *err);

#endif
