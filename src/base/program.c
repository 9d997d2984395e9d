/* program.c: how is another program started? */
#include "base/program.h"

#include <signal.h>
#include <stdint.h>
#include <unistd.h>

bool program_start(
	const char *const *argv, const posix_spawn_file_actions_t *files, pid_t *ret_child)
{
	posix_spawnattr_t attributes;
	sigset_t none;
	int code;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	code = posix_spawnp(
		ret_child, argv[0], files, &attributes, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attributes);
	return !code;
}
