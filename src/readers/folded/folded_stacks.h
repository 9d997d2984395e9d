/* folded_stacks.h: which stacks are the frames of folded lines?
 *
 * Folded text is usually sorted, so that a line shares its outer frames with the one before: what
 * is the same is not looked at again. While it is sorted, a stack that the lines before do not hand
 * down is new, and is added without a look at those that are there: lines that start alike lie
 * together, so that a stack whose text a line does not start with does not come back.
 *
 * Lines wait until there are some: in no order their names and stacks are anywhere in memory, and
 * looking for many takes hardly longer than looking for one. */
#ifndef KILN_READERS_FOLDED_FOLDED_STACKS_H
#define KILN_READERS_FOLDED_FOLDED_STACKS_H

#include "readers/stacks/paths.h"

/* The text of a line up to `end` is this stack wherever a frame ends there. Once lines come in no
 * order, all marks are of the last line, and its path knows the stacks. */
struct folded_mark {
	uint32_t end;	/* bytes */
	uint32_t depth; /* frames */
	uint32_t frame; /* of those that wait, plus one: it becomes the stack. 0: it is known */
	stack_id stack;
};

/* With the profile and FOLDED_SORTED set it is ready for use. */
struct folded_stacks {
	struct profile *profile;
	unsigned sorted;    /* enum folded_order, or'ed: what all lines so far are in */
	struct bytes last;  /* the line before, in the window; NULL: there is none to share with */
	size_t last_frames; /* bytes of its frames */
	VECTOR(struct folded_mark) marks;	/* starts of `last` that are stacks, growing */
	VECTOR(location_id) location_of_string; /* 0: not made yet */
	VECTOR(struct folded_waiting {
		struct folded_mark start; /* what is shared with lines before */
		uint32_t frames;	  /* behind that: the next ones of those that wait */
	})
	waiting;
	VECTOR(struct bytes) names; /* of frames that wait: in the window */
	VECTOR(uint32_t) found;	    /* for each its string, then its location, then its stack */
	VECTOR(stack_id) stacks;    /* of the lines that waited */
	/* For unsorted lines: */
	struct paths paths;
	VECTOR(struct listed_path) paths_of_lines; /* that waited */
};

/* Tools sort lines as they are, or stacks before the numbers are put behind them. */
enum folded_order { ORDER_OF_LINES = 1, ORDER_OF_STACKS = 2 };
#define FOLDED_SORTED (ORDER_OF_LINES | ORDER_OF_STACKS)

void folded_stacks_release(struct folded_stacks *s);

/* Start over: the next line may have any stack. */
void folded_stacks_clear(struct folded_stacks *s);

/* A line waits, whose `frames` are its start, of less than 4 GiB, and no more than a stack may
 * have. It lies in the window and has its first `shared` bytes in common with the last one. True:
 * enough wait. */
bool folded_stacks_add(
	struct folded_stacks *s, struct bytes line, struct bytes frames, size_t shared);

/* Before the window moves: fill s->stacks with those of all queued lines, in order. */
void folded_stacks_find(struct folded_stacks *s);

#endif
