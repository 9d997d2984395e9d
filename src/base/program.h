/* program.h: another program, started while there may be threads. */
#ifndef KILN_BASE_PROGRAM_H
#define KILN_BASE_PROGRAM_H

#include <spawn.h>
#include <stdbool.h>

/* Found by PATH, with no signal blocked, as some may be here. files: what is done to its files;
 * NULL: nothing. False: it could not be started. Whoever asks waits for it. */
bool program_start(
	const char *const *argv, const posix_spawn_file_actions_t *files, pid_t *ret_child);

#endif
