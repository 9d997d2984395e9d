/* pprof_plain.c: pprof's format without compression. */
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

const struct renderer renderer_pprof_plain = {
	.name = "pprof-plain",
	.suffix = ".pb",
	.media_type = MEDIA_BINARY,
	.about = "pprof, not compressed",
	.proof = "go tool pprof of Go 1.19: every function and sample; read back to an equal "
		 "profile",
	.options = pprof_options,
	.settings_size = sizeof(struct pprof_settings),
	.defaults = pprof_defaults,
	.title = "pprof files",
	.render = render,
};
