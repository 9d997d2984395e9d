/* record_names.c: naming what a recording has sampled, with what the recorder holds open. */
#include "commands/record_names.h"

#include "base/patience.h"
#include "commands/naming_options.h"

static const struct image *image_of(void *self, mapping_id mapping)
{
	const struct session *s = self;
	const struct binary *binary = binaries_of_mapping(&s->binaries, mapping);

	return binary ? binary->image : NULL;
}

static const char *root_of(void *self, mapping_id mapping)
{
	const struct session *s = self;
	const struct binary *binary = binaries_of_mapping(&s->binaries, mapping);

	return binary ? binary->root : NULL;
}

static const struct kernel *kernel_of(void *self)
{
	const struct session *s = self;

	return s->kernel;
}

/* How long binaries that other users can change are read: while it records, the rings fill. */
#define OTHERS_TICK (SECOND_NS / 4)
#define OTHERS_LAST (5 * SECOND_NS) /* and a part of the time of the recording */

static uint64_t others_deadline(const struct session *s, bool last)
{
	uint64_t now = monotonic_ns(), began = s->binaries.patience.began;

	if (!last)
		return now + OTHERS_TICK;
	return now + OTHERS_LAST + (began ? (now - began) / PATIENCE_PART : 0);
}

void record_name(struct session *s, struct image_cache *cache, bool last,
	struct symbolize_report *ret_report)
{
	struct symbolize_hooks hooks = {
		.self = s, .cache = cache, .image = image_of, .root = root_of, .kernel = kernel_of};

	struct symbolize_options options = {
		.hooks = &hooks, .jit = &s->jit, .others_deadline = others_deadline(s, last)};
	const struct naming_options *naming = naming_chosen();

	/* While it runs, the recorder does as little as it can: names are for those who look at a
	 * file that grows. What was inlined is read at the end. */
	if (last) {
		options.depth = naming_depth(naming);
		options.stored = !naming->no_cache;
		options.which = SYMBOLIZE_AGAIN;
	} else {
		options.depth = NAMES_FUNCTIONS;
	}
	s->jit.v8_logs = naming->v8_logs;
	profile_symbolize(&s->profile, &options, ret_report);
}
