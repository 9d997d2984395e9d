/* folded.c: folded text: one line for each stack, sorted bytewise: `main;parse;read 12`. */
#include "renderers/folded_lines.h"
#include "renderers/renderers.h"
#include "renderers/text_siblings.h"

#include "base/memory.h"
#include "base/units.h"
#include "model/sides.h"

#include <stdlib.h>

/* Suffixes for kinds of frames, because folded text has only names. */
struct folded_settings {
	bool kernel, jit, inlined, all;
};

static const struct option folded_options[] = {
	{.name = "kernel",
		.help = "mark kernel functions with _[k]",
		.set = option_flag,
		.offset = offsetof(struct folded_settings, kernel)},
	{.name = "jit",
		.help = "mark functions of a JIT compiler with _[j]",
		.set = option_flag,
		.offset = offsetof(struct folded_settings, jit)},
	{.name = "inlined",
		.help = "mark inlined functions with _[i]",
		.set = option_flag,
		.offset = offsetof(struct folded_settings, inlined)},
	{.name = "all",
		.help = "all three marks",
		.set = option_flag,
		.offset = offsetof(struct folded_settings, all)},
	{0},
};

/* The call tree that is written. Its nodes have texts instead of frames, because two frames with
 * one name (in two modules, for example) are the same in folded text. */
struct folded {
	const struct view *view;
	const struct folded_settings *settings;
	struct tree tree;
	VECTOR(struct bytes) texts;
	VECTOR(bool) shared; /* of every text: several frames have it */
	bool any_shared;
	uint32_t *text_of_frame; /* plus one; 0: not computed yet */
	struct id_map by_text;
	struct arena made; /* texts that are not strings of the view */
	int64_t *self[2];
	size_t sides;
	unsigned decimals; /* of the values, as the reader of folded text understands them */
	bool *left_out;	   /* of every node of the tree; NULL: none is left out */
	bool normalised;   /* before's values are written as shares of after's total */
	struct sides_share share;
};

/* ---- Texts ---- */

static const char *mark_of(const struct folded_settings *s, uint32_t kind)
{
	switch (kind) {
	case FRAME_GUEST: /* its kernel, as other tools mark it */
	case FRAME_KERNEL:
		return s->kernel || s->all ? "_[k]" : "";
	case FRAME_JIT:
	case FRAME_BASELINE:
		return s->jit || s->all ? "_[j]" : "";
	case FRAME_INLINED:
		return s->inlined || s->all ? "_[i]" : "";
	default:
		return "";
	}
}

static struct bytes frame_text(struct folded *f, frame_id id)
{
	struct frame frame = view_frame_at(f->view, id);
	struct bytes name = view_text(f->view, frame.function);
	struct bytes mark = bytes_of(mark_of(f->settings, frame.kind));
	char *made;

	if (bytes_ends_with(name, mark))
		mark.len = 0;
	if (!mark.len && !(name.len && memchr(name.at, ';', name.len)))
		return name;
	made = arena_alloc(&f->made, name.len + mark.len);
	if (name.len)
		memcpy(made, name.at, name.len);
	memcpy(made + name.len, mark.at, mark.len);
	for (size_t i = 0; i < name.len; i++)
		if (made[i] == ';')
			made[i] = ':';
	return (struct bytes){made, name.len + mark.len};
}

/* Equal texts get equal ids. */
static uint32_t text_id(struct folded *f, frame_id frame)
{
	struct bytes text;
	uint64_t hash;
	size_t at;
	uint32_t id;

	if (f->text_of_frame[frame])
		return f->text_of_frame[frame] - 1;
	text = frame_text(f, frame);
	hash = hash_bytes(text.at, text.len);
	at = id_map_first(&f->by_text, hash);
	while ((id = id_map_candidate(&f->by_text, hash, &at)))
		if (bytes_equal(f->texts.items[id - 1], text))
			break;
	if (id) {
		f->shared.items[id - 1] = f->any_shared = true;
	} else {
		vector_push(&f->texts, text);
		vector_push(&f->shared, false);
		id = (uint32_t)f->texts.len;
		id_map_insert_at(&f->by_text, hash, at, id);
	}
	f->text_of_frame[frame] = id;
	return id - 1;
}

/* Add the values of the view's nodes to the nodes that stand for them. */
static void move_values(struct folded *f, struct sides *from, const node_id *stands)
{
	size_t nodes = f->tree.caller.len;

	f->sides = from->count;
	f->normalised = from->count == 2 && from->scale != 1;
	for (size_t side = 0; side < f->sides; side++) {
		f->share.whole[side] = from->whole[side];
		f->self[side] = from->self[side];
		from->self[side] = NULL;
		for (size_t i = 1; stands && i < nodes; i++) {
			int64_t value = f->self[side][i];

			f->self[side][i] = 0;
			f->self[side][stands[i]] += value;
		}
	}
}

/* With WIDTHS_GONE only stacks that are gone are written: leave out each node that has a value in
 * after, itself or in a node below it. */
static void leave_out(struct folded *f)
{
	size_t nodes = f->tree.caller.len;
	int64_t *total;

	if (f->sides != 2 || f->view->comparison.widths != WIDTHS_GONE)
		return;
	total = memory_new(nodes, sizeof(*total));
	f->left_out = memory_new(nodes, sizeof(*f->left_out));
	tree_totals(&f->tree, f->self[1], total);
	for (size_t i = 0; i < nodes; i++)
		f->left_out[i] = total[i] != 0;
	memory_free(total);
}

/* The view's tree with texts for frames; mostly the same tree. A node for which another one stands
 * has no value and no callees. */
static void build_tree(struct folded *f)
{
	const struct tree *from = &f->view->tree;
	size_t nodes = from->caller.len;
	uint32_t *texts = memory_new(nodes, sizeof(*texts));
	node_id *stands, *callers;
	struct sides sides;

	id_map_reserve(&f->by_text, view_frame_count(f->view));
	for (size_t i = 1; i < nodes; i++)
		texts[i] = text_id(f, from->frame.items[i]);
	f->tree.frame.items = texts;
	f->tree.frame.len = f->tree.frame.cap = nodes;
	f->tree.caller.items = from->caller.items; /* borrowed: cap is 0 */
	f->tree.caller.len = nodes;
	stands = f->any_shared ? text_siblings(from, texts, f->shared.items) : NULL;
	if (stands) {
		callers = memory_new(nodes, sizeof(*callers));
		for (size_t i = 1; i < nodes; i++)
			callers[i] = stands[from->caller.items[i]];
		f->tree.caller.items = callers;
		f->tree.caller.cap = nodes;
	}
	sides_init_self(&sides, f->view);
	move_values(f, &sides, stands);
	leave_out(f);
	sides_release(&sides);
	memory_free(stands);
}

static bool has_value(const struct folded *f, node_id node)
{
	if (f->left_out && f->left_out[node])
		return false;
	return f->self[0][node] || (f->sides == 2 && f->self[1][node]);
}

static void write_lines(struct folded *f, struct output *out)
{
	size_t nodes = f->tree.caller.len;
	bool *ends = memory_new(nodes, sizeof(*ends));

	for (size_t i = 0; i < nodes; i++)
		ends[i] = has_value(f, (node_id)i);
	folded_lines_write(&(struct folded_lines){.caller = f->tree.caller.items,
				   .text = f->tree.frame.items,
				   .ends = ends,
				   .texts = f->texts.items,
				   .nodes = nodes,
				   .text_count = f->texts.len,
				   .self = {f->self[0], f->self[1]},
				   .sides = f->sides,
				   .decimals = f->decimals,
				   .share = f->normalised ? &f->share : NULL},
		out);
	memory_free(ends);
}

static void folded_release(struct folded *f)
{
	tree_release(&f->tree);
	vector_release(&f->texts);
	vector_release(&f->shared);
	id_map_release(&f->by_text);
	arena_release(&f->made);
	memory_free(f->text_of_frame);
	memory_free(f->self[0]);
	memory_free(f->self[1]);
	memory_free(f->left_out);
}

static bool folded_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct folded f = {.view = v,
		.settings = settings,
		.decimals = units_decimals(view_text(v, view_stream(v)->unit))};

	(void)err;
	f.text_of_frame = memory_new(view_frame_count(v), sizeof(*f.text_of_frame));
	build_tree(&f);
	write_lines(&f, out);
	folded_release(&f);
	return true;
}

const struct renderer renderer_folded = {
	.name = "folded",
	.suffix = ".folded",
	.media_type = MEDIA_TEXT,
	.save.label = "Folded stacks",
	.save.comparisons = true,
	.about = "folded text: one stack per line",
	.proof = "flamegraph.pl and inferno-flamegraph",
	.readable = true,
	.options = folded_options,
	.settings_size = sizeof(struct folded_settings),
	.render = folded_render,
};
