/* input_folder.h: which files of a folder are one content?
 *
 * `perf record --threads` writes a folder: the file `data`, and a file for the records of each
 * thread, data.0, data.1, ... With `--kcore`, there is only `data`. */
#ifndef KILN_BASE_INPUT_FOLDER_H
#define KILN_BASE_INPUT_FOLDER_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define INPUT_PARTS_LIMIT 8192u

/* Where a part is in the content: offsets. */
struct input_part {
	uint64_t start, end;
};

/* Opens a file of the folder for reading; -1 with errno. */
typedef int input_part_opener(void *context, const char *name);

struct input_part_fds {
	int *items;
	size_t len, cap;
};

/* Open all parts, one after the other. False with errno: `data` or a later part cannot be opened,
 * one is missing in between (ENOENT), or there are more than the limit (EMFILE). The caller closes
 * the descriptors. */
bool input_folder_open(input_part_opener *open, void *context, struct input_part_fds *ret_fds);

void input_folder_close(struct input_part_fds *fds);

#endif
