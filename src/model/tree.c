/* tree.c: how is a call tree built, and how are its values summed up? */
#include "model/tree.h"

void tree_builder_init(struct tree_builder *b, const struct profile *p)
{
	uint64_t max = p ? p->limit / PROFILE_ROW_COST : 0;

	*b = (struct tree_builder){.limit = PROFILE_ROWS_LIMIT};
	if (p && p->limit && max < b->limit)
		b->limit = (size_t)max;
	vector_push(&b->tree.caller, 0);
	vector_push(&b->tree.frame, 0);
	callees_index(&b->children, b->tree.caller.items, b->tree.frame.items, 1);
}

node_id tree_child(struct tree_builder *b, node_id caller, frame_id frame)
{
	size_t count = b->tree.caller.len;
	node_id id = callees_find(
		&b->children, b->tree.caller.items, b->tree.frame.items, caller, frame);

	if (id)
		return id;
	if (count >= b->limit) {
		b->full = true;
		return caller;
	}
	vector_push(&b->tree.caller, caller);
	vector_push(&b->tree.frame, frame);
	callees_index(&b->children, b->tree.caller.items, b->tree.frame.items, count + 1);
	return (node_id)count;
}

void tree_builder_release(struct tree_builder *b)
{
	tree_release(&b->tree);
	callees_release(&b->children);
}

void tree_release(struct tree *t)
{
	vector_release(&t->caller);
	vector_release(&t->frame);
}

void tree_totals(const struct tree *t, const int64_t *self, int64_t *ret_total)
{
	memcpy(ret_total, self, t->caller.len * sizeof(*self));
	for (size_t i = t->caller.len; i-- > 1;)
		ret_total[t->caller.items[i]] += ret_total[i];
}
