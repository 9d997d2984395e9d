/* output.h: a whole file that appears at once or not at all, or standard output. */
#ifndef KILN_BASE_OUTPUT_H
#define KILN_BASE_OUTPUT_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/output_folder.h"

struct output {
	int fd;
	bool in_memory; /* all of it stays in `pending` */
	char *path;	/* for messages; NULL: standard output or memory */
	struct output_file *file;
	struct buffer pending;
	uint64_t limit, written; /* bytes; a limit of 0 is none. ERR_LIMIT: base/expansion.h */
	struct error failed;	 /* the first failure; later writes are ignored */
};

/* Begin writing `path` ("-": standard output), with `mode` (0666: less the umask; 0600: private).
 * The file gets its name when it is complete. A trusted link to a file stays a link, and the file
 * is replaced (output_folder.h). Run through sudo, the file belongs to the calling user, if that
 * user may write to the folder. */
bool output_open(struct output *o, const char *path, unsigned mode, struct error *err);

/* The same in a folder that is open, and is taken over; `path` is for messages. */
bool output_open_in(struct output *o, struct output_folder *folder, const char *path, unsigned mode,
	struct error *err);

/* Where it gets its name; only of a file, before it is committed or discarded. */
const struct output_folder *output_folder_of(const struct output *o);

/* Begin collecting in memory: the result is in `pending`. */
void output_open_memory(struct output *o);

/* Buffered; a failure is kept and reported by output_commit. */
void output_write(struct output *o, struct bytes bytes);

/* Flush, and give the file its name. After a failure nothing is left behind. Releases the output.
 */
bool output_commit(struct output *o, struct error *err);

/* Release without result. Fine after commit and on `{0}`. */
void output_discard(struct output *o);

#endif
