/* output.h: a file that appears complete or not at all, or standard output. */
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
	uint64_t limit, written; /* bytes; limit 0: none. ERR_LIMIT beyond: base/expansion.h */
	struct error failed;	 /* the first failure; later writes are ignored */
};

/* Begin writing `path` ("-": standard output) with `mode` (0666: minus the umask; 0600:
 * private). The file gets its name when it is complete. A trusted link to a file stays a link,
 * and its target is replaced (output_folder.h). Under sudo the file belongs to the calling user,
 * if that user may write to the folder. */
bool output_open(struct output *o, const char *path, unsigned mode, struct error *err);

/* The same in an open folder, which the output takes over; `path` is for messages. */
bool output_open_in(struct output *o, struct output_folder *folder, const char *path, unsigned mode,
	struct error *err);

/* The folder of an output file; only before it is committed or discarded. */
const struct output_folder *output_folder_of(const struct output *o);

/* Collect the output in memory; it is in `pending`. */
void output_open_memory(struct output *o);

/* Buffered. A failure is kept and reported by output_commit. */
void output_write(struct output *o, struct bytes bytes);

/* Flush, and give the file its name. Leaves nothing behind after a failure. Releases the output. */
bool output_commit(struct output *o, struct error *err);

/* Release without a result. Allowed after commit and on `{0}`. */
void output_discard(struct output *o);

#endif
