/* kernel_image.h: the symbols of a kernel's file, in the form of /proc/kallsyms. */
#ifndef KILN_IMAGES_KERNEL_IMAGE_H
#define KILN_IMAGES_KERNEL_IMAGE_H

#include "base/buffer.h"
#include "images/image.h"

/* Append a line for every function in the symbol table of a vmlinux; ERR_FORMAT when it has none,
 * or is no 64-bit file. */
bool kernel_image_text(const struct image *image, struct buffer *out, struct error *err);

#endif
