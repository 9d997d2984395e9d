/* runtime_file.h: may what a running program has written about its own code be read?
 *
 * Perf maps, jitdumps and logs lie where any user may put them, and the program may be hostile:
 * only a regular file that belongs to its user, to the caller or to root is read, never through a
 * symbolic link in its last part, and a path is one of the program's own mount namespace. */
#ifndef KILN_IMAGES_RUNTIME_FILE_H
#define KILN_IMAGES_RUNTIME_FILE_H

#include "base/buffer.h"
#include "base/error.h"

/* The id of a process in its innermost pid namespace, which is what the program itself knows and
 * writes into names of files; `pid` itself when the process is gone. */
int32_t runtime_file_pid(int32_t pid);

/* Open a file of process `pid` at `path`, absolute in its namespace; when the process is gone, in
 * ours. A descriptor to be closed, or -1: ERR_IO when there is none, else with the reason. */
int runtime_file_open(int32_t pid, const char *path, struct error *err);

/* In the directory in which the process works, the newest file whose name starts with `start` and
 * ends with `end`. As above. */
int runtime_file_find(int32_t pid, const char *start, const char *end, struct error *err);
/* The same in a directory of ours, whoever owns the file. */
int runtime_file_beside(
	const char *directory, const char *start, const char *end, struct error *err);

/* What has been read of all programs together. Whoever may write such a file may write a large one:
 * what goes beyond the limits is left out. `{0}`: nothing yet. */
#define RUNTIME_BYTES_LIMIT ((uint64_t)1 << 30)		/* without holes */
#define RUNTIME_TIME_LIMIT  ((uint64_t)10 * 1000000000) /* ns, of reading and understanding */
struct runtime_budget {
	uint64_t bytes, ns;
};

#define RUNTIME_PIECE ((size_t)4 << 20) /* bytes */

/* A file read piece by piece, as large as it is at the start. It is read, not mapped: whoever
 *writes it can also cut it.
 *
 *	if (runtime_read_begin(&r, fd, offset, budget, err))
 *		while (runtime_read_next(&r, err))
 *			... take r.text, which lies at r.start; r.offset is where the next begins
 *... runtime_read_end(&r); */
struct runtime_read {
	int fd;
	struct runtime_budget *budget;
	uint64_t offset, end, began;
	size_t size;	 /* bytes of a piece; may be changed */
	bool with_holes; /* as zeroes; else they are skipped */
	bool done;	 /* set it to read no more */
	struct buffer text;
	uint64_t start;	   /* of the text, in the file */
	bool ends, at_end; /* is a hole or the end behind the text, is it the end? */
	uint64_t left_out;
};
bool runtime_read_begin(struct runtime_read *r, int fd, uint64_t offset,
	struct runtime_budget *budget, struct error *err);
/* False: no more is to be read, or an error. */
bool runtime_read_next(struct runtime_read *r, struct error *err);
/* Bytes of the text that are lines; a last one without its end counts where a hole follows, and at
 * the end of the file when that is `complete`. */
size_t runtime_read_lines(const struct runtime_read *r, bool complete);
/* Returns how many bytes were left out, holes included, because of the budget. */
uint64_t runtime_read_end(struct runtime_read *r);

#endif
