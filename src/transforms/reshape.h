/* reshape.h: transforms that decide for each frame where it goes.
 *
 * Most transforms of trees need only this: one forward sweep over the nodes. When a node is
 * reached, its caller's new node is known, and the transform's function returns the node's new
 * node: a child of that, that itself, or none. */
#ifndef KILN_TRANSFORMS_RESHAPE_H
#define KILN_TRANSFORMS_RESHAPE_H

#include "model/view.h"

/* What a node with `frame` becomes if its caller has become `caller`: a child of it
 * (tree_child), the caller itself, or NODE_DROPPED, whose samples are left out. `context`
 * belongs to the transform; with reshape_matching it is a bool for every frame: does it match? */
typedef node_id reshape_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context);

/* Rebuild the view's tree, callers first; its root becomes `root`: 0 or NODE_DROPPED. */
void reshape(struct view *v, node_id root, reshape_place *place, const void *context);

/* The same for frames that match the regular expression. ERR_USAGE, ERR_LIMIT as pattern_frames. */
bool reshape_matching(
	struct view *v, node_id root, reshape_place *place, const char *regex, struct error *err);

#endif
