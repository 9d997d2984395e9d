/* pprof.c: pprof's format as stored in files: compressed. */
#include "base/gzip.h"
#include "renderers/pprof_profile.h"
#include "renderers/renderers.h"

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct buffer plain = {0}, packed = {0};
	bool done = pprof_write(v, settings, &plain, err);

	if (done)
		gzip_compress(buffer_bytes(&plain), &packed);
	output_write(out, buffer_bytes(&packed));
	buffer_release(&plain);
	buffer_release(&packed);
	return done;
}

const struct renderer renderer_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.media_type = MEDIA_BINARY,
	.save.label = "pprof",
	.save.comparisons = true,
	.about = "pprof, compressed",
	.proof = "go tool pprof of Go 1.19: every function and sample; read back to an equal "
		 "profile",
	.options = pprof_options,
	.settings_size = sizeof(struct pprof_settings),
	.defaults = pprof_defaults,
	.title = "pprof files",
	.render = render,
};
