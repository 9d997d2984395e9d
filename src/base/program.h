/* program.h: starting another program while threads may be running. */
#ifndef KILN_BASE_PROGRAM_H
#define KILN_BASE_PROGRAM_H

#include <spawn.h>
#include <stdbool.h>

/* Start a program, found in PATH, with no signal blocked. files: changes to its descriptors;
 * NULL: none. False: it could not be started. The caller waits for its end. */
bool program_start(
	const char *const *argv, const posix_spawn_file_actions_t *files, pid_t *ret_child);

#endif
