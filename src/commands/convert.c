/* convert.c: `kiln convert`: a profile in another format. */
#include "commands/pipeline.h"

#include <assert.h>

extern const struct command command_convert;

static struct convert {
	const char *output;
	int to; /* index in `names`, -1: by suffix */
} own = {.to = -1};

/* Renderers that have a suffix are formats; the others are for terminals and pages. */
#define FORMATS_LIMIT 64u
static const char *names[FORMATS_LIMIT + 1];

static const struct option options[] = {
	{.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.help = "write to FILE; its suffix chooses the format",
		.set = option_text,
		.offset = offsetof(struct convert, output)},
	{.name = "to",
		.argument = "FORMAT",
		.help = "the format, where no suffix chooses it",
		.set = option_choice,
		.offset = offsetof(struct convert, to),
		.choices = names},
	{0},
};

/* Formats with options of their own; some share a table. */
#define TABLES_LIMIT 8u
static struct table {
	const struct option *options;
	void *settings;
} tables[TABLES_LIMIT];

static void *settings_of(const struct renderer *renderer)
{
	for (size_t i = 0; renderer->title && i < TABLES_LIMIT; i++)
		if (tables[i].options == renderer->options)
			return tables[i].settings;
	return NULL;
}

static void add_table(struct option_group *all, size_t *count, const struct renderer *renderer)
{
	struct table table = {renderer->options, NULL};

	if (!renderer->title || settings_of(renderer))
		return;
	assert(*count - 1 < TABLES_LIMIT);
	table.settings = renderer_settings(renderer);
	tables[*count - 1] = table;
	all[*count] = (struct option_group){renderer->title, table.options, table.settings};
	(*count)++;
}

static const struct option_group *groups(void)
{
	static struct option_group all[2 + TABLES_LIMIT + LOAD_GROUPS];
	size_t count = 0, used = 1;

	if (all[0].options) /* asked again: what the tables point to is there */
		return all;
	for (size_t i = 0; renderers[i]; i++)
		if (renderers[i]->suffix) {
			assert(count < FORMATS_LIMIT);
			names[count++] = renderers[i]->name;
		}
	all[0] = (struct option_group){"Output", options, &own};
	for (size_t i = 0; renderers[i]; i++)
		add_table(all, &used, renderers[i]);
	load_groups(all + used);
	all[used + LOAD_GROUPS] = (struct option_group){0};
	return all;
}

static const struct renderer *choose(struct error *err)
{
	struct buffer known = {0};
	const struct renderer *found = NULL;

	if (own.to >= 0)
		return renderer_by_name(names[own.to]);
	if (own.output)
		found = renderer_for_path(own.output);
	if (found)
		return found;
	renderer_suffixes(&known);
	if (own.output)
		error_set(err, ERR_USAGE,
			"convert: %s: unknown suffix; expected one of %s, or --to FORMAT",
			own.output, known.at);
	else
		error_set(err, ERR_USAGE,
			"convert: no output format: name an output with -o (%s), or use --to "
			"FORMAT",
			known.at);
	buffer_release(&known);
	return NULL;
}

static int run(char **operands)
{
	const char *path = own.output ? own.output : "-";
	struct error err = {0};
	const struct renderer *renderer = choose(&err);

	if (!renderer)
		return fail(&err);
	if (!pipeline_check_terminal(renderer, path, &err)) {
		error_prefix(&err, "convert: ");
		return fail(&err);
	}
	return pipeline_write(&command_convert, operands,
		&(struct pipeline_output){
			.renderer = renderer, .settings = settings_of(renderer), .path = path});
}

const struct command command_convert = {
	.name = "convert",
	.about = "convert a profile to another format",
	.usage =
		"convert [OPTIONS] [FILE] -o OUT.SUFFIX\nconvert [OPTIONS] [FILE] --to FORMAT >OUT",
	.groups = groups,
	.run = run,
};
