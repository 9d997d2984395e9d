/* test_text_siblings.c: are nodes with the same texts from the root on merged, in any order? */
#include "test.h"

#include "renderers/text_siblings.h"
#include "support/random_profile.h"

#define NODES  200u
#define FRAMES 12u

/* The simple way: the first node before this one with the same path of texts. */
static bool same_path(const struct tree *t, const uint32_t *text, node_id a, node_id b)
{
	for (; a && b; a = t->caller.items[a], b = t->caller.items[b])
		if (text[a] != text[b])
			return false;
	return a == b;
}

static node_id first_of(const struct tree *t, const uint32_t *text, node_id node)
{
	for (node_id i = 1; i < node; i++)
		if (same_path(t, text, i, node))
			return i;
	return node;
}

/* A tree in which no caller has two callees of one frame. */
static void grow(struct tree_builder *b, uint64_t *r)
{
	tree_builder_init(b, NULL);
	while (b->tree.caller.len < NODES) {
		node_id caller = (node_id)random_below(r, (uint32_t)b->tree.caller.len);

		tree_child(b, caller, 1 + random_below(r, FRAMES));
	}
}

static void compare(uint64_t *r, uint32_t texts)
{
	struct tree_builder b;
	uint32_t text_of_frame[FRAMES + 1], *text = memory_new(NODES, sizeof(*text));
	bool shared[FRAMES] = {false}, seen[FRAMES] = {false}, any = false;
	node_id *stands;

	grow(&b, r);
	for (uint32_t i = 1; i <= FRAMES; i++) {
		text_of_frame[i] = random_below(r, texts);
		shared[text_of_frame[i]] |= seen[text_of_frame[i]];
		seen[text_of_frame[i]] = true;
	}
	for (node_id i = 1; i < NODES; i++)
		text[i] = text_of_frame[b.tree.frame.items[i]];
	stands = text_siblings(&b.tree, text, shared);
	for (node_id i = 1; i < NODES; i++) {
		assert_int_equal(stands ? stands[i] : i, first_of(&b.tree, text, i));
		any |= first_of(&b.tree, text, i) != i;
	}
	assert_int_equal(stands != NULL, any);
	free(stands);
	free(text);
	tree_builder_release(&b);
}

static void agrees_with_a_simple_search(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		compare(&seed, 1 + i % FRAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_simple_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
