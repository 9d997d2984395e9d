/* mutate_kiln.h: .kiln files whose sizes and checksums are right, whatever is in their rows. */
#ifndef KILN_FUZZ_MUTATE_KILN_H
#define KILN_FUZZ_MUTATE_KILN_H

#include "model/kiln_columns.h"
#include "mutation.h"

/* A file's sections, to be changed in any way. The index is not among them: it is written anew. */
struct kiln_draft {
	uint64_t flags;
	bool finished; /* with an index at the end */
	VECTOR(struct kiln_draft_section {
		struct kiln_section
			head; /* table, column, instance, item_size, first, rows count */
		struct buffer payload;
	})
	sections;
};

bool is_kiln(struct bytes file);

/* Take whatever can be taken for sections from any bytes. */
void kiln_draft_read(struct kiln_draft *d, struct bytes file);
/* Append the file, with right sizes and checksums. */
void kiln_draft_write(const struct kiln_draft *d, struct buffer *out);
void kiln_draft_release(struct kiln_draft *d);

/* A valid random profile, written in one or several pieces, finished or not. */
void kiln_generate(uint64_t *state, struct buffer *out);

/* Change some things in the draft. */
void kiln_draft_mutate(struct kiln_draft *d, uint64_t *state);
/* Change the draft so that a reader accepts it: rows agree, ids are within their tables, texts are
 * clean. */
void kiln_draft_repair(struct kiln_draft *d);

/* Mutate a file in place, repaired more often than not; one that is no .kiln is replaced by a
 * generated one. Returns its new size. */
size_t mutate_kiln(uint8_t *data, size_t size, size_t max_size, uint64_t seed);
/* The first file with a table of the second one. */
size_t cross_kiln(
	struct bytes first, struct bytes second, uint8_t *out, size_t max_size, uint64_t seed);

#endif
