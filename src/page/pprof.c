/* pprof.c: pprof's format in a page, which has no libdeflate: the browser compresses what this
 * writes (web/offline/worker.mjs). */
#include "renderers/pprof_profile.h"
#include "renderers/renderers.h"

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct buffer plain = {0};
	bool done = pprof_write(v, settings, &plain, err);

	output_write(out, buffer_bytes(&plain));
	buffer_release(&plain);
	return done;
}

extern const struct renderer renderer_pprof;
const struct renderer renderer_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.media_type = MEDIA_BINARY,
	.save.label = "pprof",
	.save.comparisons = true,
	.options = pprof_options,
	.settings_size = sizeof(struct pprof_settings),
	.defaults = pprof_defaults,
	.render = render,
};
