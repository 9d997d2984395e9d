/* output_folder.h: the folder in which an output gets its name, opened once.
 *
 * Paths are resolved when the output is opened, and never again. From then on everything happens
 * below the folder's descriptor, with names without a slash and without following links. Another
 * user may replace what is there, but cannot make this process write to some other file. */
#ifndef KILN_BASE_OUTPUT_FOLDER_H
#define KILN_BASE_OUTPUT_FOLDER_H

#include "base/error.h"

struct output_folder {
	int fd;	    /* of the folder; only plain names are looked up in it */
	char *name; /* in the folder */
	int device; /* an existing pipe, device or terminal of that name, open for writing; -1: none
		     */
};
#define OUTPUT_FOLDER_NONE ((struct output_folder){.fd = -1, .device = -1})

/* Open the folder of `path`, which is a file, a device or does not exist yet. With `follow`, a
 * link to a file means that file if the link belongs to root, to this process's user or to the
 * owner of the folder that it leads to; any other link will be replaced. A pipe of another user
 * is refused. */
bool output_folder_open(struct output_folder *f, const char *path, bool follow, struct error *err);
/* Copy folder and name, without the device. */
bool output_folder_copy(
	const struct output_folder *f, struct output_folder *ret_copy, struct error *err);
/* Leaves OUTPUT_FOLDER_NONE, and is allowed on it. */
void output_folder_release(struct output_folder *f);

/* Create a file, open for writing; -1 and errno, also if the name exists. */
int output_folder_create(const struct output_folder *f, const char *name, unsigned mode);
/* Does `name` exist, other than as the open file `fd`? */
bool output_folder_taken(const struct output_folder *f, const char *name, int fd);
/* Remove `name` if it is the open file `fd`. Async-signal-safe. */
void output_folder_remove(const struct output_folder *f, const char *name, int fd);
/* Replace f->name by an unused name in the folder: NAME.2, NAME.3, ... */
void output_folder_free_name(struct output_folder *f);

/* The user who called sudo, and that user's group. False: not under sudo. */
bool output_folder_sudo_user(unsigned *ret_user, unsigned *ret_group);

/* Give the file `fd`, which this process created in the folder, to the user who called sudo, if
 * there is one who may write to the folder. */
void output_folder_chown_to_sudo_user(const struct output_folder *f, int fd);

#endif
