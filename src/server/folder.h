/* folder.h: which files are below a folder? Nothing else is ever opened, whatever names say. */
#ifndef KILN_SERVER_FOLDER_H
#define KILN_SERVER_FOLDER_H

#include "base/error.h"
#include "base/memory.h"

#include <sys/stat.h>

#define FOLDER_FILES_LIMIT 10000u /* that are listed */
#define FOLDER_DEPTH_MOST  8u	  /* folders in folders */

/* What tells whether a file is the one that it was, and has not been written to. */
struct file_mark {
	uint64_t device, inode, size; /* size in bytes */
	int64_t modified;	      /* ns since 1970 */
};

struct file_mark file_mark_of(const struct stat *status);
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);

struct folder {
	char *path; /* as it was named, without "/" at its end */
	int fd;
};

bool folder_open(struct folder *f, const char *path, struct error *err);
void folder_release(struct folder *f);

struct folder_files {
	VECTOR(struct folder_file {
		char *path; /* below the folder */
		struct file_mark mark;
	});
	bool more; /* than FOLDER_FILES_LIMIT */
};

/* Plain files at any depth, by the bytes of their paths; names that begin with "." and links to
 * folders are left out, and so is what may not be looked at. */
void folder_list(const struct folder *f, struct folder_files *ret);
void folder_files_release(struct folder_files *files);

/* Open a plain file below the folder for reading (the caller closes it), or for fstat alone. Links
 * are followed as long as they stay below. -1, with errno: there is none. */
int folder_open_file(const struct folder *f, const char *path, bool only_look, struct stat *ret);

#endif
