/* version.c: `kiln version`: which Kiln is this? */
#include "commands/commands.h"

static int run(char **operands)
{
	struct buffer text = {0};
	int code;

	(void)operands;
	buffer_text(&text, "kiln " KILN_VERSION "\n");
	code = print(&text);
	buffer_release(&text);
	return code;
}

const struct command command_version = {
	.name = "version",
	.about = "print the version",
	.usage = "version",
	.operands = OPERANDS_NONE,
	.run = run,
};
