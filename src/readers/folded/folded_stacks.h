/* folded_stacks.h: which stacks are the frames of folded lines?
 *
 * Folded text is usually sorted, so that a line shares its outer frames with the line before. Only
 * the frames behind the shared ones are looked up. While lines are sorted, lines that start with
 * the same text follow one another, so a stack whose text the line before does not start with has
 * not occurred yet, and is added without a search. At the first line that is out of order this ends
 * for good: from then on stacks are searched for by the hashes of their paths (stacks/paths.h).
 *
 * folded_stacks_add only queues the frames of a line; folded_stacks_find looks up those of many
 * lines at once. Names and stacks lie anywhere in memory, and this way their cache misses overlap.
 */
#ifndef KILN_READERS_FOLDED_FOLDED_STACKS_H
#define KILN_READERS_FOLDED_FOLDED_STACKS_H

#include "readers/stacks/paths.h"

/* A mark: a place in the text of the last line at which a frame ends, and the stack up to there. A
 * later line that starts with the same text has the same stack there, if a frame of it ends there,
 * too. While lines are sorted, marks of earlier lines are kept as long as the last line starts with
 * their text. Once they are not, all marks are those of the last line, and `paths` has the stacks.
 */
struct folded_mark {
	uint32_t end;	/* bytes */
	uint32_t depth; /* frames */
	uint32_t frame; /* its index among the queued frames, plus one. 0: `stack` is known */
	stack_id stack;
};

/* With the profile and FOLDED_SORTED set it is ready for use. */
struct folded_stacks {
	struct profile *profile;
	unsigned sorted;    /* enum folded_order, or'ed: the orders of all lines so far; 0: none */
	struct bytes last;  /* the last line, in the input's window; NULL: there is none */
	size_t last_frames; /* bytes of its frames */
	VECTOR(struct folded_mark) marks;	/* in `last`, in the order of their ends */
	VECTOR(location_id) location_of_string; /* 0: not made yet */
	/* The queue: for each line, the stack that it shares with the line before, and how many of
	 * the queued frames, which are in the order of the lines, follow it. */
	VECTOR(struct folded_waiting {
		struct folded_mark start;
		uint32_t frames;
	})
	waiting;
	VECTOR(struct bytes) names; /* of queued frames, in the input's window */
	VECTOR(uint32_t) found;	    /* of each of them: its string, then location, then stack */
	VECTOR(stack_id) stacks;    /* the result of folded_stacks_find, one for each queued line */
	/* For unsorted lines: */
	struct paths paths;			   /* its profile is NULL while lines are sorted */
	VECTOR(struct listed_path) paths_of_lines; /* the queue as paths */
};

/* Some tools sort whole lines, others sort stacks and append the numbers afterwards. */
enum folded_order { ORDER_OF_LINES = 1, ORDER_OF_STACKS = 2 };
#define FOLDED_SORTED (ORDER_OF_LINES | ORDER_OF_STACKS)

void folded_stacks_release(struct folded_stacks *s);

/* Forget the last line and its marks; lines count as unsorted from now on. */
void folded_stacks_clear(struct folded_stacks *s);

/* Queue a line. `frames` is its text without the number: less than 4 GiB, and no more frames than a
 * stack may have. The line lies in the input's window, and its first `shared` bytes are those of
 * the last line. True: call folded_stacks_find, enough lines are queued. */
bool folded_stacks_add(
	struct folded_stacks *s, struct bytes line, struct bytes frames, size_t shared);

/* Put the stacks of all queued lines into s->stacks, in their order, and empty the queue. Has to be
 * called before the window moves. */
void folded_stacks_find(struct folded_stacks *s);

#endif
