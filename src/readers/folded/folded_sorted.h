/* folded_sorted.h: folded text, line by line, without a profile: what is sorted can be merged while
 * it is read. */
#ifndef KILN_READERS_FOLDED_FOLDED_SORTED_H
#define KILN_READERS_FOLDED_FOLDED_SORTED_H

#include "base/error.h"
#include "base/input.h"

/* The position in a file. */
struct folded_sorted {
	struct input in;
	struct bytes stack; /* of the line; valid until the next one */
	int64_t value;
	size_t shared; /* bytes at its start that the caller knows: see folded_sorted_next */
	size_t taken;  /* of the window: this line and its newline */
	bool ended;    /* there is no line */
	bool plain;    /* false: only the reader of profiles can read it */
};

/* Open a plain file of whole numbers that the reader `folded` would read; *ret_plain is false for
 * anything else (a pipe, compressed text, another format, two numbers a line). */
bool folded_sorted_open(
	struct folded_sorted *f, const char *path, bool *ret_plain, struct error *err);
void folded_sorted_release(struct folded_sorted *f);

/* Move to the next line that is a stack. Its start is compared with `last`, the stack before: the
 * length in common goes to f->shared. f->plain becomes false when lines are not in the order of
 * their stacks' bytes (equal ones may follow each other), or are not what `folded` takes without a
 * remark. */
bool folded_sorted_next(struct folded_sorted *f, struct bytes last, struct error *err);

/* Instead, for unsorted lines: the next stacks, at most `most` (0: the end), valid until the next
 * call. f->plain as above. */
struct folded_plain {
	struct bytes stack;
	int64_t value;
};
bool folded_sorted_take(struct folded_sorted *f, struct folded_plain *ret_lines, size_t most,
	size_t *ret_count, struct error *err);

/* Compare two stacks whose first `shared` bytes are equal: <0, 0, >0; *ret_shared: the length of
 * their common start. */
int folded_compare_from(struct bytes a, struct bytes b, size_t shared, size_t *ret_shared);

#endif
