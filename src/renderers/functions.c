/* functions.c: which functions cost most, in themselves and with all they call? */
#include "renderers/functions.h"

#include "renderers/walk.h"

#include <stdlib.h>

/* ---- Counting ---- */

struct counting {
	const struct tree *tree;
	const int64_t *self, *total;
	struct function_row *rows; /* by frame */
	uint32_t *open;		   /* how often a frame is on the way from the root to here */
};

static void enter(void *context, node_id node, size_t depth)
{
	struct counting *c = context;
	frame_id frame = c->tree->frame.items[node];

	(void)depth;
	c->rows[frame].self += c->self[node];
	if (!c->open[frame]++)
		c->rows[frame].total += c->total[node]; /* recursion counts once */
}

static void leave(void *context, node_id node)
{
	struct counting *c = context;

	c->open[c->tree->frame.items[node]]--;
}

static void count_functions(const struct view *v, struct functions *functions)
{
	size_t nodes = v->tree.caller.len, frames = view_frame_count(v);
	int64_t *self = memory_new(nodes, sizeof(*self));
	int64_t *total = memory_new(nodes, sizeof(*total));
	struct counting c = {.tree = &v->tree, .self = self, .total = total};
	struct walk walk;

	view_self(v, self);
	tree_totals(&v->tree, self, total);
	functions->total = total[0];
	c.rows = functions->rows = memory_new(frames, sizeof(*c.rows));
	c.open = memory_new(frames, sizeof(*c.open));
	walk_init(&walk, &v->tree, NULL, 0);
	walk_visit(&walk, &(struct walk_visitor){enter, leave, &c});
	walk_release(&walk);
	c.rows[0] = (struct function_row){
		.self = self[0], .total = self[0]}; /* samples without a stack */
	free(c.open);
	free(self);
	free(total);
}

/* A thread or a command is no function: it is listed only where samples end in it. */
static bool is_listed(const struct view *v, const struct function_row *row, frame_id frame)
{
	if (!frame || view_frame_at(v, frame).kind == FRAME_META)
		return row->self != 0;
	return row->self || row->total;
}

struct bytes function_name(const struct view *v, frame_id frame)
{
	return frame ? view_function(v, frame) : BYTES("[no stack]");
}

/* ---- Order ---- */

struct order {
	const struct view *view;
	enum function_sort sort;
};

static int by_number(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct function_row *x = a, *y = b;
	const struct order *order = context;
	int self = by_number(x->self, y->self), total = by_number(x->total, y->total);
	int name = bytes_compare(
		function_name(order->view, x->frame), function_name(order->view, y->frame));

	if (order->sort == SORT_BY_NAME && name)
		return name;
	if (order->sort == SORT_BY_TOTAL && total)
		return total;
	if (self || total)
		return self ? self : total;
	return name ? name : (x->frame > y->frame) - (x->frame < y->frame);
}

void functions_init(struct functions *functions, const struct view *v, enum function_sort sort)
{
	size_t frames = view_frame_count(v);
	struct order order = {v, sort};

	*functions = (struct functions){0};
	count_functions(v, functions);
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
	free(functions->rows);
	*functions = (struct functions){0};
}
