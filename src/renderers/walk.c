/* walk.c: how is a tree visited depth first, from the root down? */
#include "renderers/walk.h"

#include <stdlib.h>

static void link_child(struct walk *w, node_id node)
{
	node_id caller = w->tree->caller.items[node];

	w->next[node] = w->first[caller];
	w->first[caller] = node;
}

/* Backwards, because each child is put before its siblings. */
void walk_init(struct walk *w, const struct tree *tree, const node_id *order, size_t count)
{
	size_t nodes = tree->caller.len;

	w->tree = tree;
	w->first = memory_new(nodes, sizeof(*w->first));
	w->next = memory_new(nodes, sizeof(*w->next));
	if (order) {
		while (count--)
			if (order[count])
				link_child(w, order[count]);
	} else {
		while (nodes-- > 1)
			link_child(w, (node_id)nodes);
	}
}

void walk_release(struct walk *w)
{
	memory_free(w->first);
	memory_free(w->next);
	*w = (struct walk){0};
}

void walk_visit(const struct walk *w, const struct walk_visitor *visitor)
{
	node_id node = w->first[0];
	size_t depth = 1;

	while (node) {
		visitor->enter(visitor->context, node, depth);
		if (w->first[node]) {
			node = w->first[node];
			depth++;
			continue;
		}
		/* Up to the next ancestor with a sibling left. */
		while (node) {
			if (visitor->leave)
				visitor->leave(visitor->context, node);
			if (w->next[node]) {
				node = w->next[node];
				break;
			}
			node = w->tree->caller.items[node];
			depth--;
		}
	}
}
