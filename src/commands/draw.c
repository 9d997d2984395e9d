/* draw.c: `kiln draw`: a profile as a picture, or as a page. */
#include "commands/pipeline.h"

#include "readers/readers.h"
#include "renderers/svg_options.h"

#include <stdlib.h>
#include <sys/stat.h>

#define PAGE "html"

extern const struct command command_draw;

static struct pipeline own = {.renderer = "svg", .title = "Picture"};

static const struct option_group *groups(void)
{
	return pipeline_groups(&own);
}

/* A page has its looks from who looks at it. The first option of a picture that was given; every
 * value is a flag or at least as long as an int. */
static const struct option *picture_option(void)
{
	const struct renderer *svg = renderer_by_name(own.renderer);
	const char *usual = renderer_settings(svg), *given = own.settings;
	const struct option *o = svg->options;

	while (o->name && !memcmp(usual + o->offset, given + o->offset,
				  o->set == option_flag ? sizeof(bool) : sizeof(int)))
		o++;
	free((void *)(uintptr_t)usual);
	return o->name ? o : NULL;
}

/* A device, or a name without a suffix, says nothing about what should be in it. */
static bool has_suffix(const char *path)
{
	struct bytes name = bytes_base_name(bytes_of(path));
	const char *dot = bytes_find_last(name, '.');
	struct stat status;

	return dot && dot > name.at && (stat(path, &status) || S_ISREG(status.st_mode));
}

static bool check_suffix(const struct renderer *other, struct error *err)
{
	const struct option *o;

	if (!other && own.output && has_suffix(own.output))
		return error_set(err, ERR_USAGE,
			"draw: %s: unknown suffix; expected .svg for a picture, or .html for a "
			"page",
			own.output);
	if (!other || !strcmp(other->name, own.renderer))
		return true;
	if (strcmp(other->name, PAGE))
		return pipeline_check_suffix(
			&command_draw, other, own.output, "draws SVG and pages", err);
	o = picture_option();
	return !o || error_set(err, ERR_USAGE,
			     "draw: --%s works only for SVG files: %s has controls for it", o->name,
			     own.output);
}

static int run(char **operands)
{
	const struct renderer *other = own.output ? renderer_for_path(own.output) : NULL;
	const struct svg_settings *settings = own.settings;
	struct error err = {0};

	if (!check_suffix(other, &err))
		return fail(&err);
	if (other && !strcmp(other->name, PAGE))
		return pipeline_write(&command_draw, operands,
			&(struct pipeline_output){.renderer = other, .path = own.output});
	own.over_time = settings->chart;
	return pipeline_run(
		&own, &command_draw, operands, settings->chart ? WANT_TIMES | WANT_THREADS : 0);
}

const struct command command_draw = {
	.name = "draw",
	.about = "draw a flame graph: one SVG file, or one HTML page",
	.usage = "draw [OPTIONS] [FILE] -o PICTURE.svg\ndraw [OPTIONS] [FILE] >PICTURE.svg\n"
		 "draw [OPTIONS] [FILE] -o PAGE.html",
	.groups = groups,
	.run = run,
};
