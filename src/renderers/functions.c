/* functions.c: which functions cost most, themselves and with everything they call?
 *
 * One walk over the tree, depth first. A function that calls itself is on the path several
 * times; its total is counted only at the outermost occurrence (open[frame] counts occurrences
 * on the path), otherwise it could exceed 100%. Only branches with values are walked. */
#include "renderers/functions.h"

#include "renderers/walk.h"

#include <stdlib.h>

/* ---- Counting ---- */

struct counting {
	const struct tree *tree;
	const struct sides *sides;
	struct function_row *rows; /* by frame */
	uint32_t *open;		   /* how often each frame is on the current path */
};

static void enter(void *context, node_id node, size_t depth)
{
	struct counting *c = context;
	frame_id frame = c->tree->frame.items[node];
	bool outermost = !c->open[frame]++; /* count recursion once */

	(void)depth;
	for (size_t side = 0; side < c->sides->count; side++) {
		c->rows[frame].self[side] += c->sides->self[side][node];
		if (outermost)
			c->rows[frame].total[side] += c->sides->total[side][node];
	}
}

static void leave(void *context, node_id node)
{
	struct counting *c = context;

	c->open[c->tree->frame.items[node]]--;
}

/* Nodes with a value in them or below; the caller frees the array. For a short time range these
 * are few. A node's total does not tell, because positive and negative values may cancel out. */
static node_id *find_nodes(const struct tree *tree, const struct sides *sides, size_t *ret_count)
{
	size_t nodes = tree->caller.len, count = 0;
	bool *any = memory_new(nodes, sizeof(*any));
	node_id *found = memory_resize(NULL, nodes, sizeof(*found));

	for (size_t i = nodes; i-- > 1;) {
		for (size_t side = 0; side < sides->count; side++)
			any[i] |= sides->self[side][i] != 0;
		any[tree->caller.items[i]] |= any[i];
	}
	for (size_t i = 1; i < nodes; i++)
		if (any[i])
			found[count++] = (node_id)i;
	memory_free(any);
	*ret_count = count;
	return found;
}

static void count_functions(const struct view *v, struct functions *functions)
{
	size_t frames = view_frame_count(v), count;
	struct counting c = {.tree = &v->tree, .sides = &functions->sides};
	struct walk walk;
	node_id *nodes;

	sides_init(&functions->sides, v);
	c.rows = functions->rows = memory_new(frames, sizeof(*c.rows));
	c.open = memory_new(frames, sizeof(*c.open));
	nodes = find_nodes(&v->tree, c.sides, &count);
	walk_init(&walk, &v->tree, nodes, count);
	walk_visit(&walk, &(struct walk_visitor){enter, leave, &c});
	walk_release(&walk);
	memory_free(nodes);
	for (size_t side = 0; side < c.sides->count; side++) /* samples without a stack */
		c.rows[0].self[side] = c.rows[0].total[side] = c.sides->self[side][0];
	memory_free(c.open);
}

/* A thread or command is not a function; it is listed only if samples end in it. */
static bool is_listed(const struct view *v, const struct function_row *row, frame_id frame)
{
	bool self = row->self[0] || row->self[1], total = row->total[0] || row->total[1];

	if (v->comparison.widths == WIDTHS_GONE && row->total[1])
		return false;
	if (!frame || view_frame_at(v, frame).kind == FRAME_META)
		return self;
	return self || total;
}

struct bytes function_name(const struct view *v, frame_id frame)
{
	return frame ? view_function(v, frame) : BYTES("[no stack]");
}

/* ---- Equal names ---- */

struct named {
	struct bytes name, module;
	size_t index;
};

static int named_compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = bytes_compare(x->name, y->name);

	return order ? order : bytes_compare(x->module, y->module);
}

void frames_find_alike(const struct view *v, const frame_id *frames, size_t count, bool *ret_alike)
{
	struct named *named = memory_new(count + 1, sizeof(*named));

	for (size_t i = 0; i < count; i++) {
		named[i] = (struct named){function_name(v, frames[i]),
			view_text(v, view_frame_at(v, frames[i]).module), i};
		ret_alike[i] = false;
	}
	if (count)
		qsort(named, count, sizeof(*named), named_compare);
	for (size_t i = 1; i < count; i++)
		if (!named_compare(&named[i - 1], &named[i]))
			ret_alike[named[i - 1].index] = ret_alike[named[i].index] = true;
	memory_free(named);
}

/* ---- Order ---- */

struct order {
	const struct view *view;
	const struct sides *sides;
	enum function_sort sort;
	bool by_change;
};

/* Reversed if all values are negative. */
static int by_number(const struct order *order, const int64_t *a, const int64_t *b)
{
	size_t shown = sides_shown(order->sides);
	int64_t x = a[shown], y = b[shown];

	if (order->by_change) {
		x = sides_change(order->sides, a[0], a[1]);
		y = sides_change(order->sides, b[0], b[1]);
		x = x < 0 ? -x : x;
		y = y < 0 ? -y : y;
	} else if (order->sides->total[0][shown] < 0) {
		return (x > y) - (x < y);
	}
	return (x < y) - (x > y);
}

static int by_name(
	const struct order *order, const struct function_row *x, const struct function_row *y)
{
	return bytes_compare(
		function_name(order->view, x->frame), function_name(order->view, y->frame));
}

/* Names are far away in memory: compared only if numbers are equal. */
static int compare(const void *a, const void *b, void *context)
{
	const struct function_row *x = a, *y = b;
	const struct order *order = context;
	int self = by_number(order, x->self, y->self);
	int total = by_number(order, x->total, y->total);
	int name = order->sort == SORT_BY_NAME || !(self || total) ? by_name(order, x, y) : 0;

	if (order->sort == SORT_BY_NAME && name)
		return name;
	if (order->sort == SORT_BY_TOTAL && total)
		return total;
	if (self || total)
		return self ? self : total;
	return name ? name : (x->frame > y->frame) - (x->frame < y->frame);
}

void functions_init(
	struct functions *functions, const struct view *v, enum function_sort sort, bool by_change)
{
	size_t frames = view_frame_count(v);
	struct order order = {v, &functions->sides, sort, by_change};

	*functions = (struct functions){0};
	count_functions(v, functions);
	order.by_change &= functions->sides.count == 2;
	for (size_t i = 0; i < frames; i++) {
		if (!is_listed(v, &functions->rows[i], (frame_id)i))
			continue;
		functions->rows[functions->count] = functions->rows[i];
		functions->rows[functions->count++].frame = (frame_id)i;
	}
	qsort_r(functions->rows, functions->count, sizeof(*functions->rows), compare, &order);
}

void functions_release(struct functions *functions)
{
	memory_free(functions->rows);
	sides_release(&functions->sides);
	*functions = (struct functions){0};
}
