/* output_file.h: a file that appears when it is complete, or not at all. */
#ifndef KILN_BASE_OUTPUT_FILE_H
#define KILN_BASE_OUTPUT_FILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/output_folder.h"

struct output_file;

/* Create the file that an open folder names; the file takes the folder over. If an existing device
 * or pipe has the name, that is the file. NULL and errno on failure. */
struct output_file *output_file_create(struct output_folder *folder, unsigned mode);

int output_file_fd(const struct output_file *file); /* to write to; it stays the file's */
const struct output_folder *output_file_folder(const struct output_file *file);

/* Give the written file its name. */
bool output_file_commit(struct output_file *file, struct error *err);

/* Close the file, and remove it unless it has its name. NULL is fine. */
void output_file_release(struct output_file *file);

/* Write all of `bytes` to a descriptor, through short writes and EINTR. */
bool output_write_fd(int fd, struct bytes bytes, struct error *err);

/* Remove files that have no name yet: for a signal handler that ends the process. */
void output_file_abandon(void);

#endif
