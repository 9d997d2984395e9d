/* tools.c: finds the tool that Kiln was called as, and its options. */
#include "commands/classic/classic.h"

#include "commands/commands.h"
#include "commands/confined.h"
#include "commands/terminal.h"

#include <unistd.h>

#define ENTRY(name) extern const struct classic_tool classic_##name;
#include "classic.list"
#undef ENTRY

const struct classic_tool *const classic_tools[] = {
#define ENTRY(name) &classic_##name,
#include "classic.list"
#undef ENTRY
	NULL,
};

const struct classic_tool *classic_by_path(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; name && classic_tools[i]; i++)
		if (!strcmp(classic_tools[i]->name, name))
			return classic_tools[i];
	return NULL;
}

static bool help;

static const struct option help_options[] = {
	{.name = "help", .letter = 'h', .help = "print this help", .set = option_flag},
	{0},
};

static void explain(const struct classic_tool *tool, struct buffer *out)
{
	struct option_group groups[] = {{"Options", tool->options, tool->target}, {0}};

	buffer_printf(
		out, "usage: %s %s\n\nThis is Kiln: %s.\n", tool->name, tool->usage, tool->about);
	if (tool->options)
		options_help(groups, true, terminal_width(STDOUT_FILENO), out);
}

int classic_usage_error(const struct classic_tool *tool, struct error *err)
{
	error_prefix(err, "%s: ", tool->name);
	fail(err);
	return tool->syntax == SYNTAX_PERL ? 255 : 2;
}

size_t classic_skip_unreadable(char **operands)
{
	size_t missing = 0;
	char **kept = operands;

	for (; *operands; operands++) {
		struct error err = {0};

		if (!strcmp(*operands, "-") || !access(*operands, R_OK)) {
			*kept++ = *operands;
			continue;
		}
		error_errno(&err, "%s: cannot open", *operands);
		fail(&err);
		missing++;
	}
	*kept = NULL;
	return missing;
}

void classic_confine(char *const *operands, const char *output)
{
	confined_output(output);
	if (!*operands)
		confined_input("-");
	for (; *operands; operands++)
		confined_input(*operands);
	confined_start(NULL);
}

static bool parse(enum classic_syntax syntax, const struct option_group *groups, char **argv,
	char ***ret_operands, struct error *err)
{
	if (syntax == SYNTAX_PERL)
		return options_parse_perl(groups, argv, ret_operands, err);
	if (syntax == SYNTAX_CLAP)
		return options_parse_clap(groups, argv, ret_operands, err);
	return options_parse(groups, argv, true, ret_operands, err);
}

int classic_run(const struct classic_tool *tool, char **argv)
{
	struct option_group groups[3] = {{"Options", help_options, &help}};
	struct error err = {0};
	struct buffer text = {0};
	char **operands;
	size_t count = 0;
	int code;

	if (tool->prepare)
		tool->prepare();
	if (tool->options)
		groups[1] = (struct option_group){"Options", tool->options, tool->target};
	if (!parse(tool->syntax, groups, argv, &operands, &err))
		return classic_usage_error(tool, &err);
	while (operands[count])
		count++;
	if (!help && count < tool->operands) {
		error_set(&err, ERR_USAGE, "usage: %s %s", tool->name, tool->usage);
		return classic_usage_error(tool, &err);
	}
	if (!help)
		return tool->run(tool, operands);
	explain(tool, &text);
	code = print(&text);
	buffer_release(&text);
	return code;
}
