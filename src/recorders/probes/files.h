/* files.h: finding the files that a name stands for, among those that the targets run. */
#ifndef KILN_RECORDERS_PROBES_FILES_H
#define KILN_RECORDERS_PROBES_FILES_H

#include "recorders/session.h"

#include <sys/types.h>

/* Files stay open: processes that have them mapped may end. */
struct probe_file {
	char *name;    /* for messages */
	char path[32]; /* valid as long as it is open */
	int fd;
	dev_t device;
	ino_t inode;
};

struct probe_files {
	VECTOR(struct probe_file) list;
};

/* Find `name`: a path, as the recorder and as the targets see it; or the name of a program or
 * library that targets have mapped, that a command will need, or that is in a standard directory.
 * "libc" also stands for libc.so.6, and not for libcrypt.so. */
void probe_files_find(struct probe_files *files, struct session *s, struct bytes name);
/* Add all files that the targets have mapped, or that the command will map when it starts. */
void probe_files_mapped(struct probe_files *files, struct session *s);
/* Add one file by its path below the root of a process. */
void probe_files_add(struct probe_files *files, const char *root, struct bytes path);
void probe_files_release(struct probe_files *files);

#endif
