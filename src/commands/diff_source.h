/* diff_source.h: the stacks of a file of folded text in the order of their bytes, for a difference
 * that is made line by line. */
#ifndef KILN_COMMANDS_DIFF_SOURCE_H
#define KILN_COMMANDS_DIFF_SOURCE_H

#include "readers/folded/folded_sorted.h"
#include "readers/folded/line_trie.h"
#include "transforms/canonical.h"

#include <stdatomic.h>

/* Lines that are in order, with names that stay, are read anew from the file; others have been
 * put in order. */
struct diff_source {
	const char *path;
	bool in_order;
	int64_t total;
	struct line_trie lines;
};

/* Read all of the file; false, which is no failure, when it has to become a profile. *give_up makes
 * that come sooner: another file has to. */
bool diff_source_survey(struct diff_source *s, const char *path, const struct canonical *canonical,
	const atomic_bool *give_up);
void diff_source_release(struct diff_source *s);

/* The position in a source's stacks. */
struct diff_cursor {
	const struct diff_source *source;
	struct bytes stack; /* valid until the next one */
	int64_t value;
	size_t shared; /* bytes at its start that the caller knows: see diff_cursor_next */
	bool ended;
	struct folded_sorted file;
	struct line_walk walk;
};

/* Begin with the first stack; of lines that have been put in order, of those from one place of
 * their order to another. */
bool diff_cursor_open(struct diff_cursor *c, const struct diff_source *source, size_t from,
	size_t to, struct error *err);
void diff_cursor_release(struct diff_cursor *c);
/* Move to the next stack. `last` is the one before; what they have in common at the start goes to
 * c->shared. */
bool diff_cursor_next(struct diff_cursor *c, struct bytes last, struct error *err);

#endif
