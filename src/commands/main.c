/* main.c: which command is wanted? */
#include "base/output_file.h"
#include "base/scope.h"
#include "commands/classic/classic.h"
#include "commands/commands.h"
#include "commands/interrupted.h"

#include "base/large_pages.h"
#include "base/leases.h"
#include "base/memory.h"
#include "base/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A descriptor that the caller closed would otherwise be given to the next file that is opened, and
 * messages would go into it. Reading and writing these fails as it would have before. */
static void open_missing_descriptors(void)
{
	static const int mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) != fd)
			_exit(1);
}

/* Nothing is allocated here. */
static void end_without_memory(size_t size)
{
	char text[128];
	int len = size ? snprintf(text, sizeof(text),
				 "kiln: out of memory: cannot allocate %zu bytes; raise the memory "
				 "limit (ulimit -v)\n",
				 size)
		       : snprintf(text, sizeof(text),
				 "kiln: out of memory; raise the memory limit (ulimit -v)\n");

	output_file_abandon();
	if (write(STDERR_FILENO, text, (size_t)len) < 0)
		_exit(1);
	_exit(1);
}

static int unknown_command(const char *name)
{
	struct error err = {0};
	const char *nearest = command_nearest(name);

	if (!access(name, F_OK))
		error_set(&err, ERR_USAGE,
			"'%s' is a file, not a command; draw it with: kiln draw %s", name, name);
	else if (nearest)
		error_set(&err, ERR_USAGE, "unknown command '%s'; did you mean '%s'? (kiln help)",
			name, nearest);
	else
		error_set(&err, ERR_USAGE, "unknown command '%s' (kiln help lists them)", name);
	return fail(&err);
}

/* A link named like a command of its own tradition is that command. */
static bool is_called(const char *program, const char *name)
{
	const char *slash = program ? strrchr(program, '/') : NULL;

	return program && !strcmp(slash ? slash + 1 : program, name);
}

int main(int argc, char **argv)
{
	const struct command *command;
	const char *name = argc > 1 ? argv[1] : "help";
	const struct classic_tool *tool = classic_by_path(argv[0]);
	bool asks_version = !strcmp(name, "-V") || !strcmp(name, "--version");

	scope_out_of_memory = end_without_memory;
	large_pages_heap();
	open_missing_descriptors();
	signal(SIGPIPE, SIG_DFL); /* end silently, whatever the parent set */
	leases_allow();
	interrupted_catch();
	if (tool)
		return classic_run(tool, argv);
	if (is_called(argv[0], "flamegraph") && !asks_version)
		return command_run(command_by_name("flamegraph"), argv);
	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		name = "help";
	if (asks_version)
		name = "version";
	command = command_by_name(name);
	if (!command)
		return unknown_command(name);
	return command_run(command, argc > 1 ? argv + 1 : argv);
}
