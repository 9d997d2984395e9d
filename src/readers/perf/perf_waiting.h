/* perf_waiting.h: which samples of a perf recording have no stack yet?
 *
 * Times of samples can be read much faster than stacks are made, and an observer (struct
 * read_observer) may show them already, in a heat map. So samples get their rows at once, and what
 * their stacks will be made of is kept here: the record, and the state of the process when it was
 * taken. */
#ifndef KILN_READERS_PERF_PERF_WAITING_H
#define KILN_READERS_PERF_PERF_WAITING_H

#include "process/walks.h"

struct perf_waiting_sample {
	const char *at; /* its record */
	const struct perf_layout *layout;
	struct address_space *space; /* held by a reference; or NULL */
	thread_id thread;
	process_id process;
	uint32_t samples, row; /* the table and the row that need the stack */
};

/* `{0}`: none. */
struct perf_waiting {
	VECTOR(struct perf_waiting_sample) rows;
	size_t maps; /* mappings that the address spaces have together */
};
/* Forget all samples: they have their stacks, or need none. */
void perf_waiting_drop(struct perf_waiting *w);
void perf_waiting_release(struct perf_waiting *w);

/* Add a sample; `record`: the bytes of its record, which stay where they are. */
void perf_waiting_add(struct perf_waiting *w, const struct walk_job *job, const char *record,
	uint32_t samples, uint32_t row);
/* Do they take so much memory that their stacks should be made before more are added? */
bool perf_waiting_is_full(const struct perf_waiting *w);

/* The job that was added as number `i`, without its event and its period: the row has both. */
struct walk_job perf_waiting_job(const struct perf_waiting *w, size_t i);

#endif
