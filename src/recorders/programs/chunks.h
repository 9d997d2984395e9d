/* chunks.h: the stacks of the profile for the chunks that programs emit (bpf/stacks.h).
 *
 * When a chunk comes, its addresses are turned into locations at once, as their meaning at that
 * time is known then. The stack of the profile that ends with a chunk is found when the first event
 * refers to it, once for each root (a thread's name) and chunk. A user stack that was copied is
 * walked here, and becomes a chain of chunks of its own. */
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
/* Add a chunk that is a copy of a stack: walk it. */
void chunk_table_walk(struct chunk_table *t, const struct event_copy *event);
/* Have all chunks of the stack that ends with this one come by now? */
bool chunk_table_has(const struct chunk_table *t, uint32_t chunk);
/* The stack above `root` that ends with a chunk. False: a chunk of it never came. */
bool chunk_table_stack(struct chunk_table *t, stack_id root, uint32_t chunk, stack_id *ret_stack);
/* Has that stack a user half that was walked? *ret_end is how the walk ended, enum user_stack_end;
 * *ret_guessed: it went through code without tables, by frame pointers. */
bool chunk_table_end(
	const struct chunk_table *t, uint32_t chunk, unsigned *ret_end, bool *ret_guessed);
/* A stack of the idle task: is it that of an idle CPU, and not of an interrupt that it serves? */
bool chunk_table_idle(const struct chunk_table *t, uint32_t chunk);
/* The root of a thread's stacks: stacks_root, cached. */
stack_id chunk_table_root(struct chunk_table *t, thread_id thread);

#endif
