/* debug_file.h: where are the symbols that were stripped from a binary?
 *
 * Found as GDB's manual describes it ("Separate Debug Files"): by build id, and by the name and
 * checksum in .gnu_debuglink; also from servers, if `binary_locations` has them. */
#ifndef KILN_IMAGES_DEBUG_FILE_H
#define KILN_IMAGES_DEBUG_FILE_H

#include "images/binary_locations.h"

/* The separate debug file of `image`, verified to belong to it; NULL: none. `binary_locations` may
 * be NULL. */
struct image *debug_file_open(
	const struct image *image, const struct binary_locations *binary_locations);

/* The image in .gnu_debugdata, decompressed into *ret_memory, which must outlive it; NULL: none, or
 * it is too large. */
struct image *debug_data_open(const struct image *image, struct bytes *ret_memory);
void debug_data_release(struct bytes *memory);

#endif
