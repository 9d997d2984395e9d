/* recent.h: what do this call chain and the last one of the same program share?
 *
 * Samples that follow one another mostly differ in their innermost frames. Of each program the text
 * of the last call chain is kept (innermost frame first), with the stack that every line ends in;
 * the lines at the end that are the same need not be looked at again. */
#ifndef KILN_READERS_PERF_RECENT_H
#define KILN_READERS_PERF_RECENT_H

#include "base/bytes.h"
#include "model/profile.h"

#define RECENT_PROGRAMS	  64u
#define RECENT_TEXT_LIMIT ((size_t)256 << 10) /* bytes; longer call chains are not kept */

/* What was read of a call chain from its end up to a line. */
struct recent_mark {
	uint32_t from_end; /* bytes from the start of the line to the end of the text */
	stack_id stack;
	uint32_t lines, bad_lines, frames;
};

struct recent {
	stack_id root;	   /* the program of this call chain; 0: none */
	struct bytes text; /* in the window, or in `room` */
	char *room;
	size_t cap;
	VECTOR(struct recent_mark) marks; /* from the end of the text to its start */
};

struct recent_table {
	struct recent of[RECENT_PROGRAMS];
};

void recent_table_release(struct recent_table *t);

/* The program's last call chain, cut down to the marks that hold for `text` too; the first mark is
 * the end of the text, in the root. */
struct recent *recent_share(struct recent_table *t, stack_id root, struct bytes text);

/* Replace the last text by `text`, whose marks have been pushed. It is not copied: mostly the next
 * one of the same program follows at once. */
void recent_keep(struct recent *r, struct bytes text);

/* Copy the texts: the window is about to move. */
void recent_table_settle(struct recent_table *t);

#endif
