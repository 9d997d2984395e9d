/* speedscope_stacks.h: which node of a tree is the stack of a sample? */
#ifndef KILN_READERS_SPEEDSCOPE_SPEEDSCOPE_STACKS_H
#define KILN_READERS_SPEEDSCOPE_SPEEDSCOPE_STACKS_H

#include "base/json.h"
#include "model/view.h"
#include "readers/stacks/seen.h"

#define SPEEDSCOPE_NO_FRAME (UINT32_MAX - 1) /* of the numbers of frames */

#define SPEEDSCOPE_AHEAD 32u /* samples that are looked up together */

struct speedscope_stacks {
	struct json *json;
	struct tree_builder tree;	 /* over the numbers of frames, plus one */
	struct json_indices last, spare; /* frames of the sample before; room for the next */
	VECTOR(node_id) last_node;	 /* and their nodes */
	struct seen known;		 /* from the texts of samples to nodes, plus one */
	struct seen_question samples[SPEEDSCOPE_AHEAD]; /* that come next, from `next` on */
	size_t next, ahead;
};

void speedscope_stacks_init(struct speedscope_stacks *s, struct json *j);
void speedscope_stacks_release(struct speedscope_stacks *s);

/* Before the samples of a profile. */
static inline void speedscope_stacks_begin(struct speedscope_stacks *s)
{
	s->next = s->ahead = 0;
}

/* Read the stack of a sample, an item of an array. False: it is too deep. */
bool speedscope_stacks_read(struct speedscope_stacks *s, node_id *ret_node);

#endif
