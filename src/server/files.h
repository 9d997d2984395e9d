/* files.h: the profile store of `kiln view`: files, folders and uploads.
 *
 * A file is read on the first request for it, and again when it has changed. Profiles stay in
 * memory as long as all together fit into the cache; then the least recently used ones are evicted.
 * What cannot be read again (standard input) stays. */
#ifndef KILN_SERVER_FILES_H
#define KILN_SERVER_FILES_H

#include "answers/profile_store.h"
#include "loading/loading.h"

struct files_settings {
	uint64_t cache; /* bytes of profiles to keep in memory */

	/* How files are read. Its listener is called by any thread. */
	const struct loading *loading;
	const char *options; /* options with which commands read files in the same way: JSON
				strings, separated by commas */
};

struct files;

struct files *files_new(const struct files_settings *settings);
void files_release(struct files *f);
struct profile_store *files_store(struct files *f);

/* Serve a file ("-": standard input). Adding a file twice has no effect. Only its first bytes are
 * read now; all of it if it can be read only once, as a pipe. */
bool files_add(struct files *f, const char *path, struct error *err);
/* Read a file that was added by its path, unless it has been read already. Requests for it wait. */
bool files_read(struct files *f, const char *path, struct error *err);

/* Serve an upload, which is read now from `fd` (and closed); a name in use gets a number. It can be
 * evicted like a file, and is lost then. */
bool files_add_upload(
	struct files *f, const char *name, int fd, struct buffer *ret_name, struct error *err);

/* Serve every profile below a folder, also those created later. *ret_more: there are more files
 * than are listed (FOLDER_FILES_LIMIT). */
bool files_add_folder(struct files *f, const char *path, bool *ret_more, struct error *err);

#endif
