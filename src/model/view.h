/* view.h: a profile as somebody wants to see it: which samples, in which tree.
 *
 * A view never changes its profile. It starts as a projection (stacks over locations become a tree
 * over frames) and is then narrowed and reshaped by transforms. A transform answers with a new tree
 * and a map from old nodes to new ones, or with samples to leave out, or with both; view_reshape
 * and view_keep_samples compose them. Renderers see only the view.
 *
 * Node 0 is the root and stands for all; a node's caller has a smaller id than the node. */
#ifndef KILN_MODEL_VIEW_H
#define KILN_MODEL_VIEW_H

#include "model/profile.h"

typedef uint32_t node_id;
#define NODE_DROPPED UINT32_MAX /* in maps: samples that end here are left out */

enum projection {
	BY_FUNCTION, /* frames that share function, module and kind are one */
	BY_LINE,     /* ... and file and line */
	BY_ADDRESS,  /* ... and places without a name are told apart by their addresses */
	BY_NOTHING,  /* the root is all there is: for who asks when samples were, and not in what */

	/* To be or'ed to one of them: */
	PROJECT_LINES = 8,  /* names of frames with a line say it: `work (file.c:42)` */
	PROJECT_OUTER = 16, /* without what was inlined into a function */
};

struct tree {
	VECTOR(node_id) caller; /* [0] is 0 */
	VECTOR(frame_id) frame; /* [0] is 0 */
};

/* The call tree being built: the child of `caller` with `frame`, added when it is new. */
struct tree_builder {
	struct tree tree;
	struct callees children;
	size_t limit; /* nodes; more are not added, */
	bool full;    /* which says so */
};
void tree_builder_init(struct tree_builder *b); /* with its root, and the usual limit */
node_id tree_child(struct tree_builder *b, node_id caller, frame_id frame);
void tree_builder_release(struct tree_builder *b); /* whatever has not been moved out */
void tree_release(struct tree *t);

struct view_samples {
	node_id *node;	/* NULL: that of the sample's stack */
	uint64_t *keep; /* one bit a sample; NULL: all */
};

/* How the two sides of a comparison are to be seen. */
enum widths {
	WIDTHS_AFTER,
	WIDTHS_BEFORE,
	WIDTHS_GONE, /* before's, of what has no value in after */
};
#define COMPARISON_THRESHOLD 0.5 /* unless the user says another one */
struct comparison {
	enum widths widths;
	bool normalised;  /* before is scaled to after's total */
	double threshold; /* percent of the whole: smaller changes are noise */
	int64_t whole[2]; /* totals of before and after for both; 0, 0: of what is shown */
};

struct view {
	const struct profile *profile;
	struct tree tree;
	node_id *node_of_stack; /* for every stack of the profile; NULL: it has the same number */
	struct view_samples *samples; /* for every samples table of the profile */
	bool *streams;		      /* for every stream of the profile: is it shown? */
	struct comparison comparison; /* for profiles with two sides */
	enum projection projection;
	bool changed;	      /* a transform did something */
	bool full;	      /* its tree reached the profile's limit: it is not all there */
	struct profile extra; /* strings and frames that transforms made */
	struct id_map known_strings, known_frames; /* of the profile, when it has no maps itself */
};

/* Every sample, the profile's first kind (and side) selected. The profile outlives the view. */
void view_init(struct view *v, const struct profile *p, enum projection projection);
void view_release(struct view *v);
/* The same view once more, with nothing in common but the profile. */
void view_copy(const struct view *v, struct view *ret);

/* Show the streams of this kind ("cpu", "samples", an event's name; "": the first) instead; with
 * idle, also idle samples of the same event in the same unit. False (ERR_USAGE, naming the kinds
 * there are) when there is none. */
bool view_select(struct view *v, struct bytes kind, bool with_idle, struct error *err);

/* ---- For transforms ---- */

/* A builder for a tree of the view. */
void view_builder_init(const struct view *v, struct tree_builder *b);
/* Take the builder's tree (moved) in place of the view's; map[old node] is the new node or
 * NODE_DROPPED. */
void view_rebuild(struct view *v, struct tree_builder *b, const node_id *map);
/* The same with a tree that has no more nodes than the view's. */
void view_reshape(struct view *v, struct tree *tree, const node_id *map);
/* Give each sample of a table a node of its own (for transforms by thread, CPU, ...): returns the
 * column to change, filled with what the samples have now. */
node_id *view_own_nodes(struct view *v, uint32_t samples);
/* Take the builder's tree (moved) in place of the view's, for whose nodes every table has its own
 * nodes now. */
void view_regrow(struct view *v, struct tree_builder *b);
/* Of `count` samples from `first` on, a multiple of SAMPLES_AT_ONCE, leave out those whose bit is
 * 0.
 */
#define SAMPLES_AT_ONCE 64u
void view_keep_samples(struct view *v, uint32_t samples, size_t first, size_t count, uint64_t bits);

/* Frames that are not in the profile; ids are valid wherever the view's are. */
string_id view_string(struct view *v, struct bytes text);
frame_id view_frame(struct view *v, const struct frame *frame);

/* What was done that everybody should know who sees the result: a sentence. */
__attribute__((format(printf, 2, 3))) void view_note(struct view *v, const char *fmt, ...);

/* Is its tree all there? ERR_LIMIT: it takes more memory than its profile may (base/expansion.h).
 * To be asked before the view is used. */
bool view_fits(const struct view *v, struct error *err);

/* ---- For renderers ---- */

struct frame view_frame_at(const struct view *v, frame_id id);
struct bytes view_text(const struct view *v, string_id id);
struct bytes view_function(const struct view *v, frame_id id);
size_t view_frame_count(const struct view *v); /* ids are below */

/* The notes of the profile, then (*ret_own) those that transforms left. *at is 0 for the first and
 * moves on; false behind the last. */
bool view_next_note(const struct view *v, size_t *at, struct bytes *ret_note, bool *ret_own);

/* Which of the samples from `first` on, a multiple of SAMPLES_AT_ONCE, are not left out: a bit
 * each, of at most SAMPLES_AT_ONCE. */
uint64_t view_kept(const struct view *v, uint32_t samples, size_t first);
/* The node in which a stack of the profile ends, or NODE_DROPPED. */
static inline node_id view_stack_node(const struct view *v, stack_id stack)
{
	return v->node_of_stack ? v->node_of_stack[stack] : stack;
}
/* The same of a sample. */
node_id view_node(const struct view *v, uint32_t samples, size_t sample);
/* For every node: does a sample that is still shown end in it? To be freed. */
bool *view_ends(const struct view *v);

/* Self value of every node over the selected streams, then totals by one backward sweep.
 * Both arrays have v->tree.caller.len items; totals[0] is the sum of all. */
void view_self(const struct view *v, int64_t *ret_self);
void tree_totals(const struct tree *t, const int64_t *self, int64_t *ret_total);

/* Of a profile with two sides, of which the first is selected: the streams (an item for each stream
 * of the profile) that show the second in the same way. False when there is no second side. */
bool view_second_side(const struct view *v, bool *ret_streams);

/* Kind, unit and event of what is selected. */
const struct stream_row *view_stream(const struct view *v);

#endif
