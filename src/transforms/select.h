/* select.h: leaving samples out, by the node they end in or by what they say about themselves. */
#ifndef KILN_TRANSFORMS_SELECT_H
#define KILN_TRANSFORMS_SELECT_H

#include "model/view.h"

/* Keep the samples that end in a node for which keep[node]; branches that nobody ends in go. */
void select_nodes(struct view *v, const bool *keep);

/* Keep the samples that are wanted, of which it is asked of many at once: a bit each, of `count`
 * samples from `first` on, at most SAMPLES_AT_ONCE. Tables for which `has` is false do not say, so
 * all of their samples go; when no table says, ERR_USAGE with `what` ("which thread a sample is
 * of"). */
struct selection {
	bool (*has)(const struct samples *s);
	uint64_t (*wanted)(
		const struct samples *s, size_t first, size_t count, const void *context);
	const void *context;
	const char *what;
};
bool select_samples(struct view *v, const struct selection *by, struct error *err);

/* select_samples by thread: keep[thread_id]. */
bool select_threads(struct view *v, const bool *keep, struct error *err);

#endif
