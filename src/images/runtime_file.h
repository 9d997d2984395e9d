/* runtime_file.h: is it safe to read what a running program has written about its own code?
 *
 * Perf maps, jitdumps and logs are in places that any user can write to, and the program may be
 * hostile. So only a regular file that belongs to the program's user, to the caller or to root
 * is read, never through a symbolic link in the last component of its path; and a path is
 * resolved in the program's own mount namespace. */
#ifndef KILN_IMAGES_RUNTIME_FILE_H
#define KILN_IMAGES_RUNTIME_FILE_H

#include "base/buffer.h"
#include "base/error.h"

/* The pid of a process in its innermost pid namespace, which the program itself sees and uses in
 * names of files; `pid` when the process has ended. */
int32_t runtime_file_pid(int32_t pid);

/* Open a file of process `pid` at `path`, absolute in its namespace, or in ours if the process
 * has ended. A descriptor for the caller to close, or -1: ERR_IO when there is none, otherwise
 * with the reason. */
int runtime_file_open(int32_t pid, const char *path, struct error *err);

/* The newest file in the process's current directory whose name starts with `start` and ends
 * with `end`. Result as above. */
int runtime_file_find(int32_t pid, const char *start, const char *end, struct error *err);
/* The same in a directory of ours, with any owner. */
int runtime_file_find_in(
	const char *directory, const char *start, const char *end, struct error *err);

/* Is there a file whose name starts and ends so, or are there too many to tell? */
bool runtime_file_any_in(const char *directory, const char *start, const char *end);

/* How much has been read for all programs together. A user who can write such a file can write a
 * large one, so what exceeds the limits is left out. `{0}`: nothing yet. */
#define RUNTIME_BYTES_LIMIT ((uint64_t)1 << 30)		/* without holes */
#define RUNTIME_TIME_LIMIT  ((uint64_t)10 * 1000000000) /* ns for reading and parsing */
struct runtime_budget {
	uint64_t bytes, ns;
	uint64_t steps; /* see code_map_count_steps */
};

#define RUNTIME_PIECE ((size_t)4 << 20) /* bytes */

/* A file that is read piece by piece, up to its size at the start. It is read and not mapped
 * because its writer can also truncate it.
 *
 *	if (runtime_read_begin(&r, fd, offset, budget, err))
 *		while (runtime_read_next(&r, err))
 *			... take r.text, which lies at r.start; r.offset is where the next begins
 *	runtime_read_end(&r);
 */
struct runtime_read {
	int fd;
	struct runtime_budget *budget;
	uint64_t offset, end, began;
	size_t size;	 /* bytes of a piece; may be changed */
	bool with_holes; /* holes are read as zeroes; otherwise they are skipped */
	bool done;	 /* set it to stop */
	struct buffer text;
	uint64_t start;	   /* of the text, in the file */
	bool ends, at_end; /* ends: a hole or the end of the file follows; at_end: the latter */
	uint64_t left_out;
};
bool runtime_read_begin(struct runtime_read *r, int fd, uint64_t offset,
	struct runtime_budget *budget, struct error *err);
/* False: nothing more, or an error. */
bool runtime_read_next(struct runtime_read *r, struct error *err);
/* How many bytes of the text are complete lines. A last line without a newline counts if a hole
 * follows, and at the end of the file if `complete`. */
size_t runtime_read_lines(const struct runtime_read *r, bool complete);
/* Returns how many bytes the budget left out, holes included. */
uint64_t runtime_read_end(struct runtime_read *r);

#endif
