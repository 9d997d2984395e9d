/* files.h: a shelf of files: which are there, and which of them are in memory?
 *
 * A file is read when it is asked for, and again when it has changed. Profiles stay in memory as
 * long as all together take less than the cache; then those that were not asked for the longest are
 * let go. What cannot be read again (standard input) stays. */
#ifndef KILN_SERVER_FILES_H
#define KILN_SERVER_FILES_H

#include "answers/shelf.h"
#include "loading/loading.h"

struct files_settings {
	uint64_t cache; /* bytes of profiles in memory */

	/* How they are read. Its listener is called by any thread. */
	const struct loading *loading;
	const char *options; /* of the commands, by which they read files alike: JSON strings and
				commas */
};

struct files;

struct files *files_new(const struct files_settings *settings);
void files_release(struct files *f);
struct shelf *files_shelf(struct files *f);

/* Serve a file ("-": standard input). A second time is none. Only its beginning is read now, or all
 * of what is there only once, as a pipe. */
bool files_add(struct files *f, const char *path, struct error *err);
/* Read all of one that was added by its path, if nobody has done so yet: who asks for it meanwhile
 * waits. */
bool files_read(struct files *f, const char *path, struct error *err);

/* Serve what somebody has sent, which is read now from `fd` (and closed); the name gets a number
 * when it is taken. It is let go like those of files, and then gone. */
bool files_add_sent(
	struct files *f, const char *name, int fd, struct buffer *ret_name, struct error *err);

/* Serve every profile below a folder, those that come later, too. *ret_more: there are so many
 * files that not all are. */
bool files_add_folder(struct files *f, const char *path, bool *ret_more, struct error *err);

#endif
