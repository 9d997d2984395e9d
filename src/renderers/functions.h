/* functions.h: the functions of a view and what they cost. */
#ifndef KILN_RENDERERS_FUNCTIONS_H
#define KILN_RENDERERS_FUNCTIONS_H

#include "model/sides.h"

enum function_sort { SORT_BY_SELF, SORT_BY_TOTAL, SORT_BY_NAME };

/* Values of one side, or of before and after. */
struct function_row {
	frame_id frame;	  /* 0: samples without a stack */
	int64_t self[2];  /* in the function itself */
	int64_t total[2]; /* with everything it calls, recursion counted once */
};

struct functions {
	struct function_row *rows;
	size_t count;
	struct sides sides;
};

/* Count and sort (largest first; ties by the other number, then by name): by the shown values,
 * or by how much they changed. Threads and commands, which are not functions, appear only if
 * samples end in them. */
void functions_init(
	struct functions *functions, const struct view *v, enum function_sort sort, bool by_change);
void functions_release(struct functions *functions);

/* The function's name, also for frame 0. */
struct bytes function_name(const struct view *v, frame_id frame);

/* For each of some frames: has another one of them the same name and module? They differ by their
 * kind then: inlined at one place and called at another, or compiled twice. */
void frames_find_alike(const struct view *v, const frame_id *frames, size_t count, bool *ret_alike);

#endif
