/* speedscope_stacks.c: which node of a tree is the stack of a sample?
 *
 * Stacks come again and again: what the text of one meant is remembered. */
#include "readers/speedscope/speedscope_stacks.h"

#include "readers/readers.h"

#include <stdlib.h>

void speedscope_stacks_init(struct speedscope_stacks *s, struct json *j)
{
	*s = (struct speedscope_stacks){.json = j};
	tree_builder_init(&s->tree, NULL);
}

void speedscope_stacks_release(struct speedscope_stacks *s)
{
	tree_builder_release(&s->tree);
	seen_release(&s->known);
	vector_release(&s->last);
	vector_release(&s->spare);
	vector_release(&s->last_node);
}

/* Samples resemble the ones before them: what is the same is not looked up. */
static bool read_whole(struct speedscope_stacks *s, node_id *ret_node)
{
	struct json_indices now = s->spare;
	size_t same = 0;
	node_id node = 0;

	now.len = 0;
	json_indices(s->json, &now);
	s->spare = now;
	if (now.len > READ_DEPTH_LIMIT)
		return false;
	while (same < now.len && same < s->last.len && now.items[same] == s->last.items[same])
		same++;
	s->last_node.len = same;
	node = same ? s->last_node.items[same - 1] : 0;
	for (size_t i = same; i < now.len; i++) {
		uint32_t frame = now.items[i];

		frame = frame < SPEEDSCOPE_NO_FRAME ? frame : SPEEDSCOPE_NO_FRAME;
		node = tree_child(&s->tree, node, frame + 1);
		vector_push(&s->last_node, node);
	}
	s->spare = s->last;
	s->last = now;
	*ret_node = node;
	return true;
}

/* ---- What is known ---- */

static void look_ahead(struct speedscope_stacks *s)
{
	struct bytes text[SPEEDSCOPE_AHEAD];

	s->next = 0;
	s->ahead = json_peek_arrays(s->json, text, SPEEDSCOPE_AHEAD);
	for (size_t i = 0; i < s->ahead; i++)
		s->samples[i] = seen_question(&s->known, text[i]);
	seen_expect(&s->known, s->samples, s->ahead);
}

/* What is read whole may end elsewhere, if it is odd: then nothing is where it was. */
static bool read_new(
	struct speedscope_stacks *s, const struct seen_question *sample, node_id *ret_node)
{
	struct bytes text = sample->bytes;
	struct json *j = s->json;
	uint64_t behind = json_byte(j) + (size_t)(text.at + text.len - j->at);
	bool done = read_whole(s, ret_node);

	if (j->failed || json_byte(j) != behind)
		s->ahead = s->next;
	else if (done)
		seen_put(&s->known, sample, *ret_node + 1);
	return done;
}

bool speedscope_stacks_read(struct speedscope_stacks *s, node_id *ret_node)
{
	const struct seen_question *sample;
	uint32_t value;

	if (s->known.useless)
		return read_whole(s, ret_node);
	if (s->next == s->ahead)
		look_ahead(s);
	if (!s->ahead)
		return read_whole(s, ret_node);
	sample = &s->samples[s->next++];
	value = seen_find(&s->known, sample);
	if (!value)
		return read_new(s, sample, ret_node);
	json_skip_text(s->json, sample->bytes);
	*ret_node = value - 1;
	return true;
}
