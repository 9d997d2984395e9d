/* stackprof.c: profiles of Ruby programs, as `stackprof --json` prints them.
 *
 *	{"version":1.2,"mode":"cpu","interval":1000,"samples":3,"missed_samples":0,
 *	 "frames":{"7f10":{"name":"Object#leaf","file":"a.rb","line":2,"samples":2,
 *	                   "edges":{"7f20":1}}, ...},
 *	 "raw":[2,7f00,7f10,1, ...],"raw_sample_timestamps":[...]}
 *
 * Ids of frames are decimal numbers. `raw` has stacks one behind the other: how many frames, their
 * ids from the outermost on, and how many samples in a row had them. Without it (raw: false) there
 * are only the samples of each function and of each of its calls: a call graph (call_graph.h).
 * Intervals of the modes cpu and wall are microseconds; in others, one event in so many was
 * recorded. Source of the format: github.com/tmm1/stackprof, ext/stackprof/stackprof.c. */
#include "readers/stacks/call_graph.h"
#include "readers/stacks/json_stacks.h"

#define NS_OF_US       1000
#define INTERVAL_LIMIT 1000000000 /* us, or events */

struct frame_row {
	int64_t id, samples;
	location_id location;
	size_t first_edge; /* of `edges` */
};

struct edge {
	int64_t callee, samples; /* an id */
};

enum { VALUE, SAMPLES, VALUES };

struct stackprof {
	struct text_stacks stacks;
	struct json *json;
	VECTOR(struct frame_row) frames;
	VECTOR(struct edge) edges;
	struct id_map by_id;
	struct json_numbers raw, times; /* times in ns */
	struct buffer mode, name, file;
	int64_t interval, missed;
};

static void stackprof_release(struct stackprof *s)
{
	vector_release(&s->frames);
	vector_release(&s->edges);
	id_map_release(&s->by_id);
	vector_release(&s->raw);
	vector_release(&s->times);
	buffer_release(&s->mode);
	buffer_release(&s->name);
	buffer_release(&s->file);
}

/* ---- Frames ---- */

static uint64_t id_hash(int64_t id)
{
	return hash_pair((uint64_t)id, 0x72756279);
}

static bool parse_id(struct bytes key, int64_t *ret_id)
{
	uint64_t id;

	if (!bytes_u64(key, &id) || id > INT64_MAX)
		return false;
	*ret_id = (int64_t)id;
	return true;
}

/* NULL: there is none. */
static struct frame_row *frame_of(const struct stackprof *s, int64_t id)
{
	size_t at = s->by_id.slots ? id_map_start(&s->by_id, id_hash(id)) : 0;

	for (uint32_t row; s->by_id.slots && (row = id_map_candidate(&s->by_id, id_hash(id), &at));)
		if (s->frames.items[row - 1].id == id)
			return &s->frames.items[row - 1];
	return NULL;
}

static bool take_edges(struct stackprof *s, struct json *j)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		struct edge edge = {0};
		bool known = parse_id(key, &edge.callee);

		edge.samples = json_number_if(j, 0, 0);
		if (!known || edge.samples < 0)
			return json_fail(j, "expected the id of a frame, and samples from 0 on");
		vector_push(&s->edges, edge);
	}
	return true;
}

/* Functions of Ruby itself have "<cfunc>" for a file. */
static location_id locate(struct stackprof *s, int64_t line)
{
	struct bytes file = buffer_bytes(&s->file);
	bool native = bytes_equal(file, BYTES("<cfunc>"));
	struct text_frame frame = {.function = buffer_bytes(&s->name),
		.kind = native ? FRAME_NATIVE : FRAME_INTERPRETED};

	if (!frame.function.len)
		frame.function = BYTES("[unknown]");
	if (!native)
		frame.file = file;
	if (!native && line > 0 && line < UINT32_MAX)
		frame.line = (uint32_t)line;
	return text_stacks_frame(&s->stacks, &frame);
}

static bool take_frame(struct stackprof *s, int64_t id, struct json *j)
{
	struct frame_row row = {.id = id, .first_edge = s->edges.len};
	int64_t line = 0;
	struct bytes key;

	s->name.len = s->file.len = 0;
	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("name"))) {
			buffer_set(&s->name, json_string_if(j));
		} else if (bytes_equal(key, BYTES("file"))) {
			buffer_set(&s->file, json_string_if(j));
		} else if (bytes_equal(key, BYTES("line"))) {
			line = json_number_if(j, 0, 0);
		} else if (bytes_equal(key, BYTES("samples"))) {
			row.samples = json_number_if(j, 0, 0);
		} else if (bytes_equal(key, BYTES("edges")) && json_peek(j) == JSON_OBJECT) {
			if (!take_edges(s, j))
				return false;
		} else {
			json_skip(j);
		}
	}
	if (row.samples < 0)
		return json_fail(j, "expected a number of samples from 0 on");
	row.location = locate(s, line);
	vector_push(&s->frames, row);
	id_map_insert(&s->by_id, id_hash(id), (uint32_t)s->frames.len);
	return true;
}

static bool take_frames(struct stackprof *s, struct json *j)
{
	struct bytes key;
	int64_t id;

	for (json_object(j); json_key(j, &key);) {
		if (!parse_id(key, &id) || json_peek(j) != JSON_OBJECT)
			return json_fail(j, "expected the id of a frame, and an object");
		if (!take_frame(s, id, j))
			return false;
	}
	return true;
}

/* ---- Samples ---- */

static bool is_mode(const struct stackprof *s, const char *mode)
{
	return bytes_equal(buffer_bytes(&s->mode), bytes_of(mode));
}

/* What a sample stands for. */
static bool add_streams(struct stackprof *s)
{
	bool timed = is_mode(s, "cpu") || is_mode(s, "wall");
	uint32_t samples;

	if (s->interval < 1 || s->interval > INTERVAL_LIMIT)
		return json_fail(s->json, "expected an `interval` from 1 to 1,000,000,000");
	if (timed)
		s->interval *= NS_OF_US;
	text_stacks_stream(&s->stacks,
		is_mode(s, "object") ? BYTES("alloc_objects")
		: s->mode.len	     ? buffer_bytes(&s->mode)
				     : BYTES("events"),
		timed ? BYTES("ns") : BYTES("count"), (struct bytes){0});
	samples =
		text_stacks_stream(&s->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	if (s->missed > 0)
		profile_add_loss(s->stacks.profile, samples, BYTES("missed"), (uint64_t)s->missed);
	return true;
}

static bool fail_raw(struct stackprof *s, size_t at)
{
	return json_fail(s->json,
		"item %zu of `raw`: expected the number of frames, as many ids, and a number of "
		"samples",
		at);
}

static bool scale(struct stackprof *s, int64_t samples, int64_t *ret_values)
{
	ret_values[SAMPLES] = samples;
	return !__builtin_mul_overflow(samples, s->interval, &ret_values[VALUE]) ||
	       json_fail(s->json, "the sum of all values exceeds 2^63");
}

/* The stack of the last frames, for as many samples; `time` is the first one's, NULL: unknown. */
static bool add_samples(
	struct stackprof *s, int64_t samples, const int64_t *time, struct error *err)
{
	size_t depth = s->stacks.frames.len;
	int64_t values[VALUES];

	if (!time)
		return scale(s, samples, values) &&
		       text_stacks_add(&s->stacks, OUTERMOST_FIRST, values, err);
	if (!scale(s, 1, values))
		return false;
	for (int64_t i = 0; i < samples; i++) {
		struct sample sample = {.has = SAMPLE_TIME, .time = (uint64_t)time[i]};

		if (!text_stacks_add_sample(&s->stacks, OUTERMOST_FIRST, sample, values, err))
			return false;
		s->stacks.frames.len = depth; /* they are the next sample's, too */
	}
	text_stacks_clear(&s->stacks);
	return true;
}

/* Is there a time for each sample? */
static bool has_times(const struct stackprof *s)
{
	uint64_t samples = 0;

	for (size_t at = 0; at < s->raw.len;) {
		uint64_t left = s->raw.len - at, depth = (uint64_t)s->raw.items[at];

		if (left < 2 || depth > left - 2 || s->raw.items[at + depth + 1] < 0)
			return false;
		samples += (uint64_t)s->raw.items[at + depth + 1];
		at += depth + 2;
	}
	for (size_t i = 0; i < s->times.len; i++)
		if (s->times.items[i] < 0)
			return false;
	return s->stacks.want & WANT_TIMES && samples == s->times.len;
}

static bool add_raw(struct stackprof *s, struct error *err)
{
	const int64_t *time = has_times(s) ? s->times.items : NULL;
	uint64_t unknown = 0;

	for (size_t at = 0; at < s->raw.len;) {
		uint64_t left = s->raw.len - at, depth = (uint64_t)s->raw.items[at];
		int64_t samples;

		if (left < 2 || depth > left - 2 || s->raw.items[at + depth + 1] < 0)
			return fail_raw(s, at);
		for (size_t i = 1; i <= depth; i++) {
			const struct frame_row *frame = frame_of(s, s->raw.items[at + i]);

			unknown += !frame;
			text_stacks_push(
				&s->stacks, frame ? frame->location
						  : text_stacks_named(&s->stacks,
							    BYTES("[unknown]"), FRAME_NATIVE));
		}
		text_stacks_fill(&s->stacks);
		samples = s->raw.items[at + depth + 1];
		if (!add_samples(s, samples, time, err))
			return false;
		if (time)
			time += samples;
		at += depth + 2;
	}
	json_count_note(s->stacks.profile, unknown, "frames that do not exist, shown as [unknown]");
	return true;
}

static bool add_edges(struct stackprof *s, struct call_graph *graph, size_t row)
{
	size_t end = row + 1 < s->frames.len ? s->frames.items[row + 1].first_edge : s->edges.len;
	int64_t values[VALUES];

	for (size_t i = s->frames.items[row].first_edge; i < end; i++) {
		const struct frame_row *callee = frame_of(s, s->edges.items[i].callee);

		if (!callee)
			continue;
		if (!scale(s, s->edges.items[i].samples, values))
			return false;
		if (!call_graph_add_call(
			    graph, (uint32_t)row, (uint32_t)(callee - s->frames.items), values))
			return json_fail(s->json, "the sum of all values exceeds 2^63");
	}
	return true;
}

static bool add_graph(struct stackprof *s, struct error *err)
{
	struct call_graph graph = {.costs = VALUES};
	int64_t values[VALUES];
	bool done = true;

	for (size_t i = 0; i < s->frames.len; i++)
		call_graph_function(&graph, s->frames.items[i].location);
	for (size_t i = 0; done && i < s->frames.len; i++)
		done = scale(s, s->frames.items[i].samples, values) &&
		       call_graph_add_self(&graph, (uint32_t)i, values) && add_edges(s, &graph, i);
	done = done && call_graph_finish(&graph, &s->stacks, err);
	call_graph_release(&graph);
	return done;
}

/* ---- The file ---- */

static bool take_key(struct stackprof *s, struct bytes key, struct json *j)
{
	if (bytes_equal(key, BYTES("frames")) && json_peek(j) == JSON_OBJECT)
		return take_frames(s, j);
	if (bytes_equal(key, BYTES("mode")))
		buffer_set(&s->mode, json_string_if(j));
	else if (bytes_equal(key, BYTES("interval")))
		s->interval = json_number_if(j, 0, 0);
	else if (bytes_equal(key, BYTES("missed_samples")))
		s->missed = json_number_if(j, 0, 0);
	else if (bytes_equal(key, BYTES("raw")) && json_peek(j) == JSON_ARRAY)
		json_numbers(j, 0, -1, &s->raw);
	else if (bytes_equal(key, BYTES("raw_sample_timestamps")) && json_peek(j) == JSON_ARRAY)
		json_numbers(j, 3, -1, &s->times);
	else
		json_skip(j);
	return true;
}

static bool stackprof_take(struct stackprof *s, struct json *j, struct error *err)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);)
		if (!take_key(s, key, j))
			return false;
	return json_finish(j) && add_streams(s) &&
	       (s->raw.len ? add_raw(s, err) : add_graph(s, err)) &&
	       json_stacks_finish(&s->stacks, s->stacks.taken, j, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct stackprof s = {.interval = 1};
	struct json j;
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&s.stacks, in, options, out);
	s.json = &j;
	done = stackprof_take(&s, &j, err);
	stackprof_release(&s);
	text_stacks_release(&s.stacks);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	return json_begins(head) && json_contains(head, "\"mode\"") &&
			       json_contains(head, "\"interval\"") &&
			       json_contains(head, "\"missed_samples\"") &&
			       json_contains(head, "\"frames\"")
		       ? 8 * 28
		       : 0;
}

const struct reader reader_stackprof = {
	.name = "stackprof",
	.about = "profiles of Ruby programs (stackprof --json)",
	.expects = "a JSON object with `mode`, `interval`, `frames` and `raw`",
	.proof = "stackprof 0.2 on a program of known shares, compared with its --stackcollapse",
	.bid = bid,
	.read = read,
	.one_table = true,
};
