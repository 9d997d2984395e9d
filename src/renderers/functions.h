/* functions.h: a view's functions with what they cost. */
#ifndef KILN_RENDERERS_FUNCTIONS_H
#define KILN_RENDERERS_FUNCTIONS_H

#include "model/sides.h"

enum function_sort { SORT_BY_SELF, SORT_BY_TOTAL, SORT_BY_NAME };

/* Values are of one side, or of before and after. */
struct function_row {
	frame_id frame;	  /* 0: samples without a stack */
	int64_t self[2];  /* in itself */
	int64_t total[2]; /* with what it calls, recursion counted once */
};

struct functions {
	struct function_row *rows;
	size_t count;
	struct sides sides;
};

/* Count and order (largest first; ties by the other number, then by name): by the values that are
 * shown, or by how much they changed. Threads and commands, which are no functions, appear only
 * where samples end in them. */
void functions_init(
	struct functions *functions, const struct view *v, enum function_sort sort, bool by_change);
void functions_release(struct functions *functions);

/* The function's name, for frame 0 too. */
struct bytes function_name(const struct view *v, frame_id frame);

#endif
