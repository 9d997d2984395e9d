/* cpuprofile.c: profiles of V8's CPU profiler: `node --cpu-prof`, "Save profile" in DevTools. */
#include "readers/browsers/v8_profile.h"
#include "readers/browsers/v8_tree.h"

#define NS_OF_ONE 1000 /* a microsecond stands for one unit of other values than times */

/* Kiln's own files have one stream of any kind, in any unit. */
static void kiln_sink_open(struct v8_profile *v, struct v8_sink *s, struct text_stacks *t)
{
	*s = (struct v8_sink){.main = t, .timed = true};
	text_stacks_stream(t, buffer_bytes(&v->extra.stream_kind), buffer_bytes(&v->extra.unit),
		buffer_bytes(&v->extra.event));
	if (v->extra.untimed)
		t->want &= ~(unsigned)WANT_TIMES;
	if (bytes_equal(buffer_bytes(&v->extra.unit), BYTES("ns")))
		return;
	v->start = 0;
	v->end = v->end == INT64_MIN ? v->end : v->end / NS_OF_ONE;
	for (size_t i = 0; i < v->deltas.len; i++)
		v->deltas.items[i] /= NS_OF_ONE;
}

static bool profile_take(
	struct v8_profile *v, struct text_stacks *t, struct json *j, struct error *err)
{
	struct v8_sink sink;
	struct bytes key;
	bool done;

	for (json_object(j); json_key(j, &key);)
		if (!v8_profile_key(v, key, j, t))
			json_skip(j);
	if (!json_finish(j))
		return false;
	v8_tree_times(v);
	if (v->extra.present && v->deltas.len)
		kiln_sink_open(v, &sink, t);
	else
		v8_sink_open(&sink, t, v8_profile_timed(v));
	done = v8_profile_add(v, &sink, 0, (struct sample){0}, err) &&
	       v8_sink_finish(&sink, j, err);
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
	if (!json_begins(head) || *bytes_trim(head).at == '[')
		return 0;
	if (json_contains(head, "\"nodes\"") && json_contains(head, "\"callFrame\""))
		return 48;
	if (json_contains(head, "\"head\"") && json_contains(head, "\"functionName\""))
		return 48;
	return json_contains(head, "\"timeDeltas\"") && json_contains(head, "\"samples\"") ? 24 : 0;
}

const struct reader reader_cpuprofile = {
	.name = "cpuprofile",
	.about = "a CPU profile of V8 (Node.js, Chrome, Deno): .cpuprofile",
	.expects =
		"a JSON object with `nodes`, `samples` and `timeDeltas`, or with a tree as `head`",
	.proof = "Node.js 20 on a program with known shares; Speedscope 1.25",
	.bid = bid,
	.read = read,
};
