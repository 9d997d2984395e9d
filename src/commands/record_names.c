/* record_names.c: naming what a recording has sampled, with what the recorder holds open. */
#include "commands/record_names.h"

static const struct image *image_of(void *self, mapping_id mapping)
{
	const struct session *s = self;
	const struct binary *binary = binaries_of_mapping(&s->binaries, mapping);

	return binary ? binary->image : NULL;
}

static const struct kernel *kernel_of(void *self)
{
	const struct session *s = self;

	return s->kernel;
}

void record_name(struct session *s, struct image_cache *cache, bool last,
	struct symbolize_report *ret_report)
{
	struct symbolize_hooks hooks = {
		.self = s, .cache = cache, .image = image_of, .kernel = kernel_of};

	profile_symbolize(&s->profile, &hooks, last, ret_report);
}
