/* html.c: the page of `kiln view` as one file, with its profile inside. */
#include "base/base64.h"
#include "base/gzip.h"
#include "renderers/page_parts.h"
#include "renderers/renderers.h"

/* The whole profile as a .kiln file: the page offers heat maps, other kinds and threads. */
static bool pack(
	const struct view *v, struct buffer *ret_packed, size_t *ret_size, struct error *err)
{
	struct output out;
	bool done;

	output_open_memory(&out);
	done = renderer_write(renderer_by_name("kiln"), v, NULL, &out, err);
	if (done && out.failed.code) {
		*err = out.failed;
		done = false;
	}
	if (done) {
		*ret_size = out.pending.len;
		gzip_compress(buffer_bytes(&out.pending), ret_packed);
	}
	output_discard(&out);
	return done;
}

/* The initial state of the page, in the form of its address, for an attribute. */
static void add_state(const struct view *v, struct buffer *out)
{
	const struct profile *p = v->profile;
	const struct stream_row *shown = view_stream(v);
	struct bytes kind = profile_text(p, shown->kind);
	size_t begin = out->len;
	bool idle = false;

	for (size_t i = 0; i < p->streams.len; i++)
		idle |= v->streams[i] && p->streams.items[i].row.kind != shown->kind;
	if (p->streams.len &&
		(shown->kind != p->streams.items[0].row.kind || view_default_stream(p) != 0)) {
		buffer_text(out, "kind=");
		for (size_t i = 0; i < kind.len; i++) {
			unsigned char c = (unsigned char)kind.at[i];
			bool plain = is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');

			buffer_printf(out, plain ? "%c" : "%%%02X", c);
		}
	}
	if (idle)
		buffer_text(out, out->len > begin ? "&amp;idle" : "idle");
	if (v->comparison.normalised)
		buffer_text(out, out->len > begin ? "&amp;normalise" : "normalise");
}

/* Names made by transforms already contain the line. */
static int projection_of(const struct view *v)
{
	return (int)(v->changed ? v->projection & (PROJECT_LINES - 1) : v->projection);
}

extern const struct renderer renderer_html;

static bool html_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct buffer packed = {0}, text = {0};
	size_t size;

	(void)settings;
	if (!renderer_check(&renderer_html, err) || !pack(v, &packed, &size, err))
		return false;
	output_write(out, page_parts.start);
	buffer_printf(&text, " data-size=\"%zu\" data-projection=\"%d\" data-state=\"", size,
		projection_of(v));
	add_state(v, &text);
	buffer_text(&text, "\">");
	base64_encode(buffer_bytes(&packed), &text);
	output_write(out, buffer_bytes(&text));
	output_write(out, page_parts.end);
	buffer_release(&packed);
	buffer_release(&text);
	return true;
}

const struct renderer renderer_html = {
	.name = "html",
	.suffix = ".html",
	.media_type = MEDIA_BINARY,
	.save.label = "Page in one file (HTML)",
	.save.comparisons = true,
	.about = "the page of `kiln view` as one file that needs no server",
	.unavailable = &page_parts.unavailable,
	.proof = "Chromium, from disk: the same bytes as kiln view for every query",
	.render = html_render,
};
