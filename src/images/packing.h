/* packing.h: sections that are stored compressed. */
#ifndef KILN_IMAGES_PACKING_H
#define KILN_IMAGES_PACKING_H

#include "base/bytes.h"

/* What a compressed section holds: behind an Elf64_Chdr (`wide`) or Elf32_Chdr when it is `flagged`
 * SHF_COMPRESSED, else behind "ZLIB" and its size, big-endian. The caller frees it. NULL: the
 * section is damaged, compressed in a way that is not known here, or larger than
 * base/expansion.h allows. */
char *packing_undo(struct bytes section, bool flagged, bool wide, size_t *ret_size);

#endif
