/* flamebearer.c: Pyroscope's JSON: the boxes of a flame graph, a level at a time; for two sides a
 * comparison. src/readers/pictures/flamebearer.c describes the format.
 *
 * A level has its boxes from left to right, and each box its distance from the one before. So boxes
 * are placed callers first, in the order in which they are drawn (preorder.h), and then counted
 * into levels, which keeps that order. A box's own part is to the left of its callees. */
#include "model/sides.h"
#include "renderers/export.h"
#include "renderers/preorder.h"
#include "renderers/renderers.h"

#include <stdlib.h>

#define NS_PER_SECOND	 1000000000
#define USUAL_RATE	 100 /* samples per second, where values are no times: it has no effect */
#define BEFORE_AND_AFTER 2

struct flamebearer {
	const struct view *view;
	struct output *out;
	struct sides sides;
	struct preorder order;
	struct export_frames frames;
	int64_t *width;	    /* of every node: both sides together */
	int64_t *start[2];  /* of every node: where it begins */
	int64_t *cursor[2]; /* ... and where its next callee will */
	uint32_t *by_level; /* indices of the order, level by level */
	size_t *level_ends; /* in by_level */
	struct buffer text;
};

/* ---- Boxes ---- */

static bool find_widths(struct flamebearer *f, struct error *err)
{
	size_t nodes = f->view->tree.caller.len;

	sides_init(&f->sides, f->view);
	f->width = memory_new(nodes, sizeof(*f->width));
	for (size_t side = 0; side < f->sides.count; side++)
		for (size_t i = 0; i < nodes; i++) {
			if (f->sides.self[side][i] < 0)
				return error_set(err, ERR_UNSUPPORTED,
					"a value is negative, which this format cannot have: "
					"choose "
					"another format, or another --kind");
			f->width[i] += f->sides.total[side][i];
		}
	return true;
}

static void place_boxes(struct flamebearer *f)
{
	const struct tree *tree = &f->view->tree;

	for (size_t side = 0; side < f->sides.count; side++) {
		int64_t *start, *cursor;

		start = f->start[side] = memory_new(tree->caller.len, sizeof(*start));
		cursor = f->cursor[side] = memory_new(tree->caller.len, sizeof(*cursor));
		for (size_t i = 0; i < f->order.count; i++) {
			node_id node = f->order.node[i], caller = tree->caller.items[node];

			if (i) {
				start[node] = cursor[caller];
				cursor[caller] += f->sides.total[side][node];
			}
			cursor[node] = start[node] + f->sides.self[side][node];
		}
	}
}

/* By depth, stably: a counting sort. */
static void sort_levels(struct flamebearer *f)
{
	const struct preorder *order = &f->order;
	size_t levels = order->deepest + 1, at = 0;

	f->by_level = memory_new(order->count + 1, sizeof(*f->by_level));
	f->level_ends = memory_new(levels, sizeof(*f->level_ends));
	for (size_t i = 0; i < order->count; i++)
		f->level_ends[order->depth[i]]++;
	for (size_t level = 0; level < levels; level++) {
		size_t count = f->level_ends[level];

		f->level_ends[level] = at;
		at += count;
	}
	for (size_t i = 0; i < order->count; i++)
		f->by_level[f->level_ends[order->depth[i]]++] = (uint32_t)i;
}

/* ---- Text ---- */

static void write_names(struct flamebearer *f)
{
	struct buffer *b = &f->text;

	buffer_text(b, "\"names\":[\"total\"");
	for (size_t i = 0; i < f->frames.frames.len; i++) {
		buffer_text(b, ",\n");
		buffer_json(b, view_function(f->view, f->frames.frames.items[i]));
		export_flush(b, f->out, false);
	}
	buffer_char(b, ']');
}

static void write_box(struct flamebearer *f, node_id node, int64_t *ends)
{
	struct buffer *b = &f->text;

	for (size_t side = 0; side < f->sides.count; side++) {
		int64_t total = f->sides.total[side][node];

		buffer_i64(b, f->start[side][node] - ends[side]);
		buffer_char(b, ',');
		buffer_i64(b, total);
		buffer_char(b, ',');
		buffer_i64(b, f->sides.self[side][node]);
		buffer_char(b, ',');
		ends[side] = f->start[side][node] + total;
	}
	buffer_u64(b, node ? f->frames.number[f->view->tree.frame.items[node]] : 0);
}

static void write_levels(struct flamebearer *f)
{
	struct buffer *b = &f->text;
	size_t at = 0;

	buffer_text(b, ",\n\"levels\":[");
	for (size_t level = 0; f->order.count && level <= f->order.deepest; level++) {
		int64_t ends[2] = {0, 0};

		buffer_text(b, level ? ",\n[" : "\n[");
		for (size_t first = at; at < f->level_ends[level]; at++) {
			if (at > first)
				buffer_char(b, ',');
			write_box(f, f->order.node[f->by_level[at]], ends);
			export_flush(b, f->out, false);
		}
		buffer_char(b, ']');
	}
	buffer_char(b, ']');
}

static int64_t most_own(const struct flamebearer *f)
{
	int64_t most = 0;

	for (size_t side = 0; side < f->sides.count; side++)
		for (size_t i = 0; i < f->view->tree.caller.len; i++)
			if (f->sides.self[side][i] > most)
				most = f->sides.self[side][i];
	return most;
}

/* Times are samples at a rate of one per nanosecond. */
static void write_metadata(struct flamebearer *f)
{
	const struct profile *p = f->view->profile;
	const struct stream_row none = {0}, *row = p->streams.len ? view_stream(f->view) : &none;
	struct bytes unit = profile_text(p, row->unit);
	bool time = bytes_equal(unit, BYTES("ns")), space = bytes_equal(unit, BYTES("bytes"));
	struct buffer *b = &f->text;

	buffer_printf(b, ",\n\"metadata\":{\"format\":\"%s\",\"spyName\":\"unknown\",",
		f->sides.count == BEFORE_AND_AFTER ? "double" : "single");
	buffer_printf(b, "\"sampleRate\":%d,\"units\":\"%s\",\"kiln\":{\"kind\":",
		time ? NS_PER_SECOND : USUAL_RATE,
		time	? "samples"
		: space ? "bytes"
			: "objects");
	buffer_json(b, profile_text(p, row->kind));
	buffer_text(b, ",\"unit\":");
	buffer_json(b, unit);
	buffer_text(b, ",\"event\":");
	buffer_json(b, profile_text(p, row->event));
	buffer_text(b, "}}");
}

static void write_all(struct flamebearer *f)
{
	struct buffer *b = &f->text;

	buffer_text(b, "{\"version\":1,\n\"flamebearer\":{");
	write_names(f);
	write_levels(f);
	buffer_printf(b, ",\n\"numTicks\":%lld,\"maxSelf\":%lld}", (long long)f->width[0],
		(long long)most_own(f));
	write_metadata(f);
	if (f->sides.count == BEFORE_AND_AFTER)
		buffer_printf(b, ",\n\"leftTicks\":%lld,\"rightTicks\":%lld",
			(long long)f->sides.whole[0], (long long)f->sides.whole[1]);
	buffer_text(b, "}\n");
	export_flush(b, f->out, true);
}

static void flamebearer_release(struct flamebearer *f)
{
	sides_release(&f->sides);
	preorder_release(&f->order);
	export_frames_release(&f->frames);
	for (size_t side = 0; side < 2; side++) {
		memory_free(f->start[side]);
		memory_free(f->cursor[side]);
	}
	memory_free(f->width);
	memory_free(f->by_level);
	memory_free(f->level_ends);
	buffer_release(&f->text);
}

static bool flamebearer_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct flamebearer f = {.view = v, .out = out};
	bool done;

	(void)settings;
	done = find_widths(&f, err);
	if (done) {
		export_frames_init(&f.frames, v);
		preorder_build(&f.order, v, f.width, SIBLINGS_BY_NAME, 1);
		place_boxes(&f);
		sort_levels(&f);
		write_all(&f);
	}
	flamebearer_release(&f);
	return done;
}

const struct renderer renderer_flamebearer = {
	.name = "flamebearer",
	.suffix = ".flamebearer.json",
	.media_type = MEDIA_JSON,
	.save.label = "Pyroscope",
	.save.comparisons = true,
	.about = "Pyroscope's JSON: the boxes of a flame graph, or of a comparison",
	.proof = "a Python reader of the boxes",
	.render = flamebearer_render,
};
