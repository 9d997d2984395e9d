/* chunks.h: which stacks do the numbers stand for that programs in the kernel tell?
 *
 * Addresses become places when a chunk is event, while it is known what they mean; a stack of the
 * profile is looked up once for each thread name and chunk. */
#ifndef KILN_RECORDERS_PROGRAMS_CHUNKS_H
#define KILN_RECORDERS_PROGRAMS_CHUNKS_H

#include "bpf/shared/events.h"
#include "process/stacks.h"

struct chunk_table {
	struct stacks *stacks;
	VECTOR(struct chunk_row) rows;	 /* by number */
	VECTOR(struct chunk_row) walked; /* chunks made here: by number, less WALKED */
	VECTOR(int32_t) spaces;		 /* by number: pids */
	VECTOR(struct chunk_stack) known;
	struct id_map by_chunk;
	VECTOR(uint32_t) path;
	VECTOR(stack_id) roots; /* of each thread; 0: not looked up yet */
	uint64_t added;		/* chunks; the caller resets it */
};

void chunk_table_init(struct chunk_table *t, struct stacks *stacks);
void chunk_table_release(struct chunk_table *t);

void chunk_table_space(struct chunk_table *t, const struct event_space *event);
void chunk_table_add(struct chunk_table *t, const struct event_chunk *event);
/* One that is a whole stack, to be walked. */
void chunk_table_walk(struct chunk_table *t, const struct event_copy *event);
/* Has all of the stack that ends with a chunk been event by now? */
bool chunk_table_has(const struct chunk_table *t, uint32_t chunk);
/* The stack that ends with a chunk, above `root`. False when it was never event. */
bool chunk_table_stack(struct chunk_table *t, stack_id root, uint32_t chunk, stack_id *ret_stack);
/* Has that stack a user half that was walked? *ret_end is how it ended, enum user_stack_end;
 * *ret_guessed: through code without tables, where frame pointers were trusted. */
bool chunk_table_end(
	const struct chunk_table *t, uint32_t chunk, unsigned *ret_end, bool *ret_guessed);
/* Of the idle task: is it all that an idle CPU does, and no interrupt that it serves? */
bool chunk_table_idle(const struct chunk_table *t, uint32_t chunk);
/* The root of a thread's stacks: stacks_root, once. */
stack_id chunk_table_root(struct chunk_table *t, thread_id thread);

#endif
