/* capabilities.c: which formats, transforms and colours does this build have for a page? */
#include "answers/capabilities.h"

#include "renderers/colour.h"
#include "renderers/heatmap.h"
#include "renderers/renderers.h"
#include "transforms/transforms.h"

static void add_text(struct buffer *b, const char *key, const char *text)
{
	buffer_printf(b, ",\"%s\":", key);
	buffer_json(b, bytes_of(text));
}

static void add_format(struct buffer *b, const struct renderer *r)
{
	buffer_text(b, "{\"name\":");
	buffer_json(b, bytes_of(r->name));
	add_text(b, "label", r->save.label);
	add_text(b, "suffix", r->save.suffix ? r->save.suffix : r->suffix);
	buffer_printf(b, ",\"single\":%s,\"comparison\":%s}",
		r->save.no_single_side ? "false" : "true", r->save.comparisons ? "true" : "false");
}

static void add_transform(struct buffer *b, const struct transform *t)
{
	static const char *const subjects[] = {
		[TRANSFORM_OF_NAME] = "name",
		[TRANSFORM_OF_PATH] = "path",
		[TRANSFORM_OF_MODULE] = "module",
		[TRANSFORM_OF_RUNTIME] = "runtime",
		[TRANSFORM_OF_ALL] = "all",
	};

	buffer_text(b, "{\"name\":");
	buffer_json(b, bytes_of(t->name));
	add_text(b, "applied", t->applied);
	if (t->label) {
		add_text(b, "label", t->label);
		add_text(b, "subject", subjects[t->subject]);
	}
	buffer_char(b, '}');
}

static void add_colour(struct buffer *b, struct colour c)
{
	buffer_printf(b, "[%u,%u,%u]", c.red, c.green, c.blue);
}

/* The shades of a kind of frame are between two colours, those of changes between three: less,
 * equal and more. */
static void add_colours(struct buffer *b)
{
	static const double ratios[] = {-COLOUR_RATIO_FULL, 0, COLOUR_RATIO_FULL};

	buffer_text(b, ",\"colours\":{\"kinds\":{");
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		struct colour ends[2];

		colour_family((enum frame_kind)kind, ends);
		buffer_printf(
			b, "%s\"%s\":[", kind ? "," : "", frame_kind_name((enum frame_kind)kind));
		add_colour(b, ends[0]);
		buffer_char(b, ',');
		add_colour(b, ends[1]);
		buffer_char(b, ']');
	}
	buffer_text(b, "},\"change\":[");
	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
		buffer_text(b, i ? "," : "");
		add_colour(b, colour_of_ratio(ratios[i]));
	}
	buffer_text(b, "]}");
}

static void add_column_widths(struct buffer *b)
{
	buffer_text(b, ",\"column_widths\":[");
	for (const uint64_t *ms = heatmap_column_ms; *ms; ms++) {
		buffer_text(b, ms == heatmap_column_ms ? "" : ",");
		buffer_u64(b, *ms * 1000000);
	}
	buffer_char(b, ']');
}

void capabilities_list(struct buffer *ret_json)
{
	const char *between = "";

	buffer_text(ret_json, "{\"formats\":[");
	for (size_t i = 0; renderers[i]; i++) {
		struct error ignored = {0};

		if (!renderers[i]->save.label || !renderer_check(renderers[i], &ignored))
			continue;
		buffer_text(ret_json, between);
		add_format(ret_json, renderers[i]);
		between = ",";
	}
	buffer_text(ret_json, "],\"transforms\":[");
	for (size_t i = 0; transforms[i]; i++) {
		buffer_text(ret_json, i ? "," : "");
		add_transform(ret_json, transforms[i]);
	}
	buffer_char(ret_json, ']');
	add_colours(ret_json);
	add_column_widths(ret_json);
	buffer_text(ret_json, "}\n");
}
