/* output.h: a whole file that appears at once or not at all, or standard output. */
#ifndef KILN_BASE_OUTPUT_H
#define KILN_BASE_OUTPUT_H

#include "base/buffer.h"
#include "base/error.h"

struct output {
	int fd;
	bool in_memory;	     /* all of it stays in `pending` */
	char *path, *beside; /* written beside, then renamed; both NULL for standard output */
	struct buffer pending;
	struct error failed; /* the first failure; later writes are ignored */
};

/* Begin writing `path` ("-": standard output), with `mode` (0666: less the umask; 0600: private).
 * A link to a file stays one: the file is replaced, where the kernel lets the link be followed.
 * Run through sudo, the file belongs to the calling user. */
bool output_open(struct output *o, const char *path, unsigned mode, struct error *err);

/* Begin collecting in memory: the result is in `pending`. */
void output_open_memory(struct output *o);

/* Buffered; a failure is kept and reported by output_commit. */
void output_write(struct output *o, struct bytes bytes);

/* Flush, and give the file its name. After a failure nothing is left behind. Releases the output.
 */
bool output_commit(struct output *o, struct error *err);

/* Release without result. Fine after commit and on `{0}`. */
void output_discard(struct output *o);

/* Remove the file that is being written, if there is one: for a signal handler that ends the
 * process.
 */
void output_abandon(void);

/* Write all of `bytes` to `fd`, through short writes and EINTR. */
bool output_write_fd(int fd, struct bytes bytes, struct error *err);

/* Hand `fd` to the user who called sudo, if one did. */
void output_give_to_caller(int fd);

#endif
