/* runtime_file.h: may what a running program has written about its own code be read?
 *
 * Perf maps, jitdumps and logs lie where any user may put them, and the program may be hostile:
 * only a regular file that belongs to its user, to the caller or to root is read, never through a
 * symbolic link in its last part, and a path is one of the program's own mount namespace. */
#ifndef KILN_IMAGES_RUNTIME_FILE_H
#define KILN_IMAGES_RUNTIME_FILE_H

#include "base/buffer.h"
#include "base/error.h"

#define RUNTIME_FILE_LIMIT ((uint64_t)1 << 30) /* bytes */

/* The id of a process in its innermost pid namespace, which is what the program itself knows and
 * writes into names of files; `pid` itself when the process is gone. */
int32_t runtime_file_pid(int32_t pid);

/* Open a file of process `pid` at `path`, absolute in its namespace; when the process is gone, in
 * ours. A descriptor to be closed, or -1: ERR_IO when there is none, else with the reason. */
int runtime_file_open(int32_t pid, const char *path, struct error *err);

/* In the directory in which the process works, the newest file whose name starts with `start` and
 * ends with `end`. As above. */
int runtime_file_find(int32_t pid, const char *start, const char *end, struct error *err);
/* The same in a directory of ours, whoever owns the file. */
int runtime_file_beside(
	const char *directory, const char *start, const char *end, struct error *err);

/* Append what is in the file from *offset on, which moves. ERR_LIMIT when it is larger than
 * RUNTIME_FILE_LIMIT. It is read, not mapped: whoever writes the file can also cut it. */
bool runtime_file_read(int fd, uint64_t *offset, struct buffer *text, struct error *err);

#endif
