/* decompress.h: decompressing sections. */
#ifndef KILN_IMAGES_DECOMPRESS_H
#define KILN_IMAGES_DECOMPRESS_H

#include "base/bytes.h"

/* The content of a compressed section: behind an Elf64_Chdr (`wide`) or Elf32_Chdr if it is
 * `flagged` SHF_COMPRESSED, otherwise behind "ZLIB" and its size, big-endian. The caller frees
 * it. NULL: damaged, an unknown compression, or larger than base/expansion.h allows. */
char *decompress_section(struct bytes section, bool flagged, bool wide, size_t *ret_size);

#endif
