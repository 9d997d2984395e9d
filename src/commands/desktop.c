/* desktop.c: how is something shown on the desktop? */
#include "commands/desktop.h"

#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"

/* Spawned, as there may be threads, and with no signal blocked, as some may be here. */
static bool spawn(const char *what, pid_t *ret_child)
{
	char *const argv[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)what, NULL};
	posix_spawnattr_t attributes;
	sigset_t none;
	int code;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	code = posix_spawnp(ret_child, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return !code;
}

void desktop_show(const char *what)
{
	pid_t child;
	int status;

	if (!spawn(what, &child) || waitpid(child, &status, 0) < 0 || status)
		say("xdg-open could not show %s", what);
}
