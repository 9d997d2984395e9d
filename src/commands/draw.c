/* draw.c: `kiln draw`: a profile as a picture. */
#include "commands/pipeline.h"

#include "readers/readers.h"
#include "renderers/svg_options.h"

extern const struct command command_draw;

static struct pipeline own = {.renderer = "svg", .title = "Picture"};

static const struct option_group *groups(void)
{
	return pipeline_groups(&own);
}

/* "-o x.folded" is a slip that would otherwise leave a picture under a misleading name. */
static bool check_suffix(const char *path, struct error *err)
{
	const struct renderer *other = path ? renderer_for_path(path) : NULL;

	if (!other || !strcmp(other->name, own.renderer))
		return true;
	return error_set(err, ERR_USAGE,
		"draw: %s: this command draws SVG; to write %s use: kiln convert -o %s", path,
		other->name, path);
}

static int run(char **operands)
{
	const struct svg_settings *settings = own.settings;
	struct error err = {0};

	if (!check_suffix(own.output, &err))
		return fail(&err);
	return pipeline_run(
		&own, &command_draw, operands, settings->chart ? WANT_TIMES | WANT_THREADS : 0);
}

const struct command command_draw = {
	.name = "draw",
	.about = "draw a flame graph: one SVG file that opens anywhere",
	.usage = "draw [OPTIONS] [FILE] -o PICTURE.svg\ndraw [OPTIONS] [FILE] >PICTURE.svg",
	.groups = groups,
	.run = run,
};
