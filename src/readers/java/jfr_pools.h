/* jfr_pools.h: where in a chunk is the constant with this key?
 *
 * Checkpoint events list constants by class: a key, and a value as the class describes it. Values
 * have no length, so that all are gone through once, to find where each begins. They are read when
 * they are needed first; what became of them is kept in `made`. */
#ifndef KILN_READERS_JAVA_JFR_POOLS_H
#define KILN_READERS_JAVA_JFR_POOLS_H

#include "readers/java/jfr_layout.h"

struct jfr_constant {
	uint64_t key;
	uint64_t at;   /* of the value, in chunk->events */
	uint32_t made; /* its user's; 0: not yet */
	uint32_t flags;
};

/* The constants of a class. */
struct jfr_pool {
	const struct jfr_class *class;
	struct jfr_layout skip;
	VECTOR(struct jfr_constant) constants;
	struct id_map by_key; /* rows of `constants`, plus one */
	uint32_t last;	      /* row that was found last, plus one */
};

/* `{0}` is empty. */
struct jfr_pools {
	VECTOR(struct jfr_pool) pools;
	uint64_t damaged; /* checkpoints of which a part could not be read */
};
void jfr_pools_release(struct jfr_pools *p);

/* Find the constants of all checkpoints of the chunk. */
void jfr_pools_take(
	struct jfr_pools *p, const struct jfr_chunk *chunk, struct jfr_layouts *layouts);

/* NULL: the chunk has no constants of this class. */
struct jfr_pool *jfr_pool_by_name(struct jfr_pools *p, struct bytes class);
/* NULL: there is no such constant. Valid until jfr_pools_take. */
struct jfr_constant *jfr_constant_find(struct jfr_pool *pool, uint64_t key);

#endif
