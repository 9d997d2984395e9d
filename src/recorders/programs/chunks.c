/* chunks.c: the stacks of the profile for the chunks that programs emit. */
#include "recorders/programs/chunks.h"

#include "bpf/shared/unwind.h"
#include "recorders/programs/copies.h"

#include <stdlib.h>

#define WALKED (1u << 31) /* programs never give numbers so high */

struct chunk_row {
	uint64_t parent; /* of struct chunk; 0: it never came */
	uint64_t root;	 /* the parent of its outermost chunk */
	uint32_t count;
	bool work;			  /* the idle task serves an interrupt there */
	stack_id last_root, last_stack;	  /* the last stack that it ended, and its root; 0: none */
	location_id places[CHUNK_FRAMES]; /* outermost first */
};

struct chunk_stack {
	stack_id root;
	uint32_t chunk;
	stack_id stack;
};

void chunk_table_init(struct chunk_table *t, struct stacks *stacks)
{
	*t = (struct chunk_table){.stacks = stacks};
	vector_push(&t->known, ((struct chunk_stack){0}));
	vector_push(&t->walked, ((struct chunk_row){0}));
}

void chunk_table_release(struct chunk_table *t)
{
	vector_release(&t->rows);
	vector_release(&t->walked);
	vector_release(&t->spaces);
	vector_release(&t->known);
	vector_release(&t->path);
	vector_release(&t->roots);
	id_map_release(&t->by_chunk);
}

void chunk_table_space(struct chunk_table *t, const struct event_space *event)
{
	while (t->spaces.len <= event->id)
		vector_push(&t->spaces, -1);
	t->spaces.items[event->id] = (int32_t)event->pid;
}

/* NULL: it never came. */
static struct chunk_row *row_of(const struct chunk_table *t, uint32_t number)
{
	struct chunk_row *row = NULL;

	if (number & WALKED)
		row = &t->walked.items[number & ~WALKED];
	else if (number < t->rows.len)
		row = &t->rows.items[number];
	return row && row->parent ? row : NULL;
}

/* The parent of the outermost chunk of a stack, from the parent of its last one; 0: it never came.
 */
static uint64_t root_of(const struct chunk_table *t, uint64_t parent)
{
	const struct chunk_row *row;

	if (parent & CHUNK_ROOT)
		return parent;
	row = row_of(t, (uint32_t)parent);
	return row ? row->root : 0;
}

/* The process of a root; -1: unknown. */
static int32_t process_of(const struct chunk_table *t, uint64_t root)
{
	uint32_t number = (uint32_t)root;

	return root && number < t->spaces.len ? t->spaces.items[number] : -1;
}

static void put_row(struct chunk_table *t, uint32_t number, const struct chunk_row *row)
{
	while (t->rows.len <= number)
		vector_push(&t->rows, ((struct chunk_row){0}));
	t->rows.items[number] = *row;
}

void chunk_table_add(struct chunk_table *t, const struct event_chunk *event)
{
	bool kernel = event->chunk.parent & CHUNK_KERNEL;
	struct chunk_row row = {
		.parent = event->chunk.parent, .root = root_of(t, event->chunk.parent)};
	int32_t pid = kernel ? 0 : process_of(t, row.root);
	const struct chunk_row *outer = row_of(t, (uint32_t)row.parent);

	row.work = outer && outer->work;
	for (; row.count < CHUNK_FRAMES && event->chunk.ip[row.count]; row.count++) {
		uint64_t address = event->chunk.ip[row.count];

		row.places[row.count] =
			kernel ? stacks_kernel_place(t->stacks, address)
			       : stacks_user_place(t->stacks, pid, address, event->time);
		if (kernel && !(uint32_t)row.root)
			row.work |= stacks_interrupts_idle(t->stacks, address);
	}
	t->added++;
	put_row(t, event->id, &row);
}

void chunk_table_walk(struct chunk_table *t, const struct event_copy *event)
{
	struct unwinder_copy copy;
	int32_t pid = event->space < t->spaces.len ? t->spaces.items[event->space] : -1;
	struct user_frames frames;
	struct chunk_row row = {0};

	copy_open(event, &copy);
	stacks_walk_copy(t->stacks, pid, event->time, &copy, &frames);
	row.parent = CHUNK_ROOT | (uint64_t)frames.end << CHUNK_END_SHIFT | event->space;
	row.parent |= frames.guessed ? CHUNK_GUESSED : 0;
	row.root = row.parent;
	for (size_t i = 0; i < frames.count; i++) {
		if (row.count == CHUNK_FRAMES) {
			vector_push(&t->walked, row);
			row = (struct chunk_row){
				.parent = WALKED | (uint32_t)(t->walked.len - 1), .root = row.root};
		}
		row.places[row.count++] =
			stacks_user_place(t->stacks, pid, frames.addresses[i], event->time);
	}
	put_row(t, event->id, &row);
}

/* ---- Stacks ---- */

/* The row of a chunk with a root, or 0; *ret_at is where to enter it. */
static uint32_t find(struct chunk_table *t, stack_id root, uint32_t chunk, size_t *ret_at)
{
	uint64_t hash = hash_pair(root, chunk);
	uint32_t row;

	*ret_at = id_map_first(&t->by_chunk, hash);
	while ((row = id_map_candidate(&t->by_chunk, hash, ret_at)))
		if (t->known.items[row].root == root && t->known.items[row].chunk == chunk)
			return row;
	return 0;
}

/* The outermost part of a stack: its root and, if the walk was cut off, a frame that says why. */
static stack_id begin(struct chunk_table *t, stack_id root, uint64_t parent)
{
	unsigned end = parent >> CHUNK_END_SHIFT & 0xff;

	if (end == CHUNK_END_EARLY)
		return profile_stack(
			t->stacks->profile, root, stacks_truncated_as(t->stacks, "waited-before"));
	if (end == USER_STACK_FOREIGN)
		return profile_stack(
			t->stacks->profile, root, stacks_truncated_as(t->stacks, "32-bit-code"));
	if (!end || end >= UNWIND_ENDS)
		return root;
	return profile_stack(
		t->stacks->profile, root, stacks_truncated(t->stacks, (enum unwind_end)end));
}

/* List the chunks of a stack from the innermost outwards, up to one whose stack is known. False:
 * one is missing. */
static bool find_path(struct chunk_table *t, stack_id root, uint32_t chunk, stack_id *ret_stack)
{
	uint64_t parent = chunk;
	const struct chunk_row *known;
	size_t at;

	t->path.len = 0;
	while (!(parent & CHUNK_ROOT)) {
		uint32_t number = (uint32_t)parent, row = find(t, root, number, &at);

		if (row) {
			*ret_stack = t->known.items[row].stack;
			return true;
		}
		known = row_of(t, number);
		if (!known)
			return false;
		vector_push(&t->path, number);
		parent = known->parent;
	}
	*ret_stack = begin(t, root, parent);
	return true;
}

bool chunk_table_has(const struct chunk_table *t, uint32_t chunk)
{
	const struct chunk_row *row;

	for (uint64_t parent = chunk; parent && !(parent & CHUNK_ROOT); parent = row->parent)
		if (!(row = row_of(t, (uint32_t)parent)))
			return false;
	return true;
}

bool chunk_table_stack(struct chunk_table *t, stack_id root, uint32_t chunk, stack_id *ret_stack)
{
	struct chunk_row *last = chunk ? row_of(t, chunk) : NULL;
	stack_id stack = root;
	size_t at;

	if (last && last->last_root == root && root) {
		*ret_stack = last->last_stack;
		return true;
	}
	if (chunk && !find_path(t, root, chunk, &stack))
		return false;
	while (chunk && t->path.len) {
		uint32_t number = t->path.items[--t->path.len];
		const struct chunk_row *row = row_of(t, number);

		for (uint32_t i = 0; row && i < row->count; i++)
			stack = profile_stack(t->stacks->profile, stack, row->places[i]);
		find(t, root, number, &at);
		id_map_insert_at(&t->by_chunk, hash_pair(root, number), at, (uint32_t)t->known.len);
		vector_push(&t->known, ((struct chunk_stack){root, number, stack}));
	}
	if (last) {
		last->last_root = root;
		last->last_stack = stack;
	}
	*ret_stack = stack;
	return true;
}

bool chunk_table_end(
	const struct chunk_table *t, uint32_t chunk, unsigned *ret_end, bool *ret_guessed)
{
	uint64_t root = chunk < t->rows.len ? t->rows.items[chunk].root : 0;

	*ret_end = root >> CHUNK_END_SHIFT & 0xff;
	*ret_guessed = root & CHUNK_GUESSED;
	return (uint32_t)root && *ret_end != CHUNK_END_EARLY;
}

bool chunk_table_idle(const struct chunk_table *t, uint32_t chunk)
{
	const struct chunk_row *row = row_of(t, chunk);

	return !row || !row->work;
}

stack_id chunk_table_root(struct chunk_table *t, thread_id thread)
{
	while (t->roots.len <= thread)
		vector_push(&t->roots, 0);
	if (!t->roots.items[thread])
		t->roots.items[thread] = stacks_root(t->stacks, thread);
	return t->roots.items[thread];
}
