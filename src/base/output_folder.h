/* output_folder.h: the folder in which an output gets its name, opened once.
 *
 * Paths are looked up when the output is opened, and never again. From then on everything happens
 * below the folder's descriptor, under names without a slash, and no link is followed: what others
 * put there in the meantime may be replaced, but nothing is written through it. */
#ifndef KILN_BASE_OUTPUT_FOLDER_H
#define KILN_BASE_OUTPUT_FOLDER_H

#include "base/error.h"

struct output_folder {
	int fd;	    /* of the folder; only names are looked up below it */
	char *name; /* in the folder */
	int device; /* the pipe, device or terminal of that name, open for writing; -1: none */
};
#define OUTPUT_FOLDER_NONE ((struct output_folder){.fd = -1, .device = -1})

/* Open the folder of `path`, which is a file, a device or nothing yet. With `follow`, a link to a
 * file counts as that file when the link belongs to root, to this process's user or to the owner of
 * the folder it leads to; any other link is a name to be replaced. A pipe of another user is
 * refused. */
bool output_folder_open(struct output_folder *f, const char *path, bool follow, struct error *err);
/* The same folder and name, without the device. */
bool output_folder_copy(
	const struct output_folder *f, struct output_folder *ret_copy, struct error *err);
/* Leaves OUTPUT_FOLDER_NONE, and is fine on it. */
void output_folder_release(struct output_folder *f);

/* Create a file, open for writing; -1 and errno, also when anything has that name. */
int output_folder_create(const struct output_folder *f, const char *name, unsigned mode);
/* Has `name` a file that is not the open file `fd`? */
bool output_folder_taken(const struct output_folder *f, const char *name, int fd);
/* Remove `name` if it is the open file `fd`; safe in a signal handler. */
void output_folder_remove(const struct output_folder *f, const char *name, int fd);
/* Replace f->name by a name in the folder that is not used: NAME.2, NAME.3, ... */
void output_folder_free_name(struct output_folder *f);

/* The user who called sudo, and his group. False: nobody did. */
bool output_folder_caller(unsigned *ret_user, unsigned *ret_group);

/* Hand the file `fd`, which this process created in the folder, to the user who called sudo, if one
 * did and may write to the folder. */
void output_folder_give_to_caller(const struct output_folder *f, int fd);

#endif
