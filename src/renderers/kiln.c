/* kiln.c: the profile itself, or what transforms made of it, as a .kiln file. */
#include "model/kiln_file.h"
#include "model/materialise.h"
#include "renderers/renderers.h"

static bool sink_write(void *context, struct bytes bytes, struct error *err)
{
	struct output *out = context;

	output_write(out, bytes);
	if (out->failed.code)
		*err = out->failed;
	return !out->failed.code;
}

/* One section for each column, so that a reader can map it without joining pieces. */
static bool profile_write(const struct profile *p, struct output *out, struct error *err)
{
	struct kiln_writer w = {.sink = {sink_write, out}};
	bool done = kiln_writer_finish(&w, p, err);

	kiln_writer_release(&w);
	return done;
}

/* All streams are kept, whichever is shown: choosing one is up to the viewer. */
static bool kiln_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct profile made;
	bool done;

	(void)settings;
	if (!v->changed)
		return profile_write(v->profile, out, err);
	view_materialise(v, &made);
	done = profile_write(&made, out, err);
	profile_release(&made);
	return done;
}

const struct renderer renderer_kiln = {
	.name = "kiln",
	.suffix = ".kiln",
	.media_type = MEDIA_BINARY,
	.about = "Kiln's own format: everything there is",
	.proof = "a Python reader written from kiln-format.md",
	.render = kiln_render,
};
