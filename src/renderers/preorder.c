/* preorder.c: in which order are the nodes of a call tree drawn?
 *
 * The problem: millions of nodes, siblings sorted by name or weight, callers first. Sorting each
 * node's callees separately would be millions of small sorts with comparisons of names. Instead all
 * nodes are sorted at once, by counting and radix: names are ranked once per distinct frame, nodes
 * are sorted by rank (and then stably by weight), and a counting sort by caller groups them without
 * disturbing that order (group_callees). Subtree sizes (one backward sweep) then tell where each
 * node goes: a callee's position is its caller's plus one plus the sizes of the siblings before it
 * (place_callees, one forward sweep). Everything is linear, and nothing recurses.
 *
 * Arrays are reused and written once where possible, because the first touch of memory takes
 * longer than the sorting. `bench/draw_folded.sh` measures it. */
#include "renderers/preorder.h"

#include <stdlib.h>

void preorder_release(struct preorder *p)
{
	memory_free(p->node);
	memory_free(p->depth);
	*p = (struct preorder){0};
}

/* ---- The order of names ---- */

struct ranked_frame {
	struct bytes function, module;
	frame_id id;
};

static int ranked_frame_compare(const void *a, const void *b)
{
	const struct ranked_frame *x = a, *y = b;
	int order = bytes_compare(x->function, y->function);

	if (!order)
		order = bytes_compare(x->module, y->module);
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* The distinct frames of `nodes`, sorted by name. Only frames that are drawn are compared; a
 * large profile has many more. `seen`: zeroes, one for every frame of the view. */
static size_t sort_frames(const struct view *v, const node_id *nodes, size_t count,
	struct ranked_frame **ret_frames, uint32_t *seen)
{
	VECTOR(struct ranked_frame) frames = {0};

	for (size_t i = 0; i < count; i++) {
		frame_id id = v->tree.frame.items[nodes[i]];
		struct frame frame;

		if (seen[id])
			continue;
		frame = view_frame_at(v, id);
		vector_push(&frames, ((struct ranked_frame){view_text(v, frame.function),
					     view_text(v, frame.module), id}));
		seen[id] = 1;
	}
	qsort(frames.items, frames.len, sizeof(*frames.items), ranked_frame_compare);
	*ret_frames = frames.items;
	return frames.len;
}

/* For each of `nodes` the rank of its frame's name, in `rank`; returns the number of ranks. */
static size_t rank_nodes(const struct view *v, const node_id *nodes, size_t count, uint32_t *rank)
{
	uint32_t *of_frame = memory_new(view_frame_count(v), sizeof(*of_frame));
	struct ranked_frame *frames;
	size_t distinct = sort_frames(v, nodes, count, &frames, of_frame);

	for (size_t i = 0; i < distinct; i++)
		of_frame[frames[i].id] = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		rank[i] = of_frame[v->tree.frame.items[nodes[i]]];
	memory_free(frames);
	memory_free(of_frame);
	return distinct;
}

/* ---- Which nodes are drawn ---- */

/* The nodes that are drawn, callers first; [0] is the root. From here on, nodes are indices into
 * these arrays. */
struct wide {
	VECTOR(node_id) nodes;
	VECTOR(uint32_t) parent;
};

static void keep_wide(struct wide *wide, const struct tree *tree, const int64_t *total, int64_t min)
{
	size_t count = tree->caller.len;
	uint32_t *index = memory_new(count, sizeof(*index)); /* index in `wide` of a node, plus 1 */

	vector_push(&wide->nodes, 0);
	vector_push(&wide->parent, 0);
	index[0] = 1;
	for (node_id node = 1; node < count; node++) {
		uint32_t caller;

		if (total[node] < min)
			continue;
		caller = index[tree->caller.items[node]];
		if (!caller)
			continue;
		vector_push(&wide->nodes, node);
		vector_push(&wide->parent, caller - 1);
		index[node] = (uint32_t)wide->nodes.len;
	}
	memory_free(index);
}

/* ---- Sorting ---- */

/* Where the items of each key begin when sorted by key; an array of keys + 1, freed by the
 * caller. */
static uint32_t *count_keys(const uint32_t *key, size_t count, size_t keys)
{
	uint32_t *place = memory_new(keys + 1, sizeof(*place));

	for (size_t i = 0; i < count; i++)
		place[key[i] + 1]++;
	for (size_t i = 0; i < keys; i++)
		place[i + 1] += place[i];
	return place;
}

/* Nodes sorted by the ranks of their names, freed by the caller; `key` is scratch memory for a
 * number each. */
static uint32_t *sort_by_name(const struct wide *wide, const struct view *v, uint32_t *key)
{
	size_t count = wide->nodes.len;
	size_t ranks = rank_nodes(v, wide->nodes.items, count, key);
	uint32_t *place = count_keys(key, count, ranks);
	uint32_t *sorted = memory_new(count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[place[key[i]]++] = (uint32_t)i;
	memory_free(place);
	return sorted;
}

#define DIGIT_BITS 11
#define DIGITS	   ((size_t)1 << DIGIT_BITS)

/* One pass of a radix sort, from `order` to `to`; false if all keys have the same digit. */
static bool sort_by_digit(
	const uint32_t *order, uint32_t *to, const uint64_t *key, size_t count, unsigned shift)
{
	size_t place[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		place[key[i] >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t here = place[d];

		if (here == count)
			return false;
		place[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[key[order[i]] >> shift & (DIGITS - 1)]++] = order[i];
	return true;
}

/* Heaviest first; equal weights keep their order. `spare` is scratch memory. */
static void sort_by_weight(
	const struct wide *wide, const int64_t *total, uint32_t **order, uint32_t **spare)
{
	size_t count = wide->nodes.len;
	uint64_t *key = memory_new(count, sizeof(*key)), max = (uint64_t)total[0];

	for (size_t i = 0; i < count; i++)
		key[i] = max - (uint64_t)total[wide->nodes.items[i]];
	for (unsigned shift = 0; shift < 64 && max >> shift; shift += DIGIT_BITS) {
		uint32_t *swap = *order;

		if (!sort_by_digit(*order, *spare, key, count, shift))
			continue;
		*order = *spare;
		*spare = swap;
	}
	memory_free(key);
}

/* ---- Places ---- */

/* The callees of all nodes in one array, grouped by caller and otherwise in `order`; *ret_end
 * has the end of each group. The caller frees both. The root is not a callee. */
static uint32_t *group_callees(const struct wide *wide, const uint32_t *order, uint32_t **ret_end)
{
	size_t count = wide->nodes.len;
	uint32_t *place = count_keys(wide->parent.items + 1, count - 1, count);
	uint32_t *callees = memory_new(count, sizeof(*callees));

	for (size_t i = 0; i < count; i++)
		if (order[i])
			callees[place[wide->parent.items[order[i]]]++] = order[i];
	*ret_end = place;
	return callees;
}

/* The size of every node's subtree, itself included. */
static void count_subtrees(const struct wide *wide, uint32_t *size)
{
	size_t count = wide->nodes.len;

	memset(size, 0, count * sizeof(*size));
	for (size_t i = count; i-- > 1;)
		size[wide->parent.items[i]] += ++size[i];
	size[0]++;
}

/* `size`: of every subtree; `at`: scratch memory for positions. Callers are placed before their
 * callees, because they precede them in `wide`. */
static void place_callees(struct preorder *p, const struct wide *wide, const uint32_t *callees,
	const uint32_t *end, const uint32_t *size, uint32_t *at)
{
	uint32_t next = 0;

	at[0] = 0;
	for (size_t i = 0; i < p->count; i++) {
		uint32_t place = at[i] + 1, depth = p->depth[at[i]] + 1;

		if (next < end[i] && depth > p->deepest)
			p->deepest = depth;
		for (; next < end[i]; next++) {
			uint32_t callee = callees[next];

			at[callee] = place;
			p->node[place] = wide->nodes.items[callee];
			p->depth[place] = depth;
			place += size[callee];
		}
	}
}

void preorder_build(struct preorder *p, const struct view *v, const int64_t *total,
	enum sibling_order order, int64_t min)
{
	struct wide wide = {0};
	uint32_t *sorted, *spare, *callees, *end;

	*p = (struct preorder){0};
	if (total[0] <= 0)
		return;
	keep_wide(&wide, &v->tree, total, min > 1 ? min : 1);
	p->count = wide.nodes.len;
	spare = memory_new(p->count, sizeof(*spare));
	sorted = sort_by_name(&wide, v, spare);
	if (order == SIBLINGS_BY_WEIGHT)
		sort_by_weight(&wide, total, &sorted, &spare);
	callees = group_callees(&wide, sorted, &end);
	count_subtrees(&wide, spare);
	p->node = memory_new(p->count, sizeof(*p->node));
	p->depth = memory_new(p->count, sizeof(*p->depth));
	place_callees(p, &wide, callees, end, spare, sorted);
	memory_free(callees);
	memory_free(end);
	memory_free(sorted);
	memory_free(spare);
	vector_release(&wide.nodes);
	vector_release(&wide.parent);
}
