/* collapse.c: tools that turn stacks of some format into folded text. */
#include "commands/classic/classic.h"

#include "commands/commands.h"
#include "commands/pipeline.h"
#include "readers/readers.h"

#include <stdlib.h>

struct collapse_settings collapse_settings;

bool collapse_add_style(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct collapse_settings *s = target;

	(void)value;
	(void)err;
	s->style |= (unsigned)option->offset;
	return true;
}

static void say_notes(const struct view *v, const char *name)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own))
		say("%s: %.*s", name, (int)note.len, note.at);
}

static bool write_folded(const struct profile *p, const char *name, struct error *err)
{
	const struct renderer *folded = renderer_by_name("folded");
	void *settings = renderer_settings(folded);
	struct view view;
	bool done;

	view_init(&view, p, BY_FUNCTION);
	done = view_select(&view, (struct bytes){0}, true, err) &&
	       pipeline_render(&view, folded, settings, "-", err);
	say_notes(&view, name);
	view_release(&view);
	free(settings);
	return done;
}

int classic_collapse(const struct classic_tool *tool, char **operands)
{
	char *standard[] = {(char[]){"-"}, NULL};
	struct read_options options = {.format = tool->format,
		.style = tool->style | collapse_settings.style,
		.event = collapse_settings.event};
	struct error err = {0};
	struct profile profile;
	int code = 0;

	verbosity = collapse_settings.quiet ? -1 : 0;
	if (!profile_read_files(*operands ? operands : standard, &options, &profile, &err)) {
		/* Where there are no stacks, these tools print none, and are content. */
		if (err.code == ERR_FORMAT && profile.stack_caller.len <= 1)
			say("%s: %s", tool->name, err.text);
		else
			code = fail(&err);
	} else if (profile.streams.len && !write_folded(&profile, tool->name, &err)) {
		code = fail(&err);
	}
	profile_release(&profile);
	return code;
}
