/* image_file.h: the content of a binary, opened within limits.
 *
 * A recorder opens binaries of other users. So files that are not ELF, too large or too sparse are
 * refused, and the memory for all files together is limited. */
#ifndef KILN_IMAGES_IMAGE_FILE_H
#define KILN_IMAGES_IMAGE_FILE_H

#include "base/stable_file.h"

#include <stdint.h>

#define IMAGE_SIZE_LIMIT ((uint64_t)16 << 30) /* bytes */

struct stat;

/* `{0}` holds nothing. */
struct image_file {
	struct stable_file stable; /* its content */
	_Atomic uint64_t *counter; /* the total that includes its size; or NULL */
	void *pinned;		   /* a page of the file that keeps its inode; or NULL */
	bool others_can_change;	   /* other users can change it */
	uint64_t derived;	   /* bytes of data derived from it: image_file_charge */
	bool is_over_limit;	   /* image_file_charge has refused some */
};

/* Can users other than root and ours change a file with this status? */
bool image_file_others_can_change(const struct stat *status);

/* Open `fd`, which is not consumed. Errors name the file as `name`: ERR_FORMAT if it is not an ELF
 * file, ERR_LIMIT if it is too large or sparse, or if all open files are too large. */
bool image_file_open(struct image_file *ret, int fd, const char *name, struct error *err);
void image_file_close(struct image_file *file);

/* Count memory for data derived from the content, such as a decompressed section, until the file is
 * closed. False: other users can change the file, and the memory for data from all such files has
 * reached its limit. For one thread at a time for each file. */
bool image_file_charge(struct image_file *file, uint64_t bytes);

#endif
