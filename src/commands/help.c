/* help.c: `kiln help`: what is there to type? */
#include "commands/commands.h"
#include "commands/terminal.h"

#include <stddef.h>
#include <unistd.h>

#define PAGE_WIDTH  80u	 /* columns, when the page's width is unknown */
#define PAGE_WIDEST 100u /* longer lines are hard to read */

static struct help {
	bool all;
} own;

static const struct option help_options[] = {
	{.name = "all",
		.help = "list every option of COMMAND, not only the common ones",
		.set = option_flag,
		.offset = offsetof(struct help, all)},
	{0},
};

static const struct option_group *groups(void)
{
	static const struct option_group all[] = {{"Options", help_options, &own}, {0}};

	return all;
}

static const char examples[] =
	"Examples:\n"
	"  kiln record -o flames.svg -- make      record a command and draw it\n"
	"  kiln record -p 1234 -d 30s             record a process for 30 s\n"
	"  kiln top                               the hottest functions of profile.kiln\n"
	"  perf script | kiln draw -o flames.svg  draw what another tool recorded\n"
	"  ssh web1 sudo kiln record -a -d 10s -o - | kiln draw - >web1.svg\n";

static void overview(struct buffer *out)
{
	buffer_text(out,
		"usage: kiln COMMAND [OPTIONS] [FILE]\n"
		"\n"
		"Kiln records stacks, reads those of other profilers, and shows them as flame\n"
		"graphs, tables and trees. Without FILE, commands read ./profile.kiln or\n"
		"./perf.data.\n"
		"\n"
		"Commands:\n");
	for (size_t i = 0; commands[i]; i++)
		buffer_printf(out, "  %-12s %s\n", commands[i]->name, commands[i]->about);
	buffer_printf(out, "\n%s\n`kiln help COMMAND` or `kiln COMMAND -h` describes a command.\n",
		examples);
}

static int run(char **operands)
{
	size_t width = terminal_width(STDOUT_FILENO);
	const struct command *command = NULL;
	struct buffer text = {0};
	struct error err = {0};
	int code;

	if (*operands && !(command = command_by_name(*operands))) {
		const char *nearest = command_nearest(*operands);

		error_set(&err, ERR_USAGE, "help: there is no command '%s'%s%s%s", *operands,
			nearest ? "; did you mean '" : " (kiln help lists them)",
			nearest ? nearest : "", nearest ? "'?" : "");
		return fail(&err);
	}
	if (command)
		command_explain(command, own.all,
			!width		      ? PAGE_WIDTH
			: width < PAGE_WIDEST ? width
					      : PAGE_WIDEST,
			&text);
	else
		overview(&text);
	code = print(&text);
	buffer_release(&text);
	return code;
}

const struct command command_help = {
	.name = "help",
	.about = "describe Kiln, or one of its commands",
	.usage = "help [--all] [COMMAND]",
	.operands = OPERANDS_COMMANDS,
	.groups = groups,
	.run = run,
};
