/* view.h: a profile as a user wants to see it: which samples, in which tree.
 *
 * A view never changes its profile. It starts as a projection: stacks over locations become a tree
 * over frames (projection.c). Transforms then narrow and reshape it. A transform produces either a
 * new tree and a map from old nodes to new ones, or a set of samples to leave out, or both;
 * view_reshape and view_keep_samples apply them. Renderers see only the view.
 *
 * Samples refer to stacks, and node_of_stack leads from there to nodes. So a transform of a tree
 * changes one item for each stack, not for each sample; only transforms that tell samples of one
 * stack apart (by thread, by CPU) give each sample a node of its own. */
#ifndef KILN_MODEL_VIEW_H
#define KILN_MODEL_VIEW_H

#include "model/overlay.h"
#include "model/projection.h"
#include "model/tree.h"

struct view_samples {
	node_id *node;	/* NULL: the node of the sample's stack */
	uint64_t *keep; /* one bit for each sample; NULL: all are kept */
};

/* How the two sides of a comparison are shown. */
enum widths {
	WIDTHS_AFTER,
	WIDTHS_BEFORE,
	WIDTHS_GONE, /* before's values of nodes without a value in after */
};
#define COMPARISON_THRESHOLD 0.5 /* unless the user gives another one */
struct comparison {
	enum widths widths;
	bool normalised;  /* before is scaled to after's total */
	double threshold; /* percent of the whole: smaller changes are noise */
	int64_t whole[2]; /* totals of before and after that both are compared with; 0, 0: the
			     totals of the view */
};

struct view {
	const struct profile *profile;
	struct tree tree;
	node_id *node_of_stack; /* for every stack of the profile; NULL: node and stack have the
				   same number */
	struct view_samples *samples; /* for every samples table of the profile */
	bool *streams;		      /* for every stream of the profile: is it shown? */
	struct comparison comparison; /* for profiles with two sides */
	enum projection projection;
	bool changed;	      /* a transform had an effect */
	bool full;	      /* the tree reached the limit and is incomplete */
	struct overlay names; /* the profile's, and what transforms added */
};

/* Shows every sample, of the profile's first kind (and side). The profile must outlive the view. */
void view_init(struct view *v, const struct profile *p, enum projection projection);
void view_release(struct view *v);
/* A copy that shares only the profile. */
void view_copy(const struct view *v, struct view *ret);

/* The stream that is shown unless another one is requested: the first that has samples, else the
 * first of all. The profile has streams. */
size_t view_default_stream(const struct profile *p);

/* Show the streams of this kind ("cpu", "samples", an event's name; "": the default); with idle,
 * also the idle samples of the same event in the same unit. False (ERR_USAGE, naming the kinds
 * that exist) when there is none. */
bool view_select(struct view *v, struct bytes kind, bool with_idle, struct error *err);

/* ---- For transforms ---- */

/* Replace the view's tree by the builder's, which is moved; map[old node] is the new node or
 * NODE_DROPPED. */
void view_rebuild(struct view *v, struct tree_builder *b, const node_id *map);
/* As view_rebuild, for a tree that has no more nodes than the view's. */
void view_reshape(struct view *v, struct tree *tree, const node_id *map);
/* Give each sample of a table a node of its own (for transforms by thread, CPU, ...). Returns
 * that column, filled with the current nodes, for the caller to change. */
node_id *view_sample_nodes(struct view *v, uint32_t samples);
/* Replace the view's tree by the builder's, which is moved. The caller has set the nodes of all
 * samples of all tables with view_sample_nodes. */
void view_replace_tree(struct view *v, struct tree_builder *b);
/* Leave out those of `count` samples from `first` on whose bit is 0. `first` is a multiple of
 * SAMPLES_PER_WORD. */
#define SAMPLES_PER_WORD 64u
void view_keep_samples(struct view *v, uint32_t samples, size_t first, size_t count, uint64_t bits);

/* Strings and frames that the profile may not have; the ids are valid wherever the view's are. */
string_id view_string(struct view *v, struct bytes text);
frame_id view_frame(struct view *v, const struct frame *frame);

/* Add a note about what was done, a sentence for the user of the result. */
__attribute__((format(printf, 2, 3))) void view_note(struct view *v, const char *fmt, ...);

/* ERR_LIMIT if the tree is incomplete because it would take more memory than its profile may
 * (base/expansion.h). Call before the view is used. */
bool view_check_size(const struct view *v, struct error *err);

/* ---- For renderers ---- */

struct frame view_frame_at(const struct view *v, frame_id id);
struct bytes view_text(const struct view *v, string_id id);
struct bytes view_function(const struct view *v, frame_id id);
size_t view_frame_count(const struct view *v); /* ids are below */
size_t view_string_count(const struct view *v);

/* The notes of the profile, then those of transforms (*ret_own). Start with *at 0; false behind
 * the last. */
bool view_next_note(const struct view *v, size_t *at, struct bytes *ret_note, bool *ret_own);

/* Which of the samples from `first` on are kept: a bit for each, at most SAMPLES_PER_WORD. `first`
 * is a multiple of SAMPLES_PER_WORD. */
uint64_t view_kept_samples(const struct view *v, uint32_t samples, size_t first);
/* The node of a stack of the profile, or NODE_DROPPED. */
static inline node_id view_stack_node(const struct view *v, stack_id stack)
{
	return v->node_of_stack ? v->node_of_stack[stack] : stack;
}
/* The node of a sample, or NODE_DROPPED. */
node_id view_node(const struct view *v, uint32_t samples, size_t sample);
/* For every node: does a shown sample end in it? The caller frees the array. */
bool *view_end_nodes(const struct view *v);

/* The value of every node itself, summed over the selected streams: v->tree.caller.len items.
 * tree_totals adds everything below. */
void view_self(const struct view *v, int64_t *ret_self);

/* For a profile with two sides of which the view shows the first: the streams that show the second
 * side in the same way (an item for each stream of the profile). False: there is no second side. */
bool view_second_side(const struct view *v, bool *ret_streams);

/* Kind, unit and event of the selected streams. */
const struct stream_row *view_stream(const struct view *v);

#endif
