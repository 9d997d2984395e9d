/* kernel_image.h: the symbols of a vmlinux file in the format of /proc/kallsyms. */
#ifndef KILN_IMAGES_KERNEL_IMAGE_H
#define KILN_IMAGES_KERNEL_IMAGE_H

#include "base/buffer.h"
#include "images/image.h"

/* Append a line for every function in the symbol table of a vmlinux. ERR_FORMAT when it has no
 * symbol table or is not a 64-bit file. */
bool kernel_image_text(const struct image *image, struct buffer *out, struct error *err);

#endif
