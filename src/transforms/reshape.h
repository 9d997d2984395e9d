/* reshape.h: transforms that say of every frame where it goes. */
#ifndef KILN_TRANSFORMS_RESHAPE_H
#define KILN_TRANSFORMS_RESHAPE_H

#include "model/view.h"

/* What a node with `frame` becomes, when its caller has become `caller`: a child of it
 * (tree_child), the caller itself, or NODE_DROPPED, whose samples go. `context` is
 * the transform's own: with reshape_matching a bool for every frame, whether it matches. */
typedef node_id reshape_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context);

/* Rebuild the view's tree, callers first; its root becomes `root`: 0 or NODE_DROPPED. */
void reshape(struct view *v, node_id root, reshape_place *place, const void *context);

/* With the frames that match the regular expression. ERR_USAGE, ERR_LIMIT as pattern_frames. */
bool reshape_matching(
	struct view *v, node_id root, reshape_place *place, const char *regex, struct error *err);

#endif
