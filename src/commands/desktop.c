/* desktop.c: how is something shown on the desktop? */
#include "commands/desktop.h"

#include "base/program.h"
#include "commands/commands.h"

#include <sys/wait.h>

void desktop_show(const char *what)
{
	const char *const argv[] = {"xdg-open", what, NULL};
	pid_t child;
	int status;

	if (!program_start(argv, NULL, &child) || waitpid(child, &status, 0) < 0 || status)
		print_notice("xdg-open could not show %s", what);
}
