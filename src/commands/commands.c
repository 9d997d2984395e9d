/* commands.c: which commands are there, how are they called, and how do they speak? */
#include "commands/commands.h"

#include "base/output.h"
#include "base/output_file.h"
#include "commands/terminal.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define ENTRY(name) extern const struct command command_##name;
#include "commands.list"
#undef ENTRY

const struct command *const commands[] = {
#define ENTRY(name) &command_##name,
#include "commands.list"
#undef ENTRY
	NULL,
};

int verbosity;

static struct general {
	bool help, quiet, verbose;
} general;

static const struct option general_options[] = {
	{.name = "help",
		.letter = 'h',
		.help = "print this help",
		.set = option_flag,
		.offset = offsetof(struct general, help)},
	{.name = "quiet",
		.letter = 'q',
		.help = "print only errors",
		.set = option_flag,
		.offset = offsetof(struct general, quiet)},
	{.name = "verbose",
		.letter = 'v',
		.help = "print more",
		.set = option_flag,
		.offset = offsetof(struct general, verbose)},
	{0},
};

void command_all_groups(
	const struct command *command, struct option_group ret_groups[COMMAND_GROUPS])
{
	const struct option_group *own = command->groups ? command->groups() : NULL;
	size_t count = 0;

	for (; own && own[count].options; count++)
		ret_groups[count] = own[count];
	assert(count + 2 <= COMMAND_GROUPS);
	ret_groups[count++] = (struct option_group){"General", general_options, &general};
	ret_groups[count] = (struct option_group){0};
}

const struct command *command_by_name(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

const char *command_nearest(const char *name)
{
	const char *names[sizeof(commands) / sizeof(*commands)];
	size_t count = 0;

	for (; commands[count]; count++)
		names[count] = commands[count]->name;
	return option_nearest(names, count, bytes_of(name));
}

void command_explain(const struct command *command, bool all, size_t width, struct buffer *out)
{
	struct option_group groups[COMMAND_GROUPS];
	struct bytes usage = bytes_of(command->usage), line;

	for (const char *lead = "usage:"; bytes_line(&usage, &line); lead = "      ")
		buffer_printf(out, "%s kiln %.*s\n", lead, (int)line.len, line.at);
	buffer_printf(out, "\n%c%s.\n", toupper(command->about[0]), command->about + 1);
	command_all_groups(command, groups);
	options_help(groups, all, width, out);
	if (command->notes)
		buffer_printf(out, "\n%s\n", command->notes);
	if (all && command->details)
		buffer_printf(out, "\n%s\n", command->details);
}

int command_run(const struct command *command, char **argv)
{
	struct option_group groups[COMMAND_GROUPS];
	char **operands;
	struct error err = {0};

	command_all_groups(command, groups);
	if (!options_parse(groups, argv, command->stop_at_operand, &operands, &err)) {
		error_prefix(&err, "%s: ", command->name);
		return fail(&err);
	}
	verbosity = general.quiet ? -1 : general.verbose;
	if (general.help)
		return command_help.run((char *[]){(char *)(uintptr_t)command->name, NULL});
	return command->run(operands);
}

/* One write, so that lines of several processes do not mix. Texts have names in them that others
 * chose (of files, of what was sent, of functions): they do nothing to the terminal. */
static void print_line(const char *text, const char *colour)
{
	struct buffer line = {0};
	bool coloured = terminal_colour(STDERR_FILENO);
	struct error ignored = {0}; /* nothing is left to say it to */

	buffer_printf(&line, "%s%s%s ", coloured ? colour : "", "kiln:", coloured ? "\33[0m" : "");
	buffer_visible(&line, bytes_of(text));
	buffer_char(&line, '\n');
	output_write_fd(STDERR_FILENO, buffer_bytes(&line), &ignored);
	buffer_release(&line);
}

void print_notice(const char *fmt, ...)
{
	struct buffer text = {0};
	va_list arguments;

	if (verbosity < 0)
		return;
	va_start(arguments, fmt);
	buffer_format(&text, fmt, arguments);
	va_end(arguments);
	print_line(text.at, "\33[1m");
	buffer_release(&text);
}

int fail(const struct error *err)
{
	assert(err->code != ERR_NONE);
	print_line(err->text, "\33[1;31m");
	return error_exit_code(err);
}

int print(const struct buffer *text)
{
	struct output out;
	struct error err = {0};

	if (!output_open(&out, "-", 0666, &err))
		return fail(&err);
	output_write(&out, buffer_bytes(text));
	return output_commit(&out, &err) ? 0 : fail(&err);
}
