/* reading.h: read an input of any format into a profile. */
#ifndef KILN_READERS_READING_H
#define KILN_READERS_READING_H

#include "readers/readers.h"

/* Whose an open input is, by its beginning, which is read; format: its name, or NULL. NULL:
 * nobody's, and the error starts with the file's name. */
const struct reader *reader_of_input(struct input *in, const char *format, struct error *err);

/* Open `path` ("-": standard input), find its reader and read it into `out` (initialised here).
 * Errors start with the file's name. */
bool profile_read(const char *path, const struct read_options *options, struct profile *out,
	struct error *err);
/* The same on an open input. */
bool profile_read_input(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err);

#endif
