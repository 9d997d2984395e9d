/* text_siblings.c: which nodes of a call tree are the same if frames are told apart only by their
 * text?
 *
 * Usually very few. So nodes are searched for an equal sibling only where one is possible: if
 * several frames have the text, or if the caller stands for several nodes. */
#include "renderers/text_siblings.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

struct search {
	const struct tree *tree;
	const uint32_t *text;
	node_id *stands;	/* of every node so far: the node that stands for it */
	bool *several;		/* of every node: it stands for others, too; NULL: none does yet */
	node_id *first, *next;	/* the callees of every node, last one first; 0: none */
	struct id_map by_place; /* keyed by the node that stands for the caller, and the text */
};

static uint64_t place_of(const struct search *s, node_id node)
{
	return hash_pair(s->stands[s->tree->caller.items[node]], s->text[node]);
}

static bool is_at(const struct search *s, node_id node, node_id caller, uint32_t text)
{
	return s->text[node] == text && s->stands[s->tree->caller.items[node]] == caller;
}

/* The node entered earlier with the same caller and text; 0: none, and `node` is entered now. */
static node_id find_or_enter(struct search *s, node_id node)
{
	node_id caller = s->stands[s->tree->caller.items[node]], found;
	uint64_t hash = place_of(s, node);
	size_t at = id_map_first(&s->by_place, hash);

	while ((found = id_map_candidate(&s->by_place, hash, &at)))
		if (is_at(s, found, caller, s->text[node]))
			return found == node ? 0 : found;
	id_map_insert_at(&s->by_place, hash, at, node);
	return 0;
}

static void list_callees(struct search *s)
{
	size_t nodes = s->tree->caller.len;

	s->several = memory_new(nodes, sizeof(*s->several));
	s->first = memory_new(nodes, sizeof(*s->first));
	s->next = memory_new(nodes, sizeof(*s->next));
	for (node_id i = 1; i < nodes; i++) {
		node_id caller = s->tree->caller.items[i];

		s->next[i] = s->first[caller];
		s->first[caller] = i;
	}
}

/* Enter the existing callees of `node`, so that they are found by those of other nodes. */
static void merge_siblings(struct search *s, node_id node, node_id so_far)
{
	if (!s->several)
		list_callees(s);
	if (s->several[node])
		return;
	s->several[node] = true;
	for (node_id i = s->first[node]; i; i = s->next[i])
		if (i < so_far && s->stands[i] == i)
			find_or_enter(s, i);
}

static void search_release(struct search *s)
{
	memory_free(s->several);
	memory_free(s->first);
	memory_free(s->next);
	id_map_release(&s->by_place);
}

node_id *text_siblings(const struct tree *t, const uint32_t *text, const bool *shared)
{
	size_t nodes = t->caller.len;
	struct search s = {.tree = t, .text = text, .stands = memory_new(nodes, sizeof(*s.stands))};
	bool any;

	for (node_id i = 1; i < nodes; i++) {
		node_id other = 0;

		s.stands[i] = i;
		if (shared[text[i]] || (s.several && s.several[s.stands[t->caller.items[i]]]))
			other = find_or_enter(&s, i);
		if (other) {
			s.stands[i] = other;
			merge_siblings(&s, other, i);
		}
	}
	any = s.several;
	search_release(&s);
	if (!any) {
		memory_free(s.stands);
		return NULL;
	}
	return s.stands;
}
