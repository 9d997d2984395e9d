/* files.h: which files does a name mean, of those that the targets run? */
#ifndef KILN_RECORDERS_PROBES_FILES_H
#define KILN_RECORDERS_PROBES_FILES_H

#include <sys/types.h>

#include "recorders/session.h"

/* Files stay open: processes that have them mapped may end. */
struct probe_file {
	char *name;    /* for people */
	char path[32]; /* that leads to it for as long as it is open */
	int fd;
	dev_t device;
	ino_t inode;
};

struct probe_files {
	VECTOR(struct probe_file) list;
};

/* Those that `name` means: a path, as we and as the targets see it; or what programs and libraries
 * are called that targets have mapped, that a command will need, or that are at the usual places.
 * "libc" means libc.so.6 as well, and not libcrypt.so. */
void probe_files_find(struct probe_files *files, struct session *s, struct bytes name);
/* All that the targets have mapped, or the command will when it starts. */
void probe_files_mapped(struct probe_files *files, struct session *s);
/* One by the path that a process has for it below its root. */
void probe_files_add(struct probe_files *files, const char *root, struct bytes path);
void probe_files_release(struct probe_files *files);

#endif
