/* kiln_file.h: the profile's tables as bytes, and back. docs/kiln-format.md is the specification.
 *
 * A file is a header and sections. A section is rows [first, first + rows) of one column of one
 * table, with a checksum; unknown ones are skipped, later ones replace the rows of earlier ones. An
 * index of all sections may follow at the end. Free of files and system calls: callers bring bytes
 * and take bytes. */
#ifndef KILN_MODEL_KILN_FILE_H
#define KILN_MODEL_KILN_FILE_H

#include "base/buffer.h"
#include "model/profile.h"

#define KILN_FILE_MAGIC	  "\x89KILN\r\n\x1a"
#define KILN_FILE_VERSION 1u

/* Where the bytes go; false stops the writer with the sink's error. */
struct kiln_sink {
	bool (*write)(void *context, struct bytes bytes, struct error *err);
	void *context;
};

/* Writes what is new in the profile since the last call, and anew what has changed of samples that
 * may (samples.changing) and of `unnamed` locations, which the caller sets: a recorder appends all
 * the time, and a reader that finds no index scans the sections. `{0}` has written nothing. */
struct kiln_writer {
	struct kiln_sink sink;
	size_t unnamed;			       /* the last so many locations are named later */
	uint64_t offset;		       /* bytes written */
	VECTOR(struct kiln_progress) progress; /* rows written of each column */
	VECTOR(struct kiln_section) index;     /* every section so far */
};
bool kiln_writer_append(struct kiln_writer *w, const struct profile *p, struct error *err);
/* Append what is new, rewrite the rows that change after they were added (names of locations,
 * streams), then the index. */
bool kiln_writer_finish(struct kiln_writer *w, const struct profile *p, struct error *err);
void kiln_writer_release(struct kiln_writer *w);

/* Checks run over independent pieces; whoever has threads may run them in parallel. NULL: run one
 * after another. */
typedef void kiln_parallel(size_t count, void (*piece)(void *context, size_t i), void *context);

/* A profile over `content`, which must outlive it. Columns that are whole and aligned are borrowed;
 * others are joined. All checksums are verified and all ids checked. A file without an index (the
 * recorder was killed, or a pipe) is scanned; a torn end is noted in the profile and what is before
 * it is kept. ERR_LIMIT: model/extent.h; the profile's limit is that of its size. */
bool kiln_file_read(struct bytes content, kiln_parallel *parallel, struct profile *ret_profile,
	struct error *err);

#endif
