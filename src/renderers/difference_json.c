/* difference_json.c: two sides as one JSON object: functions, and the merged call tree.
 *
 *	{"format": "kiln-difference", "version": 1,
 *	 "kind": "cpu", "unit": "ns", "event": "cpu-clock",
 *	 "before": {"name": "a.folded", "total": 100}, "after": {"name": "b.folded", "total": 120},
 *	 "scale": 1,
 *	 "functions": [{"function": "main", "module": "", "kind": "native",
 *	                "self": [10, 12], "total": [100, 120]}, ...],
 *	 "tree": [{"caller": null, "function": 0, "self": [0, 0], "total": [100, 120]}, ...]}
 *
 * Values are those of before and after as in the inputs. Compare after with before times "scale"
 * (--normalise). A function's total counts recursion once. The items of "tree" name their function
 * and their caller by index; callers come first. */
#include "renderers/functions.h"
#include "renderers/renderers.h"

#include <stdlib.h>

#define FLUSH_BYTES ((size_t)64 << 10)

struct writer {
	const struct view *view;
	struct functions functions;
	struct buffer b;
	struct output *out;
};

static void flush(struct writer *w, size_t min)
{
	if (w->b.len < min)
		return;
	output_write(w->out, buffer_bytes(&w->b));
	w->b.len = 0;
}

static void put_text(struct writer *w, const char *name, string_id id)
{
	buffer_printf(&w->b, ",\"%s\":", name);
	buffer_json(&w->b, view_text(w->view, id));
}

static void put_values(struct writer *w, const int64_t self[2], const int64_t total[2])
{
	buffer_text(&w->b, ",\"self\":[");
	buffer_i64(&w->b, self[0]);
	buffer_char(&w->b, ',');
	buffer_i64(&w->b, self[1]);
	buffer_text(&w->b, "],\"total\":[");
	buffer_i64(&w->b, total[0]);
	buffer_char(&w->b, ',');
	buffer_i64(&w->b, total[1]);
	buffer_text(&w->b, "]}");
}

static void put_sides(struct writer *w)
{
	const struct sides *s = &w->functions.sides;

	for (size_t side = 0; side < 2; side++) {
		const char *name = side ? "after" : "before";

		buffer_printf(&w->b, ",\n\"%s\":{\"name\":", name);
		buffer_json(&w->b, profile_meta(w->view->profile, bytes_of(name)));
		buffer_text(&w->b, ",\"total\":");
		buffer_i64(&w->b, s->total[side][0]);
		buffer_char(&w->b, '}');
	}
	buffer_printf(&w->b, ",\n\"scale\":%.17g", s->scale);
}

static void put_functions(struct writer *w)
{
	buffer_text(&w->b, ",\n\"functions\":[");
	for (size_t i = 0; i < w->functions.count; i++) {
		const struct function_row *row = &w->functions.rows[i];
		struct frame frame = view_frame_at(w->view, row->frame);

		buffer_text(&w->b, i ? ",\n{\"function\":" : "\n{\"function\":");
		buffer_json(&w->b, function_name(w->view, row->frame));
		put_text(w, "module", frame.module);
		buffer_printf(
			&w->b, ",\"kind\":\"%s\"", frame_kind_name((enum frame_kind)frame.kind));
		put_values(w, row->self, row->total);
		flush(w, FLUSH_BYTES);
	}
	buffer_char(&w->b, ']');
}

/* The nodes with a value, and their callers; with WIDTHS_GONE only nodes that are gone, and
 * theirs. */
static bool *listed_nodes(const struct writer *w)
{
	const struct sides *s = &w->functions.sides;
	size_t nodes = w->view->tree.caller.len;
	bool *listed = memory_new(nodes, sizeof(*listed));

	for (size_t i = nodes; i-- > 1;) {
		bool gone = s->total[0][i] && !s->total[1][i];

		if (w->view->comparison.widths == WIDTHS_GONE ? gone
							      : s->total[0][i] || s->total[1][i])
			listed[i] = true;
		if (listed[i])
			listed[w->view->tree.caller.items[i]] = true;
	}
	return listed;
}

/* Commands and threads are not functions, but they are frames of the tree. */
static void put_frame(struct writer *w, frame_id id, const uint32_t *index)
{
	if (index[id]) {
		buffer_printf(&w->b, ",\"function\":%u", index[id] - 1);
		return;
	}
	buffer_text(&w->b, ",\"label\":");
	buffer_json(&w->b, view_function(w->view, id));
}

static void put_tree(struct writer *w)
{
	const struct tree *tree = &w->view->tree;
	const struct sides *s = &w->functions.sides;
	bool *listed = listed_nodes(w);
	uint32_t *place =
		memory_new(tree->caller.len, sizeof(*place)); /* index plus one; 0: the root */
	uint32_t *index = memory_new(view_frame_count(w->view), sizeof(*index));
	uint32_t count = 0;

	for (size_t i = 0; i < w->functions.count; i++)
		index[w->functions.rows[i].frame] = (uint32_t)i + 1;
	buffer_text(&w->b, ",\n\"tree\":[");
	for (size_t i = 1; i < tree->caller.len; i++) {
		uint32_t caller = place[tree->caller.items[i]];

		if (!listed[i])
			continue;
		place[i] = ++count;
		buffer_text(&w->b, count > 1 ? ",\n{\"caller\":" : "\n{\"caller\":");
		if (caller)
			buffer_u64(&w->b, caller - 1);
		else
			buffer_text(&w->b, "null");
		put_frame(w, tree->frame.items[i], index);
		put_values(w, (int64_t[]){s->self[0][i], s->self[1][i]},
			(int64_t[]){s->total[0][i], s->total[1][i]});
		flush(w, FLUSH_BYTES);
	}
	buffer_char(&w->b, ']');
	memory_free(listed);
	memory_free(place);
	memory_free(index);
}

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct writer w = {.view = v, .out = out};
	const struct stream_row *stream = view_stream(v);

	(void)settings;
	functions_init(&w.functions, v, SORT_BY_SELF, true);
	if (w.functions.sides.count != 2) {
		functions_release(&w.functions);
		return sides_require_two(err);
	}
	buffer_text(&w.b, "{\"format\":\"kiln-difference\",\"version\":1");
	put_text(&w, "kind", stream->kind);
	put_text(&w, "unit", stream->unit);
	put_text(&w, "event", stream->event);
	put_sides(&w);
	put_functions(&w);
	put_tree(&w);
	buffer_text(&w.b, "}\n");
	flush(&w, 0);
	buffer_release(&w.b);
	functions_release(&w.functions);
	return true;
}

const struct renderer renderer_difference_json = {
	.name = "difference-json",
	.media_type = MEDIA_JSON,
	.save.label = "Changes (JSON)",
	.save.suffix = ".json",
	.save.comparisons = true,
	.save.no_single_side = true,
	.about = "changes between two sides as JSON: functions and the merged call tree",
	.readable = true,
	.render = render,
};
