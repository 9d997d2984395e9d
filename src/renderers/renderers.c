/* renderers.c: which renderer do a name or a suffix choose, and how is it called? */
#include "renderers/renderers.h"

#include "base/expansion.h"
#include "base/memory.h"

#define ENTRY(name) extern const struct renderer renderer_##name;
#include "renderers.list"
#undef ENTRY

const struct renderer *const renderers[] = {
#define ENTRY(name) &renderer_##name,
#include "renderers.list"
#undef ENTRY
	NULL,
};

const struct renderer *renderer_by_name(const char *name)
{
	for (size_t i = 0; renderers[i]; i++)
		if (!strcmp(renderers[i]->name, name))
			return renderers[i];
	return NULL;
}

/* The longest suffix wins: .speedscope.json is not .json. */
const struct renderer *renderer_for_path(const char *path)
{
	const struct renderer *best = NULL;

	for (size_t i = 0; renderers[i]; i++) {
		const char *suffix = renderers[i]->suffix;

		if (suffix && bytes_ends_with(bytes_of(path), bytes_of(suffix)) &&
			(!best || strlen(suffix) > strlen(best->suffix)))
			best = renderers[i];
	}
	return best;
}

const char *renderer_media_type(const struct renderer *renderer, const void *settings)
{
	return renderer->media_type_of ? renderer->media_type_of(settings) : renderer->media_type;
}

bool renderer_check(const struct renderer *renderer, struct error *err)
{
	return !renderer->unavailable || !*renderer->unavailable ||
	       error_set(err, ERR_UNSUPPORTED, "%s", *renderer->unavailable);
}

bool renderer_write(const struct renderer *renderer, const struct view *v, const void *settings,
	struct output *out, struct error *err)
{
	if (!view_check_size(v, err))
		return false;
	if (v->profile->limit)
		out->limit = expansion_output_limit(v->profile->limit);
	return renderer->render(v, settings, out, err);
}

void renderer_suffixes(struct buffer *out)
{
	const char *between = "";

	for (size_t i = 0; renderers[i]; i++)
		if (renderers[i]->suffix) {
			buffer_printf(out, "%s%s", between, renderers[i]->suffix);
			between = ", ";
		}
}

void *renderer_settings(const struct renderer *renderer)
{
	void *settings = memory_new(1, renderer->settings_size ? renderer->settings_size : 1);

	if (renderer->defaults)
		renderer->defaults(settings);
	return settings;
}
