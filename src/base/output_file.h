/* output_file.h: the file of an output, for output.c. */
#ifndef KILN_BASE_OUTPUT_FILE_H
#define KILN_BASE_OUTPUT_FILE_H

#include "base/output.h"

/* Give what was written beside its name; false, and o->failed says why. Only with a path. */
bool output_file_name(struct output *o);

/* Close and remove what has no name yet, and free both names. Fine on `{0}`. */
void output_file_drop(struct output *o);

#endif
