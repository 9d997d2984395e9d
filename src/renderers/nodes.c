/* nodes.c: the call tree as columns, in preorder: what a page draws flame graphs from. */
#include "base/units.h"
#include "renderers/columns.h"
#include "renderers/layout.h"
#include "renderers/renderers.h"

#include <math.h>
#include <stdlib.h>

struct nodes_settings {
	int order; /* enum layout_order */
	double least;
};

static const char *const orders[] = {"name", "weight", NULL};

static const struct option nodes_options[] = {
	{.name = "order",
		.argument = "BY",
		.help = "which callees come first: by name (default) or weight",
		.set = option_choice,
		.offset = offsetof(struct nodes_settings, order),
		.choices = orders},
	{.name = "least",
		.argument = "SHARE",
		.help = "leave out what is less than this share of the whole (0)",
		.set = option_double,
		.offset = offsetof(struct nodes_settings, least)},
	{0},
};

/* What the columns are made of: a row for each box of the layout. */
struct nodes {
	const struct view *view;
	struct layout layout;
	int64_t *self, *total; /* of every node of the view */
	double *own, *whole;
	uint32_t *name, *module, *end;
	uint16_t *depth;
	uint8_t *kind;
	uint32_t *string_of; /* of every string id plus one: its number; 0: not used yet */
	VECTOR(uint32_t) string_end;
	struct buffer strings;
};

static uint32_t number_of(struct nodes *n, string_id id)
{
	if (!n->string_of[id]) {
		struct bytes text = view_text(n->view, id);

		buffer_add(&n->strings, text.at, text.len);
		vector_push(&n->string_end, (uint32_t)n->strings.len);
		n->string_of[id] = (uint32_t)n->string_end.len;
	}
	return n->string_of[id] - 1;
}

/* ---- Rows ---- */

static bool find_values(struct nodes *n, struct error *err)
{
	const struct view *v = n->view;
	size_t nodes = v->tree.caller.len;

	n->self = memory_new(nodes, sizeof(*n->self));
	n->total = memory_new(nodes, sizeof(*n->total));
	view_self(v, n->self);
	for (size_t i = 0; i < nodes; i++)
		if (n->self[i] < 0)
			return error_set(err, ERR_UNSUPPORTED,
				"a value is negative, and no box has a width below 0: choose "
				"another --kind");
	tree_totals(&v->tree, n->self, n->total);
	return true;
}

static void make_rows(struct nodes *n)
{
	size_t count = n->layout.boxes.len;

	n->own = memory_new(count, sizeof(*n->own));
	n->whole = memory_new(count, sizeof(*n->whole));
	n->name = memory_new(count, sizeof(*n->name));
	n->module = memory_new(count, sizeof(*n->module));
	n->end = memory_new(count, sizeof(*n->end));
	n->depth = memory_new(count, sizeof(*n->depth));
	n->kind = memory_new(count, sizeof(*n->kind));
	n->string_of =
		memory_new(n->view->profile->string_ends.len + n->view->extra.string_ends.len,
			sizeof(*n->string_of));
}

static void fill_rows(struct nodes *n)
{
	for (size_t i = 0; i < n->layout.boxes.len; i++) {
		const struct box *box = &n->layout.boxes.items[i];
		struct frame frame = view_frame_at(n->view, n->view->tree.frame.items[box->node]);

		n->own[i] = (double)n->self[box->node];
		n->whole[i] = (double)n->total[box->node];
		n->name[i] = number_of(n, frame.function);
		n->module[i] = number_of(n, frame.module);
		n->depth[i] = (uint16_t)(box->depth < UINT16_MAX ? box->depth : UINT16_MAX);
		n->kind[i] = (uint8_t)frame.kind;
		n->end[i] = (uint32_t)i + 1;
	}
	/* Callees stand behind their caller: who comes last of a subtree tells all above where it
	 * ends. */
	for (size_t i = n->layout.boxes.len; i-- > 1;) {
		uint32_t *end = &n->end[n->layout.boxes.items[i].parent];

		*end = n->end[i] > *end ? n->end[i] : *end;
	}
}

/* ---- Writing ---- */

static int64_t left_out(const struct nodes *n)
{
	int64_t shown = 0;

	for (size_t i = 0; i < n->layout.boxes.len; i++)
		shown += n->self[n->layout.boxes.items[i].node];
	return n->total[0] - shown;
}

static void write_kinds(struct columns *c)
{
	buffer_text(&c->header, ",\"kinds\":[");
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		buffer_printf(&c->header, "%s\"%s\"", kind ? "," : "",
			frame_kind_name((enum frame_kind)kind));
	buffer_char(&c->header, ']');
}

static void write_nodes(const struct nodes *n, struct output *out)
{
	size_t count = n->layout.boxes.len;
	struct bytes unit = view_text(n->view, view_stream(n->view)->unit);
	struct columns c = {0};

	columns_number(&c, "total", n->total[0]);
	columns_number(&c, "left_out", left_out(n));
	columns_number(&c, "nodes", (int64_t)count);
	columns_number(&c, "depth", n->layout.depth);
	columns_number(&c, "decimals", units_decimals(unit));
	columns_text(&c, "unit", units_whole(unit));
	write_kinds(&c);
	columns_add(&c, "total", "f64", n->whole, count);
	columns_add(&c, "self", "f64", n->own, count);
	columns_add(&c, "name", "u32", n->name, count);
	columns_add(&c, "module", "u32", n->module, count);
	columns_add(&c, "end", "u32", n->end, count);
	columns_add(&c, "depth", "u16", n->depth, count);
	columns_add(&c, "kind", "u8", n->kind, count);
	columns_add(&c, "string_end", "u32", n->string_end.items, n->string_end.len);
	columns_add(&c, "strings", "u8", n->strings.at, n->strings.len);
	columns_write(&c, out);
}

static void nodes_release(struct nodes *n)
{
	layout_release(&n->layout);
	free(n->self);
	free(n->total);
	free(n->own);
	free(n->whole);
	free(n->name);
	free(n->module);
	free(n->end);
	free(n->depth);
	free(n->kind);
	free(n->string_of);
	vector_release(&n->string_end);
	buffer_release(&n->strings);
}

static bool nodes_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct nodes_settings *s = settings;
	struct nodes n = {.view = v};
	bool done = s->least >= 0 && s->least < 1;

	if (!done)
		error_set(err, ERR_USAGE, "expected a share from 0 to below 1, got %g", s->least);
	done = done && columns_fit(v, err) && find_values(&n, err);
	if (done) {
		double least = ceil((double)n.total[0] * s->least);

		layout_tree(&n.layout, v, n.self, n.total, (enum layout_order)s->order,
			least > 1 ? (int64_t)least : 1);
		make_rows(&n);
		fill_rows(&n);
		write_nodes(&n, out);
	}
	nodes_release(&n);
	return done;
}

const struct renderer renderer_nodes = {
	.name = "nodes",
	.about = "the call tree as columns in preorder, for `kiln view` and other programs",
	.options = nodes_options,
	.settings_size = sizeof(struct nodes_settings),
	.render = nodes_render,
};
