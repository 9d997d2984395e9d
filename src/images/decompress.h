/* decompress.h: decompressing sections. */
#ifndef KILN_IMAGES_DECOMPRESS_H
#define KILN_IMAGES_DECOMPRESS_H

#include "base/bytes.h"

/* The size of a compressed section's content, in bytes: behind an Elf64_Chdr (`wide`) or Elf32_Chdr
 * if it is `flagged` SHF_COMPRESSED, otherwise behind "ZLIB" and its size, big-endian. 0: empty,
 * damaged, or larger than base/expansion.h allows. */
size_t decompressed_size(struct bytes section, bool flagged, bool wide);

/* The content, which the caller frees. NULL: its size is 0, it is damaged, or its compression is
 * unknown. */
char *decompress_section(struct bytes section, bool flagged, bool wide);

#endif
