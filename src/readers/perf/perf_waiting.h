/* perf_waiting.h: which samples of a perf recording are there without their stacks?
 *
 * When samples were is known long before the stacks they were in are, and somebody may be looking
 * at that already. What a stack is made of is held meanwhile, as it was when its sample was taken.
 */
#ifndef KILN_READERS_PERF_PERF_WAITING_H
#define KILN_READERS_PERF_PERF_WAITING_H

#include "process/walks.h"

struct perf_waiting_sample {
	const char *at; /* its record */
	const struct perf_layout *layout;
	struct address_space *space; /* held by a reference; or NULL */
	thread_id thread;
	process_id process;
	uint32_t samples, row; /* where its stack is to be */
};

/* `{0}`: none. */
struct perf_waiting {
	VECTOR(struct perf_waiting_sample) rows;
	size_t maps; /* mappings that the address spaces have together */
};
/* All of them are there, or not needed. */
void perf_waiting_drop(struct perf_waiting *w);
void perf_waiting_release(struct perf_waiting *w);

/* `record`: of the job, where it stays. */
void perf_waiting_add(struct perf_waiting *w, const struct walk_job *job, const char *record,
	uint32_t samples, uint32_t row);
/* They take so much memory that no more should wait. */
bool perf_waiting_is_full(const struct perf_waiting *w);

/* What was added as number `i`, but for its event and its period. */
struct walk_job perf_waiting_job(const struct perf_waiting *w, size_t i);

#endif
