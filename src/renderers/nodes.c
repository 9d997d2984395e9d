/* nodes.c: the call tree as columns, in preorder, from which a page draws flame graphs; for two
 * sides the values of both, and how much they changed. */
#include "base/units.h"
#include "model/sides.h"
#include "renderers/colour.h"
#include "renderers/column_frames.h"
#include "renderers/preorder.h"
#include "renderers/renderers.h"
#include "renderers/small_frames.h"

#include <math.h>
#include <stdlib.h>

#define NODES_LIMIT UINT64_C(4000000) /* by default; from here on small frames are merged */
#define SMALL_SHARE 1e-4	      /* of the whole: a quarter of a pixel at a width of 2,500 */

struct nodes_settings {
	int order; /* enum sibling_order */
	double min;
	uint64_t max;
	uint64_t open; /* a node_id */
};

static const char *const orders[] = {"name", "weight", NULL};

static const struct option nodes_options[] = {
	{.name = "order",
		.argument = "BY",
		.help = "order of callees: by name (default) or weight",
		.set = option_choice,
		.offset = offsetof(struct nodes_settings, order),
		.choices = orders},
	{.name = "least",
		.argument = "SHARE",
		.help = "merge frames below this share of the total (0)",
		.set = option_double,
		.offset = offsetof(struct nodes_settings, min)},
	{.name = "most",
		.argument = "N",
		.help = "above this number of frames, merge those below a ten-thousandth of the "
			"total (4000000)",
		.set = option_u64,
		.offset = offsetof(struct nodes_settings, max)},
	{.name = "open",
		.argument = "NODE",
		.help = "shares below this node are relative to it: a number from the column node",
		.set = option_u64,
		.offset = offsetof(struct nodes_settings, open)},
	{0},
};

static void nodes_defaults(void *settings)
{
	*(struct nodes_settings *)settings = (struct nodes_settings){.max = NODES_LIMIT};
}

/* The columns: a row for each node with a value. */
struct nodes {
	struct view view; /* the caller's view, with a tree of its own if small frames are merged */
	struct small_frames small; /* without a tree: none are merged */
	struct preorder rows;
	struct sides sides;
	const int64_t *total; /* of every node of the view: its width */
	int64_t *both[2];     /* self and total of both sides together; NULL: one side */
	double *own[2], *whole[2];
	uint8_t *change[2]; /* of self and of total, see change_step; for two sides */
	uint32_t *frame, *small_count, *node;
	struct column_frames frames;
};

/* ---- Values ---- */

static bool check_values(const struct nodes *n, struct error *err)
{
	for (size_t side = 0; side < n->sides.count; side++)
		for (size_t i = 0; i < n->view.tree.caller.len; i++)
			if (n->sides.self[side][i] < 0)
				return error_set(err, ERR_UNSUPPORTED,
					"a value is negative and cannot be drawn: choose another "
					"--kind");
	return true;
}

/* A node is as wide as both sides together, with before scaled. */
static int64_t both(const struct sides *s, int64_t before, int64_t after)
{
	int64_t compared = -sides_change(s, before, 0);

	return after + (before && !compared ? 1 : compared);
}

static bool find_values(struct nodes *n, struct error *err)
{
	const struct view *v = &n->view;
	size_t nodes = v->tree.caller.len;

	sides_init(&n->sides, v);
	if (!check_values(n, err))
		return false;
	n->total = n->sides.total[0];
	if (n->sides.count == 1)
		return true;
	n->both[0] = memory_new(nodes, sizeof(**n->both));
	n->total = n->both[1] = memory_new(nodes, sizeof(**n->both));
	if (v->comparison.widths == WIDTHS_GONE) {
		sides_gone(&n->sides, &v->tree, n->both[0], n->both[1]);
		return true;
	}
	for (size_t i = 0; i < nodes; i++)
		n->both[0][i] = both(&n->sides, n->sides.self[0][i], n->sides.self[1][i]);
	tree_totals(&v->tree, n->both[0], n->both[1]);
	return true;
}

/* The colour of a change, from 0 (a fifth less, or beyond) over 127 (no change, or noise) to
 * 254. */
static uint8_t change_step(const struct sides *s, int64_t before, int64_t after)
{
	double share = sides_ratio(s, before, after) / COLOUR_RATIO_FULL;

	return (uint8_t)(127 + lrint(fmax(-1, fmin(1, share)) * 127));
}

/* ---- Small frames ---- */

static double small_share(const struct nodes *n, const struct nodes_settings *s)
{
	uint64_t count = 0;

	if (s->min > 0)
		return s->min;
	for (size_t i = 0; i < n->view.tree.caller.len; i++)
		count += n->total[i] > 0;
	return count > s->max ? SMALL_SHARE : 0;
}

static void sum_up(const struct nodes *n, size_t nodes, int64_t **self, int64_t **total)
{
	int64_t *sums = small_frames_sum(&n->small, nodes, *self);

	memory_free(*self);
	*self = sums;
	memory_free(*total);
	*total = memory_new(n->small.tree.caller.len, sizeof(**total));
	tree_totals(&n->small.tree, *self, *total);
}

/* From here on, the tree is the one with small frames merged. */
static void merge_small(struct nodes *n, const struct nodes_settings *s)
{
	const struct small_rule rule = {small_share(n, s), (node_id)s->open};
	size_t nodes = n->view.tree.caller.len;

	if (rule.share <= 0)
		return;
	small_frames_merge(&n->small, &n->view.tree, n->total, &rule);
	for (size_t side = 0; side < n->sides.count; side++)
		sum_up(n, nodes, &n->sides.self[side], &n->sides.total[side]);
	if (n->both[0])
		sum_up(n, nodes, &n->both[0], &n->both[1]);
	n->total = n->both[0] ? n->both[1] : n->sides.total[0];
	n->view.tree = n->small.tree;
}

/* "1,234 small frames" */
static uint32_t small_frame(struct nodes *n, uint32_t count)
{
	units_grouped(&n->frames.bytes, count);
	buffer_text(&n->frames.bytes, " small frames");
	return column_frame_made(&n->frames);
}

/* "all", which is not code. */
static uint32_t root_frame(struct nodes *n)
{
	buffer_text(&n->frames.bytes, "all");
	return column_frame_made(&n->frames);
}

static void set_small(struct nodes *n, size_t row, node_id node)
{
	n->node[row] = n->small.from.items[node];
	n->small_count[row] = n->small.count.items[node];
	if (n->small_count[row])
		n->frame[row] = small_frame(n, n->small_count[row]);
}

/* ---- Rows ---- */

static void make_rows(struct nodes *n)
{
	size_t count = n->rows.count;

	for (size_t side = 0; side < n->sides.count; side++) {
		n->whole[side] = memory_new(count, sizeof(**n->whole));
		if (n->sides.count == 1)
			continue;
		n->own[side] = memory_new(count, sizeof(**n->own));
		n->change[side] = memory_new(count, sizeof(**n->change));
	}
	n->frame = memory_new(count, sizeof(*n->frame));
	if (n->small.map) {
		n->small_count = memory_new(count, sizeof(*n->small_count));
		n->node = memory_new(count, sizeof(*n->node));
	}
	column_frames_init(&n->frames, &n->view);
}

static void fill_changes(struct nodes *n, size_t row, node_id node)
{
	const struct sides *s = &n->sides;

	for (size_t side = 0; side < s->count; side++)
		n->own[side][row] = (double)s->self[side][node];
	n->change[0][row] = change_step(s, s->self[0][node], s->self[1][node]);
	n->change[1][row] = change_step(s, s->total[0][node], s->total[1][node]);
}

static void fill_rows(struct nodes *n)
{
	for (size_t i = 0; i < n->rows.count; i++) {
		node_id node = n->rows.node[i];

		for (size_t side = 0; side < n->sides.count; side++)
			n->whole[side][i] = (double)n->sides.total[side][node];
		if (n->sides.count == 2)
			fill_changes(n, i, node);
		n->frame[i] = i ? column_frame(&n->frames, n->view.tree.frame.items[node])
				: root_frame(n);
		if (n->small.map)
			set_small(n, i, node);
	}
}

/* ---- Writing ---- */

static void write_before(const struct nodes *n, struct columns *c)
{
	size_t count = n->rows.count;

	columns_number(c, "before_total", n->sides.whole[0]);
	columns_number(c, "noise", n->sides.noise);
	buffer_printf(&c->header, ",\"scale\":%.17g", n->sides.scale);
	columns_text(c, "before", profile_meta(n->view.profile, BYTES("before")));
	columns_text(c, "after", profile_meta(n->view.profile, BYTES("after")));
	columns_add(c, "self", "f64", n->own[1], count);
	columns_add(c, "before_total", "f64", n->whole[0], count);
	columns_add(c, "before_self", "f64", n->own[0], count);
	columns_add(c, "change_total", "u8", n->change[1], count);
	columns_add(c, "change_self", "u8", n->change[0], count);
}

static void write_nodes(const struct nodes *n, struct output *out)
{
	size_t count = n->rows.count;
	struct bytes unit = view_text(&n->view, view_stream(&n->view)->unit);
	size_t shown = sides_shown(&n->sides);
	struct columns c = {0};

	columns_number(&c, "total", n->sides.whole[shown]);
	columns_number(&c, "small", (int64_t)n->small.frames);
	columns_number(&c, "nodes", (int64_t)count);
	columns_number(&c, "depth", n->rows.deepest);
	columns_number(&c, "decimals", units_decimals(unit));
	columns_text(&c, "unit", units_base(unit));
	columns_add(&c, "total", "f64", n->whole[shown], count);
	if (shown)
		write_before(n, &c);
	columns_add(&c, "frame", "u32", n->frame, count);
	columns_add(&c, "depth", "u32", n->rows.depth, count);
	if (n->small.map) {
		columns_add(&c, "small", "u32", n->small_count, count);
		columns_add(&c, "node", "u32", n->node, count);
	}
	columns_add_frames(&c, &n->frames);
	columns_write(&c, out);
}

static void nodes_release(struct nodes *n)
{
	for (size_t side = 0; side < 2; side++) {
		memory_free(n->own[side]);
		memory_free(n->whole[side]);
		memory_free(n->change[side]);
		memory_free(n->both[side]);
	}
	sides_release(&n->sides);
	small_frames_release(&n->small);
	memory_free(n->small_count);
	memory_free(n->node);
	preorder_release(&n->rows);
	memory_free(n->frame);
	column_frames_release(&n->frames);
}

static bool check_settings(const struct nodes_settings *s, const struct view *v, struct error *err)
{
	size_t nodes = v->tree.caller.len;

	if (!(s->min >= 0 && s->min < 1))
		return error_set(
			err, ERR_USAGE, "expected a share from 0 to below 1, got %g", s->min);
	return s->open < nodes ||
	       error_set(err, ERR_USAGE, "--open: expected a node below %zu, got %llu", nodes,
		       (unsigned long long)s->open);
}

static bool nodes_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct nodes_settings *s = settings;
	struct nodes n = {.view = *v};
	bool done = check_settings(s, v, err) && find_values(&n, err);

	if (done) {
		merge_small(&n, s);
		preorder_build(&n.rows, &n.view, n.total, (enum sibling_order)s->order, 1);
		make_rows(&n);
		fill_rows(&n);
		write_nodes(&n, out);
	}
	nodes_release(&n);
	return done;
}

const struct renderer renderer_nodes = {
	.name = "nodes",
	.media_type = MEDIA_BINARY,
	.about = "the call tree as columns in preorder, for `kiln view` and other programs",
	.options = nodes_options,
	.settings_size = sizeof(struct nodes_settings),
	.defaults = nodes_defaults,
	.render = nodes_render,
};
