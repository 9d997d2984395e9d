/* forget_names.c: `forget_names IN OUT`: a recording as one that was cut off before it was named.
 *
 * Addresses and build ids stay; what they are called is left out. */
#include "model/kiln_file.h"
#include "readers/reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool sink_write(void *context, struct bytes bytes, struct error *err)
{
	FILE *file = context;

	return fwrite(bytes.at, 1, bytes.len, file) == bytes.len || error_errno(err, "writing");
}

int main(int argc, char **argv)
{
	struct read_options options = {.want = WANT_ALL};
	struct kiln_writer w = {0};
	struct error err = {0};
	struct profile p;
	FILE *file;

	if (argc != 3 || !profile_read(argv[1], &options, &p, &err)) {
		fprintf(stderr, "forget_names: %s\n", argc != 3 ? "IN OUT" : err.text);
		return 2;
	}
	for (location_id i = 1; i < p.locations.len; i++)
		if (p.locations.items[i].mapping)
			profile_name_location(&p, i, NULL, 0);
	file = fopen(argv[2], "w");
	w.sink = (struct kiln_sink){sink_write, file};
	if (!file || !kiln_writer_finish(&w, &p, &err) || fclose(file)) {
		fprintf(stderr, "forget_names: %s: %s\n", argv[2], err.text);
		return 1;
	}
	kiln_writer_release(&w);
	profile_release(&p);
	return 0;
}
