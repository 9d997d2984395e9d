/* output_file.h: the file of an output, for output.c. */
#ifndef KILN_BASE_OUTPUT_FILE_H
#define KILN_BASE_OUTPUT_FILE_H

#include "base/output.h"

/* Give what was written its name; false, and o->failed says why. Only with a file. */
bool output_file_name(struct output *o);

/* Close the file, and remove it unless it has its name. Fine on `{0}`. */
void output_file_drop(struct output *o);

#endif
