/* deferred_paths.c: which stacks do paths become that were set aside to be sorted? */
#include "readers/stacks/deferred_paths.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK	   ((size_t)1 << 20) /* steps: several large pages of them */
#define BLOCK	   ((size_t)1 << 11) /* steps of one part, one path after the other */
#define FEW	   48u		     /* paths that are sorted by insertion */
#define THREAD_MIN 4096u	     /* paths that are worth a thread */
#define SOON	   16u		     /* paths from here, which are fetched into the cache */
#define LINE	   16u		     /* steps in a line of the cache */

/* ---- Setting aside ---- */

struct deferred_paths *deferred_paths_new(size_t expected)
{
	struct deferred_paths *w = memory_new(1, sizeof(*w));
	size_t each = expected / DEFERRED_PARTS;

	for (size_t i = 0; i < DEFERRED_PARTS; i++)
		vector_reserve(&w->parts[i].paths, each + each / 8);
	return w;
}

void deferred_paths_free(struct deferred_paths *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < DEFERRED_PARTS; i++)
		vector_release(&w->parts[i].paths);
	for (size_t i = 0; i < w->chunks.len; i++)
		memory_free(w->chunks.items[i]);
	vector_release(&w->chunks);
	memory_free(w);
}

/* So many steps of a chunk. What does not fit into one has a chunk of its own. */
static location_id *take_steps(struct deferred_paths *w, size_t count)
{
	size_t chunk = count > CHUNK ? count : CHUNK;

	if (w->left < count) {
		vector_push(&w->chunks, memory_resize(NULL, chunk, sizeof(location_id)));
		w->left = chunk;
	}
	w->left -= count;
	return w->chunks.items[w->chunks.len - 1] + w->left;
}

static location_id *room_for(struct deferred_paths *w, struct deferred_part *part, size_t count)
{
	if (count > BLOCK)
		return take_steps(w, count);
	if (part->left < count) {
		part->room = take_steps(w, BLOCK);
		part->left = BLOCK;
	}
	part->room += count;
	part->left -= count;
	return part->room - count;
}

void deferred_paths_add(struct deferred_paths *w, stack_id behind, uint32_t level, struct path path)
{
	/* Either it shares more with the path before than the tree has, or the tree has more. */
	uint32_t shared = path.level > level ? path.level - level : 0;
	uint32_t known = level > path.level ? level - path.level : 0;
	uint32_t count = shared + path.count - known;
	struct deferred_part *part = &w->parts[hash_pair(behind, 0) >> 32 & (DEFERRED_PARTS - 1)];
	location_id *steps = NULL;

	if (count) {
		steps = room_for(w, part, count);
		if (shared)
			memcpy(steps, w->last, shared * sizeof(*steps));
		if (path.count > known)
			memcpy(steps + shared, path.locations + known,
				(path.count - known) * sizeof(*steps));
	}
	vector_push(&part->paths, ((struct deferred_path){steps, count, w->count++, behind}));
	w->last = steps;
}

/* ---- Pieces of work ---- */

struct settling {
	struct profile *profile;
	struct piece {
		const struct deferred_path *paths;
		/* Keys are first the stacks that paths are behind, then the steps that a path,
		 * when all are in order, shares with the one before it. */
		struct sort_key *order;
		size_t count;
		size_t rows;	/* that they take */
		stack_id start; /* the first row; 0: there is no room */
	} pieces[DEFERRED_PARTS];
	stack_id *stacks; /* of each path */
};

static const struct deferred_path *path_at(const struct piece *p, const struct sort_key *key)
{
	return &p->paths[key->row];
}

/* Paths are anywhere in their part's memory. */
static void fetch(const struct piece *p, const struct sort_key *key)
{
	const struct sort_key *end = p->order + p->count;
	const struct deferred_path *path;

	if (end - key > 2 * SOON)
		__builtin_prefetch(path_at(p, key + 2 * SOON));
	if (end - key > SOON) {
		path = path_at(p, key + SOON);
		__builtin_prefetch(path->steps);
		if (path->count > LINE)
			__builtin_prefetch(path->steps + LINE);
	}
}

/* ---- In order ---- */

/* Paths that share `depth` steps. */
struct range {
	struct sort_key *keys;
	size_t count;
	uint32_t depth;
};
struct ranges {
	VECTOR(struct range) left;
};

/* How many steps do they share, that share `depth`? */
static uint32_t common_steps(
	const struct deferred_path *a, const struct deferred_path *b, uint32_t depth)
{
	uint32_t end = a->count < b->count ? a->count : b->count;

	while (depth < end && a->steps[depth] == b->steps[depth])
		depth++;
	return depth;
}

/* 0: it ends here. */
static uint32_t key_of(const struct deferred_path *path, uint32_t depth)
{
	return depth < path->count ? path->steps[depth] + 1 : 0;
}

/* Both have their key at `depth`. */
static bool is_before(
	const struct piece *p, const struct sort_key *a, const struct sort_key *b, uint32_t depth)
{
	const struct deferred_path *left, *right;

	if (a->key != b->key || !a->key)
		return a->key < b->key;
	left = path_at(p, a);
	right = path_at(p, b);
	depth = common_steps(left, right, depth + 1);
	return key_of(left, depth) < key_of(right, depth);
}

static void sort_few(const struct piece *p, const struct range *r)
{
	for (size_t i = 1; i < r->count; i++) {
		struct sort_key key = r->keys[i];
		size_t to = i;

		for (; to && is_before(p, &key, &r->keys[to - 1], r->depth); to--)
			r->keys[to] = r->keys[to - 1];
		r->keys[to] = key;
	}
}

/* Those with the same key share a step more. */
static void push_equal(struct ranges *ranges, const struct range *r)
{
	for (size_t first = 0, next; first < r->count; first = next) {
		for (next = first + 1; next < r->count; next++)
			if (r->keys[next].key != r->keys[first].key)
				break;
		if (next - first > 1 && r->keys[first].key)
			vector_push(&ranges->left,
				((struct range){r->keys + first, next - first, r->depth + 1}));
	}
}

/* By insertion, or by radix, which takes a time in proportion to the steps whatever they are. */
static void sort_ranges(const struct piece *p, struct ranges *ranges)
{
	while (ranges->left.len) {
		struct range r = ranges->left.items[--ranges->left.len];

		for (size_t i = 0; r.depth && i < r.count; i++)
			r.keys[i].key = key_of(path_at(p, &r.keys[i]), r.depth);
		if (r.count <= FEW) {
			sort_few(p, &r);
			continue;
		}
		sort_keys(r.keys, r.count);
		push_equal(ranges, &r);
	}
}

/* How many steps each shares with the one before it; returns how many they do not share. */
static size_t count_steps(const struct piece *p, const struct range *group)
{
	const struct deferred_path *before = NULL;
	size_t rows = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct deferred_path *path = path_at(p, &group->keys[i]);
		uint32_t shared = before ? common_steps(before, path, 0) : 0;

		group->keys[i].key = shared;
		rows += path->count - shared;
		before = path;
	}
	return rows;
}

static void sort_piece(void *context, size_t i)
{
	struct settling *s = context;
	struct piece *p = &s->pieces[i];
	struct sort_key *key, *end;
	struct ranges ranges = {0};

	p->order = memory_new(p->count, sizeof(*p->order));
	for (size_t k = 0; k < p->count; k++)
		p->order[k] = (struct sort_key){p->paths[k].behind, (uint32_t)k};
	sort_keys(p->order, p->count);
	for (key = p->order, end = key + p->count; key < end;) {
		struct range group = {.keys = key};
		uint32_t behind = key->key;

		for (; key < end && key->key == behind; key++) {
			fetch(p, key);
			key->key = key_of(path_at(p, key), 0);
		}
		group.count = (size_t)(key - group.keys);
		vector_push(&ranges.left, group);
		sort_ranges(p, &ranges);
		p->rows += count_steps(p, &group);
	}
	vector_release(&ranges.left);
}

/* ---- Rows ---- */

static void make_room(struct settling *s)
{
	struct profile *profile = s->profile;
	size_t start = profile->stack_caller.len, rows;

	for (size_t i = 0; i < DEFERRED_PARTS; i++) {
		struct piece *p = &s->pieces[i];

		profile->full |= p->rows > PROFILE_ROWS_LIMIT - start;
		p->start = profile->full ? 0 : (stack_id)start;
		start += profile->full ? 0 : p->rows;
	}
	rows = start - profile->stack_caller.len;
	vector_reserve(&profile->stack_caller, rows);
	vector_reserve(&profile->stack_location, rows);
	profile->stack_caller.len = profile->stack_location.len = start;
}

struct levels {
	VECTOR(stack_id) stacks; /* of the path before, by its steps */
};

/* The rows from `row` on; returns the stack at the path's end. */
static stack_id add_path(struct profile *profile, const struct deferred_path *path, uint32_t shared,
	struct levels *levels, stack_id row)
{
	uint32_t more = path->count - shared;
	stack_id behind = shared ? levels->stacks.items[shared - 1] : path->behind;
	stack_id *callers = profile->stack_caller.items + row, *stacks;

	if (!more)
		return behind;
	memcpy(profile->stack_location.items + row, path->steps + shared,
		more * sizeof(location_id));
	levels->stacks.len = shared;
	vector_reserve(&levels->stacks, more);
	stacks = levels->stacks.items + shared;
	for (uint32_t i = 0; i < more; i++)
		stacks[i] = row + i;
	callers[0] = behind;
	for (uint32_t i = 1; i < more; i++)
		callers[i] = row + i - 1;
	return row + more - 1;
}

static void add_piece(void *context, size_t i)
{
	struct settling *s = context;
	const struct piece *p = &s->pieces[i];
	struct levels levels = {0};
	stack_id row = p->start;

	for (const struct sort_key *key = p->order; key < p->order + p->count; key++) {
		const struct deferred_path *path = path_at(p, key);

		fetch(p, key);
		s->stacks[path->number] =
			p->start ? add_path(s->profile, path, key->key, &levels, row) : 0;
		row += path->count - key->key;
	}
	vector_release(&levels.stacks);
	memory_free(p->order);
}

void deferred_paths_settle(
	const struct deferred_paths *w, struct profile *profile, stack_id *ret_stacks)
{
	struct settling s = {.profile = profile, .stacks = ret_stacks};
	unsigned threads = parallel_thread_count(w->count / THREAD_MIN);

	for (size_t i = 0; i < DEFERRED_PARTS; i++) {
		s.pieces[i].paths = w->parts[i].paths.items;
		s.pieces[i].count = w->parts[i].paths.len;
	}
	parallel_run(threads, 1, DEFERRED_PARTS, sort_piece, &s);
	make_room(&s);
	parallel_run(threads, 1, DEFERRED_PARTS, add_piece, &s);
}
