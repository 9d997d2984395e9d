/* kiln_file.h: the profile's tables as bytes, and back. docs/kiln-format.md is the specification.
 *
 * A file is a header and sections. A section is the rows [first, first + rows) of one column of
 * one table, with a checksum. Unknown sections are skipped; later ones replace the rows of
 * earlier ones. An index of all sections may follow at the end. This module makes no system
 * calls: the caller passes bytes in and takes bytes out. */
#ifndef KILN_MODEL_KILN_FILE_H
#define KILN_MODEL_KILN_FILE_H

#include "base/buffer.h"
#include "model/profile.h"

#define KILN_FILE_MAGIC	  "\x89KILN\r\n\x1a"
#define KILN_FILE_VERSION 1u

/* Receives the bytes; false stops the writer with the sink's error. */
struct kiln_sink {
	bool (*write)(void *context, struct bytes bytes, struct error *err);
	void *context;
};

/* Each call writes what is new in the profile since the last one, and rewrites what may have
 * changed: values of samples (samples.changing) and locations that are named later (`unnamed`, set
 * by the caller). So a recorder appends while it records. If it is killed, the file has no index,
 * and readers scan its sections. `{0}` has written nothing. */
struct kiln_writer {
	struct kiln_sink sink;
	size_t unnamed;	 /* this many of the last locations will be named later */
	uint64_t offset; /* bytes written */
	VECTOR(struct kiln_progress) progress; /* rows written of each column */
	VECTOR(struct kiln_section) index;     /* every section so far */
};
bool kiln_writer_append(struct kiln_writer *w, const struct profile *p, struct error *err);
/* Append what is new, rewrite rows that may have changed since they were added (names of locations,
 * identities of mappings, streams), and write the index. */
bool kiln_writer_finish(struct kiln_writer *w, const struct profile *p, struct error *err);
void kiln_writer_release(struct kiln_writer *w);

/* Runs independent checks. A caller with threads may run them in parallel. NULL: one after
 * another. */
typedef void kiln_parallel(size_t count, void (*piece)(void *context, size_t i), void *context);

/* A profile over `content`, which must outlive it. Columns that are stored in one aligned piece
 * are borrowed, others are joined. All checksums and ids are verified. A file without an index
 * (the recorder was killed, or a pipe) is scanned; what is before a torn end is kept, with a
 * note in the profile. ERR_LIMIT: model/extent.h; the profile's limit depends on the file's
 * size. */
bool kiln_file_read(struct bytes content, kiln_parallel *parallel, struct profile *ret_profile,
	struct error *err);

#endif
