/* debug_file.h: where are the symbols that were stripped from a binary?
 *
 * As GDB's manual describes it ("Separate Debug Files"): by build id under
 * /usr/lib/debug/.build-id, by the name and checksum in .gnu_debuglink, and in the files that
 * debuginfod's clients have already fetched. Nothing is fetched here. */
#ifndef KILN_IMAGES_DEBUG_FILE_H
#define KILN_IMAGES_DEBUG_FILE_H

#include "images/image.h"

/* The separate debug file of `image`, verified to belong to it; NULL when there is none. `root` as
 * in symbols_load. */
struct image *debug_file_open(const struct image *image, const char *root);

/* The image in .gnu_debugdata, decompressed into *ret_memory, which must outlive it (free() it);
 * NULL when there is none. */
struct image *debug_data_open(const struct image *image, char **ret_memory);

#endif
