/* collapse.c: tools that convert stacks of some format to folded text. */
#include "commands/classic/classic.h"

#include "base/units.h"
#include "commands/commands.h"
#include "commands/pipeline.h"
#include "transforms/base.h"
#include "transforms/transforms.h"

#include <stdlib.h>

struct collapse_settings collapse_settings;

bool collapse_clear_style(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	*(bool *)((char *)target + option->offset) = false;
	return true;
}

const struct option inferno_options[] = {INFERNO_OPTIONS, {0}};
const struct option inferno_module_options[] = {
	STYLE("no-modules", no_modules, "leave out modules"),
	INFERNO_OPTIONS,
	{0},
};

static void print_notes(const struct view *v, const char *name)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own))
		print_notice("%s: %.*s", name, (int)note.len, note.at);
}

static bool reshape(struct view *v, const char *transform, struct error *err)
{
	return !transform || transform_apply(transform_by_name(transform), v, NULL, err);
}

/* A kind chosen by an option must exist; the tool's preferred kind need not. */
static bool select_kind(struct view *v, const struct classic_tool *tool, struct error *err)
{
	const char *kind = collapse_settings.kind;
	bool idle = !tool->without_idle;
	struct error none = {0};

	if (kind)
		return view_select(v, bytes_of(kind), idle, err);
	return (tool->kind && view_select(v, bytes_of(tool->kind), idle, &none)) ||
	       view_select(v, (struct bytes){0}, idle, err);
}

/* Values with decimals (units.h) become whole ones. */
static void round_values(struct profile *p)
{
	for (size_t s = 0; s < p->streams.len; s++) {
		struct stream *stream = &p->streams.items[s];
		struct bytes unit = profile_text(p, stream->row.unit);
		int64_t one = 1;

		for (unsigned d = units_decimals(unit); d; d--)
			one *= 10;
		for (size_t i = 0; i < stream->value.len; i++)
			stream->value.items[i] = (stream->value.items[i] + one / 2) / one;
		stream->row.unit = profile_string(p, BYTES("count"));
	}
}

/* Rounded down, stack by stack. */
static void divide(struct profile *p, int64_t divisor)
{
	for (size_t s = 0; divisor && s < p->streams.len; s++)
		for (size_t i = 0; i < p->streams.items[s].value.len; i++)
			p->streams.items[s].value.items[i] /= divisor;
}

static bool begin_at_bases(struct view *v)
{
	if (collapse_settings.bases.len)
		view_begin_at(v, collapse_settings.bases.items, collapse_settings.bases.len, true);
	return true;
}

static bool write_folded(
	const struct profile *p, const struct classic_tool *tool, struct error *err)
{
	const struct renderer *folded = renderer_by_name("folded");
	void *settings = renderer_settings(folded);
	struct view view;
	bool done;

	view_init(&view, p, BY_FUNCTION);
	done = select_kind(&view, tool, err) && reshape(&view, tool->transform, err) &&
	       begin_at_bases(&view) &&
	       pipeline_render(&view, folded, settings, "-", OUTPUT_MODE, err);
	print_notes(&view, tool->name);
	view_release(&view);
	free(settings);
	return done;
}

int classic_collapse(const struct classic_tool *tool, char **operands)
{
	char *standard[] = {(char[]){"-"}, NULL};
	const struct loading_options options = {.format = tool->format};
	const struct loading_request request = {.as_written = true,
		.style = &collapse_settings.style,
		.event = collapse_settings.event};
	struct error err = {0};
	struct loading loading;
	struct profile profile;
	int code;

	collapse_settings.style.tool = tool->reads_as;
	verbosity = collapse_settings.quiet ? -1 : 0;
	/* Incomplete output is a failure, except for Perl's tools. */
	code = tool->syntax == SYNTAX_PERL && classic_skip_unreadable(operands) ? 1 : 0;
	if (code && !*operands)
		return code;
	classic_confine(operands, NULL);
	loading_init(&loading, &options);
	if (!loading_read_files(
		    &loading, *operands ? operands : standard, &request, &profile, &err)) {
		/* Without stacks, these tools print nothing and succeed. */
		if (err.code == ERR_FORMAT && profile.stack_caller.len <= 1)
			print_notice("%s: %s", tool->name, err.text);
		else
			code = fail(&err);
	} else if (profile.streams.len) {
		divide(&profile, tool->divisor);
		for (size_t s = 0; tool->unit && s < profile.streams.len; s++)
			profile.streams.items[s].row.unit =
				profile_string(&profile, bytes_of(tool->unit));
		if (tool->whole)
			round_values(&profile);
		if (!write_folded(&profile, tool, &err))
			code = fail(&err);
	}
	profile_release(&profile);
	loading_release(&loading);
	vector_release(&collapse_settings.bases);
	arena_release(&collapse_settings.base_texts);
	return code;
}
