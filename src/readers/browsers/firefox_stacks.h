/* firefox_stacks.h: the stacks of a profile of the Firefox Profiler, of which its tables have a row
 * for each frame. */
#ifndef KILN_READERS_BROWSERS_FIREFOX_STACKS_H
#define KILN_READERS_BROWSERS_FIREFOX_STACKS_H

#include "readers/browsers/firefox_file.h"

#define FIREFOX_NO_STACK UINT32_MAX

struct firefox_row_stack {
	uint32_t round;
	stack_id stack;
};

/* With `file` and the names' profile and `want` set. */
struct firefox_stacks {
	struct firefox_file *file;
	struct text_stacks names; /* has no samples */
	/* The stacks of rows of a stack table, above a base: of `round` are those that are known.
	 */
	VECTOR(struct firefox_row_stack) stacks;
	struct firefox_tables *tables;
	stack_id base;
	uint32_t round;
	VECTOR(uint32_t) chain;
	uint64_t no_stack, too_deep; /* rows asked for in vain */
};
void firefox_stacks_release(struct firefox_stacks *s);

/* The stacks of rows of these tables are asked for next, above `base`; of the file's shared ones a
 * thread before may have asked, too. */
void firefox_stacks_begin(struct firefox_stacks *s, struct firefox_tables *t, stack_id base);

stack_id firefox_stacks_learn(struct firefox_stacks *s, uint32_t row);

/* FIREFOX_NO_STACK: it is not there. */
static inline stack_id firefox_stack(struct firefox_stacks *s, uint32_t row)
{
	if (row < s->tables->stack_frame.len && s->stacks.items[row].round == s->round)
		return s->stacks.items[row].stack;
	return firefox_stacks_learn(s, row);
}

#endif
