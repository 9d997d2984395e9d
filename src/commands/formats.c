/* formats.c: `kiln formats`: which formats are read and written? */
#include "commands/commands.h"

#include "readers/readers.h"
#include "renderers/renderers.h"

static struct formats {
	bool markdown;
} own;

static const struct option options[] = {
	{.name = "markdown",
		.help = "print docs/formats.md, with how each format was verified",
		.set = option_flag,
		.offset = offsetof(struct formats, markdown)},
	{0},
};

static const struct option_group *groups(void)
{
	static const struct option_group all[] = {{"Output", options, &own}, {0}};

	return all;
}

static void plain(struct buffer *out)
{
	buffer_text(out, "Read, recognised by content (or --format NAME):\n");
	for (size_t i = 0; readers[i]; i++)
		buffer_printf(out, "  %-16s %s\n", readers[i]->name, readers[i]->about);
	buffer_text(out, "\nWritten, chosen by the file's suffix (or --to NAME):\n");
	for (size_t i = 0; renderers[i]; i++)
		if (renderers[i]->suffix)
			buffer_printf(out, "  %-16s %s (%s)\n", renderers[i]->name,
				renderers[i]->about, renderers[i]->suffix);
}

/* Text of a cell: '|' would end it, and '<' start an element outside of code. */
static void cell(struct buffer *out, const char *text)
{
	bool code = false;

	for (; *text; text++) {
		code ^= *text == '`';
		if (*text == '|' || (*text == '<' && !code))
			buffer_char(out, '\\');
		buffer_char(out, *text);
	}
}

static void row(struct buffer *out, const char *name, const char *const cells[3])
{
	buffer_printf(out, "| `%s`", name);
	for (size_t i = 0; i < 3; i++) {
		buffer_text(out, " | ");
		cell(out, cells[i]);
	}
	buffer_text(out, " |\n");
}

static void markdown(struct buffer *out)
{
	buffer_text(out,
		"# Formats\n"
		"\n"
		"`kiln formats --markdown` writes this page.\n"
		"\n"
		"## Read\n"
		"\n"
		"Kiln recognises the format of an input by its content. The input can be a file or "
		"a pipe, and can be\n"
		"compressed with gzip, zstd or xz. If the content does not show the format, use "
		"`--format NAME`.\n"
		"\n"
		"| format | what it is | recognised by | verified with |\n"
		"|---|---|---|---|\n");
	for (size_t i = 0; readers[i]; i++)
		row(out, readers[i]->name,
			(const char *[]){readers[i]->about, readers[i]->expects,
				readers[i]->proof ? readers[i]->proof : "not verified"});
	buffer_text(out,
		"\n"
		"## Written\n"
		"\n"
		"The suffix of the output's name chooses the format. For an output without "
		"a suffix, use `--to NAME`.\n"
		"\n"
		"| format | what it is | suffix | verified with |\n"
		"|---|---|---|---|\n");
	for (size_t i = 0; renderers[i]; i++)
		if (renderers[i]->suffix)
			row(out, renderers[i]->name,
				(const char *[]){renderers[i]->about, renderers[i]->suffix,
					renderers[i]->proof ? renderers[i]->proof
							    : "not verified"});
}

static int run(char **operands)
{
	struct buffer text = {0};
	int code;

	(void)operands;
	(own.markdown ? markdown : plain)(&text);
	code = print(&text);
	buffer_release(&text);
	return code;
}

const struct command command_formats = {
	.name = "formats",
	.about = "list the formats that Kiln reads and writes",
	.usage = "formats [--markdown]",
	.groups = groups,
	.operands = OPERANDS_NONE,
	.run = run,
};
