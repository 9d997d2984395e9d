/* heapprofile.c: V8's sampling heap profiles: `node --heap-prof`, "Allocation sampling" in
 * DevTools.
 *
 * A tree of functions, each with the bytes that it allocated itself and that are still in use: V8
 * has scaled them up from its samples already, so that they are estimates. The list of samples
 * behind the tree has the same bytes again, one sample at a time and less exactly. Documented as
 * HeapProfiler.SamplingHeapProfile of the DevTools protocol. */
#include "readers/browsers/v8_profile.h"
#include "readers/browsers/v8_tree.h"

/* Bytes below zero, which nothing can have allocated. */
static bool check_bytes(const struct v8_profile *v, struct json *j)
{
	for (size_t i = 0; i < v->nodes.len; i++)
		if (v->nodes.items[i].bytes < 0)
			return json_fail(j, "a node has a selfSize below 0; expected bytes");
	return true;
}

static bool profile_take(
	struct v8_profile *v, struct text_stacks *t, struct json *j, struct error *err)
{
	struct v8_sink sink = {.main = t};
	struct bytes key;
	bool done;

	for (json_object(j); json_key(j, &key);)
		if (bytes_equal(key, BYTES("head")) && json_peek(j) == JSON_OBJECT)
			v8_tree_read(v, j, t);
		else
			json_skip(j);
	if (!json_finish(j) || !check_bytes(v, j))
		return false;
	text_stacks_stream(t, BYTES("inuse_space"), BYTES("bytes"), (struct bytes){0});
	done = v8_profile_add_bytes(v, &sink, err) && v8_sink_finish(&sink, j, err);
	v8_sink_release(&sink);
	return done;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	return v8_profile_read(profile_take, in, options, out, err);
}

static int bid(struct bytes head)
{
	return json_begins(head) && *bytes_trim(head).at == '{' &&
			       json_contains(head, "\"head\"") &&
			       json_contains(head, "\"callFrame\"") &&
			       json_contains(head, "\"selfSize\"")
		       ? 8 * 20
		       : 0;
}

const struct reader reader_heapprofile = {
	.name = "heapprofile",
	.about = "a sampling heap profile of V8 (Node.js, Chrome): .heapprofile",
	.expects = "a JSON object with a tree as `head`, whose nodes have a `selfSize`",
	.proof = "Node.js 20 on a program with known shares, compared with the sum of its nodes",
	.bid = bid,
	.read = read,
	.one_table = true,
};
