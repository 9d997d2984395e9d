/* confine.h: what may this process still do, once it reads what others have written?
 *
 * Files are parsed by a process that has given up what parsing does not take, so that a fault in a
 * parser can be used for no more than what is left: with Landlock (landlock(7)) files are opened,
 * made and removed only where it was allowed before, and with seccomp (seccomp(2)) no program is
 * executed, no other process looked into, no socket made and no setting of the system changed.
 *
 * A kernel without one of them does without it; nothing fails for that reason. */
#ifndef KILN_BASE_CONFINE_H
#define KILN_BASE_CONFINE_H

#include "base/confine_calls.h"

struct confine {
	struct confine_kept kept;
	int abi;     /* of Landlock; 0: this kernel has none, or it is switched off */
	int ruleset; /* -1: there is none */
};

/* Begin. confine_start or confine_release ends it. */
void confine_init(struct confine *c, unsigned keep);

/* Allow to read a file, or a folder with all that is below it, now and later. What does not exist
 * is left out. A file that later takes the name of `path` is another one, which is not allowed. */
void confine_allow_read(struct confine *c, const char *path);

/* Allow to list a folder, and those below it. */
void confine_allow_list(struct confine *c, const char *folder);

/* As confine_allow_read, and to execute. */
void confine_allow_run(struct confine *c, const char *path);

/* Allow to make, write, rename and remove plain files in a folder and below it, and to read them.
 */
void confine_allow_write(struct confine *c, const char *folder);
/* As confine_allow_write; folders may be made and removed there, too. */
void confine_allow_tree(struct confine *c, const char *folder);

/* Allow fchown of open files to this user and group: the caller of sudo becomes the owner of what
 * is written. */
void confine_allow_giving(struct confine *c, uint32_t user, uint32_t group);

/* What the kernel does for the calling thread, and those that it starts, from now on. */
enum confined {
	CONFINED_FILES = 1, /* Landlock */
	CONFINED_CALLS = 2, /* seccomp */
};

/* Confine for good. Called before other threads are started. Returns enum confined, or'ed. */
unsigned confine_start(struct confine *c);
void confine_release(struct confine *c);

#endif
