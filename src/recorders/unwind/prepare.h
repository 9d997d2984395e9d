/* prepare.h: which binaries will a command map when it starts? */
#ifndef KILN_RECORDERS_UNWIND_PREPARE_H
#define KILN_RECORDERS_UNWIND_PREPARE_H

#include "images/image.h"

#define PREPARED_LIMIT 512 /* binaries of one command */

/* Call `each` with the file that execvp would run, its interpreter, the libraries that it and
 * they need, and the vdso, as far as the dynamic linker's cache knows them. Those that are not
 * found are left out: this only saves time later. Nothing is run. */
void unwind_prepare(
	const char *command, void (*each)(void *context, const struct image *image), void *context);

#endif
