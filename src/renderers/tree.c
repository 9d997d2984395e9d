/* tree.c: the call tree as text, for a terminal.
 *
 * If a function has only one callee that is shown, that callee is below it at the same depth.
 * The tree moves to the right only where a stack forks, so deep stacks stay readable. */
#include "base/units.h"
#include "base/utf8.h"
#include "renderers/changes.h"
#include "renderers/renderers.h"
#include "renderers/text.h"
#include "renderers/walk.h"

#include <stdlib.h>

#define FLUSH_BYTES ((size_t)64 << 10)
#define NAME_MIN    24u /* columns reserved for names, however deep the tree */

struct tree_settings {
	struct text_settings text;
	double min;	/* percent of all */
	uint64_t depth; /* frames from the root; 0: unlimited */
};

static const struct option options[] = {
	{.name = "min",
		.letter = 'm',
		.argument = "PERCENT",
		.help = "leave out branches below PERCENT of the total (default: 0.5)",
		.set = option_double,
		.offset = offsetof(struct tree_settings, min)},
	{.name = "depth",
		.argument = "N",
		.help = "print at most N levels from the root; 0: all (default)",
		.set = option_u64,
		.offset = offsetof(struct tree_settings, depth)},
	{.name = "ascii",
		.help = "draw with ASCII characters (default where the locale is not UTF-8)",
		.set = option_flag,
		.offset = offsetof(struct tree_settings, text.ascii)},
	{.name = "width",
		.argument = "COLUMNS",
		.help = "cut lines at this width; 0: never (default: the terminal's width)",
		.set = option_u64,
		.offset = offsetof(struct tree_settings, text.width)},
	{0},
};

static void defaults(void *settings)
{
	*(struct tree_settings *)settings = (struct tree_settings){.min = 0.5};
}

/* ---- Which nodes are shown ---- */

struct shown {
	const struct view *view;
	const struct tree_settings *settings;
	struct sides sides;
	const int64_t *self, *total; /* of the shown side */
	struct walk walk;
	size_t hidden;	    /* branches below the minimum */
	struct buffer *out; /* flushed to `output` now and then */
	struct output *output;
	struct buffer prefix; /* one byte for each level: LEVEL_* */
	size_t *levels;	      /* by node: the number of levels in its children's prefix */
};

enum { LEVEL_OPEN = 'o', LEVEL_CLOSED = 'c' }; /* does a sibling follow below? */

static int heavier(const void *a, const void *b, void *context)
{
	const node_id x = *(const node_id *)a, y = *(const node_id *)b;
	const struct shown *s = context;
	int by_total = (s->total[x] < s->total[y]) - (s->total[x] > s->total[y]);
	int by_name;

	if (by_total)
		return by_total;
	by_name = bytes_compare(view_function(s->view, s->view->tree.frame.items[x]),
		view_function(s->view, s->view->tree.frame.items[y]));
	return by_name ? by_name : (x > y) - (x < y);
}

static bool has_value(const struct shown *s, node_id node)
{
	return s->sides.total[0][node] || (s->sides.count == 2 && s->sides.total[1][node]);
}

/* For a difference: before or after is heavy enough. */
static bool is_heavy(const struct shown *s, node_id node)
{
	for (size_t side = 0; side < s->sides.count; side++) {
		const int64_t *total = s->sides.total[side];

		if (total[node] && (double)total[node] * 100 >= (double)total[0] * s->settings->min)
			return true;
	}
	return false;
}

/* The nodes that are heavy enough; their callers are as well. */
static node_id *choose(struct shown *s, size_t *ret_count)
{
	const struct tree *tree = &s->view->tree;
	uint32_t *depth = memory_new(tree->caller.len, sizeof(*depth));
	node_id *chosen = memory_new(tree->caller.len, sizeof(*chosen));
	size_t count = 0;

	for (size_t i = 1; i < tree->caller.len; i++) {
		node_id caller = tree->caller.items[i];
		bool heavy = is_heavy(s, (node_id)i);

		depth[i] = depth[caller] + 1;
		if (heavy && (!s->settings->depth || depth[i] <= s->settings->depth))
			chosen[count++] = (node_id)i;
		else if (!heavy && has_value(s, (node_id)i) && (!caller || is_heavy(s, caller)))
			s->hidden++;
	}
	memory_free(depth);
	*ret_count = count;
	return chosen;
}

/* ---- Lines ---- */

static bool is_only_child(const struct shown *s, node_id node)
{
	node_id caller = s->view->tree.caller.items[node];

	return s->walk.first[caller] == node && !s->walk.next[node];
}

/* The change of a function with everything it calls; before and after as shares of their sides. */
static void change_cells(const struct shown *s, node_id node)
{
	const struct text_settings *text = &s->settings->text;
	struct buffer cell = {0};

	for (size_t side = 0; side < 2; side++) {
		const int64_t *total = s->sides.total[side];

		cell.len = 0;
		if (total[node])
			units_percent(&cell, total[node], total[0]);
		text_right(s->out, buffer_bytes(&cell), strlen(side ? "  100.00" : "100.00"));
	}
	cell.len = 0;
	change_percent(&cell, &s->sides, s->sides.total[0][node], s->sides.total[1][node]);
	text_right(s->out, buffer_bytes(&cell), strlen("  +100.0%"));
	text_style(s->out, TEXT_PLAIN, text);
	buffer_text(s->out, "  ");
	buffer_release(&cell);
}

static void percent_cells(const struct shown *s, node_id node)
{
	const struct text_settings *text = &s->settings->text;
	struct buffer cell = {0};

	units_percent(&cell, s->total[node], s->total[0]);
	text_style(s->out, text_share_style(s->total[node], s->total[0]), text);
	text_right(s->out, buffer_bytes(&cell), strlen("100.00"));
	text_style(s->out, TEXT_PLAIN, text);
	cell.len = 0;
	if (s->self[node])
		units_percent(&cell, s->self[node], s->total[0]);
	text_right(s->out, buffer_bytes(&cell), strlen("  100.00"));
	buffer_text(s->out, "  ");
	buffer_release(&cell);
}

/* The branches to the left of a name. A tree that is too deep loses its outermost branches.
 * Returns the number of columns used. */
static size_t branches(const struct shown *s, size_t levels, bool forked)
{
	static const char *const utf8[] = {"│ ", "  ", "├─", "└─"},
				 *ascii[] = {"| ", "  ", "|-", "`-"};
	const char *const *draw = s->settings->text.ascii ? ascii : utf8;
	size_t width = s->settings->text.width;
	size_t max = width > NAME_MIN + 20 ? (width - NAME_MIN - 20) / 2 : 4;
	size_t from = width && levels > max ? levels - max : 0;

	for (size_t i = from; i < levels; i++) {
		bool open = s->prefix.at[i] == LEVEL_OPEN, own = forked && i + 1 == levels;

		buffer_text(s->out, draw[own ? (open ? 2 : 3) : (open ? 0 : 1)]);
	}
	return (levels - from) * 2;
}

static void name_cell(const struct shown *s, node_id node, size_t start)
{
	const struct text_settings *text = &s->settings->text;
	const struct tree *tree = &s->view->tree;
	struct frame frame = view_frame_at(s->view, tree->frame.items[node]);
	struct frame caller = view_frame_at(s->view, tree->frame.items[tree->caller.items[node]]);
	struct bytes function = view_text(s->view, frame.function);
	struct bytes module = view_text(s->view, frame.module);
	size_t left = !text->width ? 0 : text->width > start + 4 ? text->width - start : 4;
	size_t taken = utf8_count(function) + 3;

	text_style(s->out, frame.kind == FRAME_KERNEL ? TEXT_KERNEL : TEXT_PLAIN, text);
	text_cell(s->out, function, left, false, text);
	text_style(s->out, TEXT_PLAIN, text);
	/* The module, where a stack enters it. */
	if (module.len && frame.module != caller.module && (!left || taken + module.len <= left)) {
		text_style(s->out, TEXT_FAINT, text);
		buffer_text(s->out, "  ");
		text_cell(s->out, module, 0, false, text);
		text_style(s->out, TEXT_PLAIN, text);
	}
	buffer_char(s->out, '\n');
}

static void enter(void *context, node_id node, size_t depth)
{
	struct shown *s = context;
	node_id caller = s->view->tree.caller.items[node];
	bool forked = !is_only_child(s, node);
	size_t levels = s->levels[caller];

	(void)depth;
	if (s->output->failed.code)
		return;
	s->prefix.len = levels;
	if (forked) {
		buffer_char(&s->prefix, s->walk.next[node] ? LEVEL_OPEN : LEVEL_CLOSED);
		levels++;
	}
	s->levels[node] = levels;
	if (s->sides.count == 2)
		change_cells(s, node);
	else
		percent_cells(s, node);
	name_cell(s, node, (s->sides.count == 2 ? 25 : 16) + branches(s, levels, forked));
	if (s->out->len >= FLUSH_BYTES) {
		output_write(s->output, buffer_bytes(s->out));
		s->out->len = 0;
	}
}

static void heading(const struct shown *s)
{
	bool change = s->sides.count == 2;

	if (change)
		change_summary(s->out, s->view, &s->sides);
	else
		text_summary(s->out, s->view, s->total[0]);
	text_style(s->out, TEXT_HEADING, &s->settings->text);
	buffer_text(
		s->out, change ? "Before  After%   Change  Function" : "Total%   Self%  Function");
	text_style(s->out, TEXT_PLAIN, &s->settings->text);
	buffer_char(s->out, '\n');
}

static void footer(const struct shown *s)
{
	if (!s->hidden)
		return;
	buffer_text(s->out, "... ");
	units_grouped(s->out, (int64_t)s->hidden);
	buffer_printf(s->out, " branch%s below %g%% (--min 0 shows all)\n",
		s->hidden == 1 ? "" : "es", s->settings->min);
}

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	size_t nodes = v->tree.caller.len, count;
	struct buffer b = {0};
	struct shown s = {.view = v, .settings = settings, .out = &b, .output = out};
	node_id *chosen;

	if (!(s.settings->min >= 0 && s.settings->min <= 100))
		return error_set(err, ERR_USAGE,
			"--min: expected a percentage from 0 to 100, got %g", s.settings->min);
	s.levels = memory_new(nodes, sizeof(*s.levels));
	sides_init(&s.sides, v);
	s.self = s.sides.self[sides_shown(&s.sides)];
	s.total = s.sides.total[sides_shown(&s.sides)];
	chosen = choose(&s, &count);
	qsort_r(chosen, count, sizeof(*chosen), heavier, &s);
	walk_init(&s.walk, &v->tree, chosen, count);
	heading(&s);
	walk_visit(&s.walk, &(struct walk_visitor){.enter = enter, .context = &s});
	footer(&s);
	output_write(out, buffer_bytes(&b));
	walk_release(&s.walk);
	buffer_release(&s.prefix);
	buffer_release(&b);
	memory_free(chosen);
	sides_release(&s.sides);
	memory_free(s.levels);
	return true;
}

const struct renderer renderer_tree = {
	.name = "tree",
	.media_type = MEDIA_TEXT,
	.about = "the call tree, as text",
	.readable = true,
	.options = options,
	.settings_size = sizeof(struct tree_settings),
	.defaults = defaults,
	.render = render,
};
