/* base.c: at which functions do stacks begin? */
#include "transforms/base.h"

#include "transforms/reshape.h"

#include <stdlib.h>

/* A stack that contains several of the functions begins at the innermost one. */
static node_id begin_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	const bool *begins = context;

	if (begins[frame])
		return tree_child(b, 0, frame);
	return caller == NODE_DROPPED ? NODE_DROPPED : tree_child(b, caller, frame);
}

void view_begin_at(struct view *v, const char *const *names, size_t count, bool keep_others)
{
	size_t frames = view_frame_count(v);
	bool *begins = memory_new(frames, sizeof(*begins));

	for (size_t i = 1; i < frames; i++)
		for (size_t n = 0; n < count; n++)
			begins[i] |= bytes_equal(view_function(v, (frame_id)i), bytes_of(names[n]));
	reshape(v, keep_others ? 0 : NODE_DROPPED, begin_place, begins);
	memory_free(begins);
}
