/* confine.h: what may this process still do while it reads untrusted input?
 *
 * Before it parses files, a process gives up every right that parsing does not need, so that a bug
 * in a parser gives an attacker no more than what is left. With Landlock (landlock(7)), files are
 * opened, created and removed only where that was allowed before. With seccomp (seccomp(2)), the
 * process cannot execute programs, inspect other processes, create sockets or change system
 * settings.
 *
 * On a kernel that lacks one of them, only the other applies; confinement never makes a command
 * fail. */
#ifndef KILN_BASE_CONFINE_H
#define KILN_BASE_CONFINE_H

#include "base/confine_calls.h"

struct confine {
	struct confine_allowed allowed;
	int abi;     /* version of Landlock; 0: not in this kernel, or switched off */
	int ruleset; /* -1: there is none */
};

/* Begin. Ended by confine_start. */
void confine_init(struct confine *c, unsigned flags);

/* Allow reading of a file, or of a folder and everything below it, now and later. A path that
 * does not exist is left out. A file that replaces `path` later is a different file and not
 * allowed. */
void confine_allow_read(struct confine *c, const char *path);

/* Allow listing of a folder and the folders below it. */
void confine_allow_list(struct confine *c, const char *folder);

/* As confine_allow_read, and execution. */
void confine_allow_run(struct confine *c, const char *path);

/* Allow creating, writing, renaming and removing plain files in a folder and below it, and
 * reading them. */
void confine_allow_write(struct confine *c, const char *folder);
/* As confine_allow_write, and creating and removing folders. */
void confine_allow_tree(struct confine *c, const char *folder);

/* Allow fchown of open files to this user and group: outputs become the property of the user who
 * called sudo. */
void confine_allow_chown(struct confine *c, uint32_t user, uint32_t group);

/* Which kernel features confine the calling thread, and the threads that it starts. */
enum confined {
	CONFINED_FILES = 1, /* Landlock */
	CONFINED_CALLS = 2, /* seccomp */
};

/* Confine for good. Call before other threads are started. Returns enum confined, or'ed. */
unsigned confine_start(struct confine *c);

#endif
