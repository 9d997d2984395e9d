/* version.c: `kiln version`: which Kiln is this, and what can this build do? */
#include "commands/commands.h"

#include "readers/readers.h"
#include "renderers/renderers.h"

static int run(char **operands)
{
	struct buffer text = {0};
	int code;

	(void)operands;
	buffer_text(&text, "kiln " KILN_VERSION "\n");
	if (verbosity > 0) {
		buffer_text(&text, "reads:  ");
		for (size_t i = 0; readers[i]; i++)
			buffer_printf(&text, " %s", readers[i]->name);
		buffer_text(&text, "\nwrites: ");
		for (size_t i = 0; renderers[i]; i++)
			if (renderers[i]->suffix)
				buffer_printf(&text, " %s", renderers[i]->name);
		buffer_char(&text, '\n');
	}
	code = print(&text);
	buffer_release(&text);
	return code;
}

const struct command command_version = {
	.name = "version",
	.about = "print the version; with -v also the formats that are known",
	.usage = "version [-v]",
	.operands = OPERANDS_NONE,
	.run = run,
};
