/* speedscope.c: Speedscope's JSON: every stream of every thread as a sampled profile.
 *
 * The format is file-format-schema.json of the npm package `speedscope`. It has names, files and
 * lines; kinds, modules, processes and threads are under the key "kiln", for Kiln itself. */
#include "base/units.h"
#include "renderers/export.h"
#include "renderers/renderers.h"

#include <stdlib.h>

struct speedscope {
	const struct view *view;
	struct export_frames frames;
	struct buffer text, path;
	struct output *out;
	VECTOR(uint32_t) stack;
};

static void frames_write(struct speedscope *s)
{
	struct buffer *b = &s->text;

	for (size_t i = 0; i < s->frames.frames.len; i++) {
		struct frame frame = view_frame_at(s->view, s->frames.frames.items[i]);

		buffer_text(b, i ? ",\n{\"name\":" : "\n{\"name\":");
		buffer_json(b, view_text(s->view, frame.function));
		if (frame.file) {
			buffer_text(b, ",\"file\":");
			buffer_json(b, view_text(s->view, frame.file));
		}
		if (frame.line)
			buffer_printf(b, ",\"line\":%u", frame.line);
		buffer_char(b, ',');
		export_frame_extra(b, s->view, s->frames.frames.items[i]);
		buffer_char(b, '}');
		export_flush(b, s->out, false);
	}
}

/* Frames, outermost first. */
static void stack_write(struct speedscope *s, node_id node)
{
	struct buffer *b = &s->text;

	s->stack.len = 0;
	for (; node; node = s->view->tree.caller.items[node])
		vector_push(&s->stack, s->frames.number[s->view->tree.frame.items[node]] - 1);
	buffer_char(b, '[');
	for (size_t i = s->stack.len; i-- > 0;) {
		buffer_u64(b, s->stack.items[i]);
		if (i)
			buffer_char(b, ',');
	}
	buffer_char(b, ']');
	export_flush(b, s->out, false);
}

static const char *unit_name(struct bytes unit)
{
	if (bytes_equal(unit, BYTES("ns")))
		return "nanoseconds";
	return bytes_equal(unit, BYTES("bytes")) ? "bytes" : "none";
}

static void part_write(struct speedscope *s, const struct export_part *part)
{
	const struct profile *p = s->view->profile;
	const struct stream *stream = &p->streams.items[part->stream];
	unsigned decimals = export_decimals(s->view, part->stream);
	struct buffer *b = &s->text;
	int64_t sum = 0;

	for (size_t i = 0; i < part->count; i++)
		sum += stream_value(stream, part->samples[i]);
	buffer_text(b, "{\"type\":\"sampled\",\"name\":");
	s->path.len = 0;
	export_part_name(&s->path, s->view, part);
	buffer_json(b, buffer_bytes(&s->path));
	buffer_printf(b, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
		unit_name(profile_text(p, stream->row.unit)));
	buffer_decimal(b, sum, decimals);
	buffer_char(b, ',');
	export_part_extra(b, s->view, part, true);
	buffer_text(b, ",\n\"samples\":[");
	for (size_t i = 0; i < part->count && !s->out->failed.code; i++) {
		if (i)
			buffer_char(b, ',');
		stack_write(s, view_node(s->view, stream->row.samples, part->samples[i]));
	}
	buffer_text(b, "],\n\"weights\":[");
	for (size_t i = 0; i < part->count; i++) {
		if (i)
			buffer_char(b, ',');
		buffer_decimal(b, stream_value(stream, part->samples[i]), decimals);
		export_flush(b, s->out, false);
	}
	buffer_text(b, "]}");
}

static void speedscope_write(struct speedscope *s)
{
	struct export_parts parts;

	export_parts_init(&parts, s->view, false);
	buffer_text(&s->text, "{\"$schema\":\"https://www.speedscope.app/"
			      "file-format-schema.json\",\n\"exporter\":"
			      "\"" EXPORT_BY "\",\n\"shared\":{\"frames\":[");
	frames_write(s);
	buffer_text(&s->text, "]},\n\"profiles\":[");
	for (size_t i = 0; i < parts.parts.len; i++) {
		buffer_text(&s->text, i ? ",\n" : "\n");
		part_write(s, &parts.parts.items[i]);
	}
	buffer_text(&s->text, "]}\n");
	export_flush(&s->text, s->out, true);
	export_parts_release(&parts);
}

static bool speedscope_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct speedscope s = {.view = v, .out = out};

	(void)settings;
	(void)err;
	export_frames_init(&s.frames, v);
	speedscope_write(&s);
	export_frames_release(&s.frames);
	buffer_release(&s.text);
	buffer_release(&s.path);
	vector_release(&s.stack);
	return true;
}

const struct renderer renderer_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.media_type = MEDIA_JSON,
	.save.label = "Speedscope",
	.save.comparisons = true,
	.about = "Speedscope's JSON: every stream of every thread",
	.proof = "Speedscope 1.25: its schema, and its table of functions",
	.by_line = true,
	.render = speedscope_render,
};
