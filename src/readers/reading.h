/* reading.h: read an input of any format into a profile. */
#ifndef KILN_READERS_READING_H
#define KILN_READERS_READING_H

#include "readers/readers.h"

/* The reader for an open input: the one named `format`, or if that is NULL the one with the highest
 * bid on the first READER_HEAD bytes, which are read into the input's window. NULL: no reader bids;
 * the error starts with the input's name. */
const struct reader *reader_of_input(struct input *in, const char *format, struct error *err);

/* Open `path` ("-": standard input), find its reader and read it into `out`, which is initialised
 * here. Errors start with the file's name. */
bool profile_read(const char *path, const struct read_options *options, struct profile *out,
	struct error *err);
/* The same for an open input. All commands come here, through loading/loading.h. */
bool profile_read_input(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err);

#endif
