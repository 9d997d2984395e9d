/* folder.h: the files below a folder. Nothing outside of it is opened, whatever names and links
 * say. */
#ifndef KILN_SERVER_FOLDER_H
#define KILN_SERVER_FOLDER_H

#include "base/error.h"
#include "base/memory.h"

#include <sys/stat.h>

#define FOLDER_FILES_LIMIT 10000u /* that are listed */
#define FOLDER_DEPTH_MAX   8u	  /* folders in folders */

/* Identifies a file and its content: equal marks mean that it has not changed. */
struct file_mark {
	uint64_t device, inode, size; /* size in bytes */
	int64_t modified;	      /* ns since 1970 */
};

struct file_mark file_mark_of(const struct stat *status);
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);

struct folder {
	char *path; /* as given, without a trailing "/" */
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

/* Regular files down to FOLDER_DEPTH_MAX, sorted by the bytes of their paths. Names that begin with
 * ".", links to folders and what is not readable are left out. */
void folder_list(const struct folder *f, struct folder_files *ret);
void folder_files_release(struct folder_files *files);

/* Open a regular file below the folder for reading (the caller closes it), or only for fstat. Links
 * are followed as long as they stay below the folder. -1, with errno: not found. */
int folder_open_file(const struct folder *f, const char *path, bool only_look, struct stat *ret);

#endif
