/* heapsnapshot.c: V8's heap snapshots, if they say where objects were allocated: "Allocation
 * instrumentation on timeline" with stacks in DevTools, or HeapProfiler.startTrackingHeapObjects
 * with trackAllocations.
 *
 *	"snapshot"		what fields nodes, trace nodes and functions have
 *	"nodes"			objects in use, with the id of the trace node that allocated them
 *	"trace_function_infos"	functions: numbers of strings, and lines from 1
 *	"trace_tree"		[id, function, count, size, [children]], in a row without brackets
 *	"strings"		what the numbers stand for
 *
 * So a stack is a path in the trace tree. It has the objects and bytes that were allocated there,
 * and those that are in use still. Objects from before the recording have no stack. A snapshot may
 * have gigabytes of nodes and strings: they are read once, in this order, and only what functions
 * are called is kept. Source of the format: V8, src/profiler/heap-snapshot-generator.cc. */
#include "readers/browsers/v8_call.h"
#include "readers/pprof/heap_record.h"

#include <stdlib.h>

enum { INFO_ID, INFO_NAME, INFO_SCRIPT, INFO_SCRIPT_ID, INFO_LINE, INFO_COLUMN, INFO_FIELDS };
enum { TRACE_ID, TRACE_FUNCTION, TRACE_COUNT, TRACE_SIZE, TRACE_CHILDREN, TRACE_FIELDS };

struct function {
	int64_t name, script; /* numbers of strings */
	int64_t line, column; /* from 1; 0: unknown */
	struct buffer name_text, script_text;
};

/* A node of the trace tree; a caller is in front of its callees. */
struct trace {
	uint32_t caller; /* row plus one; 0: none */
	int64_t id, function, count, size;
	stack_id stack;
};

/* Objects of one trace node that are in use. */
struct in_use {
	int64_t id, size, count;
};

struct snapshot {
	struct text_stacks stacks;
	struct json *json;
	int64_t fields, size_field, trace_field; /* of a node in `nodes`; -1: it has none */
	bool known_infos, known_traces;		 /* their fields are those named above */
	VECTOR(struct in_use) in_use;
	struct id_map by_id; /* of trace nodes: rows of in_use, plus one */
	VECTOR(struct function) functions;
	VECTOR(struct trace) traces;
	VECTOR(uint32_t) callers; /* rows plus one, of the open levels */
};

static void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->functions.len; i++) {
		buffer_release(&s->functions.items[i].name_text);
		buffer_release(&s->functions.items[i].script_text);
	}
	vector_release(&s->in_use);
	id_map_release(&s->by_id);
	vector_release(&s->functions);
	vector_release(&s->traces);
	vector_release(&s->callers);
}

/* ---- The fields ---- */

/* Where names are among the items of an array; -1: not there. Returns how many items it has. */
static int64_t find_fields(struct json *j, const char *const *names, int64_t *ret_at, size_t count)
{
	int64_t fields = 0;

	for (size_t i = 0; i < count; i++)
		ret_at[i] = -1;
	for (bool more = json_array_if(j); more && json_item(j); fields++) {
		struct bytes name = json_string_if(j);

		for (size_t i = 0; i < count; i++)
			if (bytes_equal(name, bytes_of(names[i])))
				ret_at[i] = fields;
	}
	return fields;
}

static bool are_fields(struct json *j, const char *const *names, size_t count)
{
	int64_t at[INFO_FIELDS];
	bool same = find_fields(j, names, at, count) == (int64_t)count;

	for (size_t i = 0; i < count; i++)
		same &= at[i] == (int64_t)i;
	return same;
}

static void take_meta(struct snapshot *s, struct json *j)
{
	static const char *const node[] = {"self_size", "trace_node_id"};
	static const char *const info[INFO_FIELDS] = {
		"function_id", "name", "script_name", "script_id", "line", "column"};
	static const char *const trace[TRACE_FIELDS] = {
		"id", "function_info_index", "count", "size", "children"};
	int64_t at[2];
	struct bytes key;

	for (bool more = json_object_if(j); more && json_key(j, &key);) {
		if (bytes_equal(key, BYTES("node_fields"))) {
			s->fields = find_fields(j, node, at, 2);
			s->size_field = at[0];
			s->trace_field = at[1];
		} else if (bytes_equal(key, BYTES("trace_function_info_fields"))) {
			s->known_infos = are_fields(j, info, INFO_FIELDS);
		} else if (bytes_equal(key, BYTES("trace_node_fields"))) {
			s->known_traces = are_fields(j, trace, TRACE_FIELDS);
		} else {
			json_skip(j);
		}
	}
}

static void take_description(struct snapshot *s, struct json *j)
{
	struct bytes key;

	for (bool more = json_object_if(j); more && json_key(j, &key);)
		if (bytes_equal(key, BYTES("meta")))
			take_meta(s, j);
		else
			json_skip(j);
}

/* ---- Objects in use ---- */

static uint64_t id_hash(int64_t id)
{
	return hash_pair((uint64_t)id, 0x7472616365);
}

/* NULL: no object is in use. */
static struct in_use *in_use_of(const struct snapshot *s, int64_t id)
{
	size_t at = s->by_id.slots ? id_map_start(&s->by_id, id_hash(id)) : 0;

	for (uint32_t row; s->by_id.slots && (row = id_map_candidate(&s->by_id, id_hash(id), &at));)
		if (s->in_use.items[row - 1].id == id)
			return &s->in_use.items[row - 1];
	return NULL;
}

static bool take_object(struct snapshot *s, int64_t size, int64_t id)
{
	struct in_use *use = in_use_of(s, id);

	if (id < 0 || size < 0)
		return json_fail(s->json, "expected an object with a size and a trace node");
	if (!use) {
		vector_push(&s->in_use, ((struct in_use){id, 0, 0}));
		id_map_insert(&s->by_id, id_hash(id), (uint32_t)s->in_use.len);
		use = &s->in_use.items[s->in_use.len - 1];
	}
	use->count++;
	if (__builtin_add_overflow(use->size, size, &use->size))
		return json_fail(s->json, "the sum of all sizes exceeds 2^63");
	return true;
}

static bool take_objects(struct snapshot *s, struct json *j)
{
	int64_t field = 0, size = 0, id = 0;

	if (s->size_field < 0 || s->trace_field < 0)
		return json_fail(j, "expected `node_fields` with `self_size` and `trace_node_id`");
	for (json_array(j); json_item(j);) {
		int64_t value = json_number(j, 0, -1);

		if (field == s->size_field)
			size = value;
		if (field == s->trace_field)
			id = value;
		field = (field + 1) % s->fields;
		if (!field && !take_object(s, size, id))
			return false;
	}
	return true;
}

/* ---- Functions ---- */

static void take_functions(struct snapshot *s, struct json *j)
{
	int64_t values[INFO_FIELDS];
	size_t field = 0;

	for (json_array(j); json_item(j);) {
		values[field++] = json_number(j, 0, -1);
		if (field < INFO_FIELDS)
			continue;
		field = 0;
		vector_push(&s->functions, ((struct function){.name = values[INFO_NAME],
						   .script = values[INFO_SCRIPT],
						   .line = values[INFO_LINE],
						   .column = values[INFO_COLUMN]}));
	}
}

/* A string that functions refer to. */
struct wanted {
	int64_t string;
	struct buffer *to;
};

static int wanted_compare(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->string > y->string) - (x->string < y->string);
}

/* The strings of all functions, in the order in which they come. */
static void take_strings(struct snapshot *s, struct json *j)
{
	size_t count = 2 * s->functions.len, at = 0;
	struct wanted *wanted = memory_new(count + 1, sizeof(*wanted));

	for (size_t i = 0; i < s->functions.len; i++) {
		struct function *f = &s->functions.items[i];

		wanted[2 * i] = (struct wanted){f->name, &f->name_text};
		wanted[2 * i + 1] = (struct wanted){f->script, &f->script_text};
	}
	if (count)
		qsort(wanted, count, sizeof(*wanted), wanted_compare);
	while (at < count && wanted[at].string < 0)
		at++;
	json_array(j);
	for (int64_t string = 0; json_item(j); string++) {
		struct bytes text;

		if (at == count || wanted[at].string != string) {
			json_skip(j);
			continue;
		}
		text = json_string_if(j);
		for (; at < count && wanted[at].string == string; at++)
			buffer_set(wanted[at].to, text);
	}
	memory_free(wanted);
}

/* ---- The trace tree ---- */

/* Four numbers of a trace node; the array of its callees comes next. */
static bool take_trace(struct snapshot *s, struct json *j)
{
	struct trace trace = {.caller = s->callers.items[s->callers.len - 1]};
	int64_t *const values[TRACE_CHILDREN] = {
		&trace.id, &trace.function, &trace.count, &trace.size};

	for (size_t i = 0; i < TRACE_CHILDREN; i++) {
		*values[i] = json_number(j, 0, -1);
		if (*values[i] < 0 || !json_item(j))
			return json_fail(
				j, "expected a trace node: id, function, count, size and an array");
	}
	vector_push(&s->traces, trace);
	return true;
}

/* Nothing recurses: `callers` has what the open arrays belong to. */
static bool take_tree(struct snapshot *s, struct json *j)
{
	json_array(j);
	vector_push(&s->callers, 0);
	while (s->callers.len) {
		if (!json_item(j)) {
			s->callers.len--;
			continue;
		}
		if (!take_trace(s, j))
			return false;
		json_array(j);
		vector_push(&s->callers, (uint32_t)s->traces.len);
	}
	return true;
}

/* ---- Stacks ---- */

/* "(root)" is no function: its callees are the outermost frames. */
static void place_trace(struct snapshot *s, struct trace *trace, location_id location)
{
	stack_id caller = trace->caller ? s->traces.items[trace->caller - 1].stack : 0;

	trace->stack = location ? profile_stack(s->stacks.profile, caller, location) : caller;
}

static location_id *name_functions(struct snapshot *s)
{
	location_id *locations = memory_new(s->functions.len + 1, sizeof(*locations));
	struct v8_call call = {.line = -1};

	for (size_t i = 0; i < s->functions.len; i++) {
		struct function *f = &s->functions.items[i];
		struct v8_node node = {0};

		v8_call_clear(&call);
		buffer_set(&call.function, buffer_bytes(&f->name_text));
		buffer_set(&call.url, buffer_bytes(&f->script_text));
		call.line = f->line > 0 ? f->line - 1 : -1;
		call.column = f->column > 0 ? f->column - 1 : -1;
		v8_call_name(&call, &node, &s->stacks);
		locations[i] = node.what == V8_NODE_ROOT ? 0 : node.location;
	}
	v8_call_release(&call);
	return locations;
}

static bool add_values(struct snapshot *s, stack_id stack, const struct trace *trace,
	struct in_use *use, struct error *err)
{
	int64_t values[HEAP_VALUES] = {[INUSE_SPACE] = use ? use->size : 0,
		[INUSE_OBJECTS] = use ? use->count : 0,
		[ALLOC_SPACE] = trace ? trace->size : 0,
		[ALLOC_OBJECTS] = trace ? trace->count : 0};

	if (use)
		use->size = use->count = 0;
	if (!values[INUSE_OBJECTS] && !values[ALLOC_OBJECTS] && !values[ALLOC_SPACE])
		return true;
	return text_stacks_add_stack(&s->stacks, (struct sample){.stack = stack}, values, err);
}

static bool add_traces(struct snapshot *s, const location_id *locations, struct error *err)
{
	bool done = true;

	for (size_t i = 0; done && i < s->traces.len; i++) {
		struct trace *trace = &s->traces.items[i];

		place_trace(s, trace,
			(uint64_t)trace->function < s->functions.len ? locations[trace->function]
								     : 0);
		done = add_values(s, trace->stack, trace, in_use_of(s, trace->id), err);
	}
	return done;
}

/* Objects that no trace node has allocated. */
static bool add_others(struct snapshot *s, struct error *err)
{
	struct in_use others = {0};
	stack_id stack;

	for (size_t i = 0; i < s->in_use.len; i++) {
		others.count += s->in_use.items[i].count;
		if (__builtin_add_overflow(others.size, s->in_use.items[i].size, &others.size))
			return error_set(err, ERR_LIMIT, "the sum of all sizes exceeds 2^63");
	}
	stack = profile_stack(s->stacks.profile, 0,
		text_stacks_named(&s->stacks, BYTES("[no stack]"), FRAME_META));
	return add_values(s, stack, NULL, &others, err);
}

static bool add_samples(struct snapshot *s, struct error *err)
{
	location_id *locations;
	bool done;

	/* The root is there in any case. */
	if (s->traces.len < 2)
		return json_fail(s->json,
			"the snapshot has no allocation stacks; take it with \"Allocation "
			"instrumentation on timeline\" and stacks, or with "
			"HeapProfiler.startTrackingHeapObjects and trackAllocations");
	heap_record_streams(&s->stacks, HEAP_VALUES);
	locations = name_functions(s);
	done = add_traces(s, locations, err) && add_others(s, err);
	memory_free(locations);
	return done && json_stacks_finish(&s->stacks, s->stacks.taken, s->json, err);
}

/* ---- The file ---- */

static bool take_key(struct snapshot *s, struct bytes key, struct json *j)
{
	if (bytes_equal(key, BYTES("snapshot")))
		take_description(s, j);
	else if (bytes_equal(key, BYTES("nodes")))
		return take_objects(s, j);
	else if (bytes_equal(key, BYTES("trace_function_infos")) && s->known_infos)
		take_functions(s, j);
	else if (bytes_equal(key, BYTES("trace_tree")) && s->known_traces)
		return take_tree(s, j);
	else if (bytes_equal(key, BYTES("strings")))
		take_strings(s, j);
	else
		json_skip(j);
	return true;
}

static bool snapshot_take(struct snapshot *s, struct json *j, struct error *err)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);)
		if (!take_key(s, key, j))
			return false;
	return json_finish(j) && add_samples(s, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct snapshot s = {.size_field = -1, .trace_field = -1};
	struct json j;
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&s.stacks, in, options, out);
	s.json = &j;
	done = snapshot_take(&s, &j, err);
	snapshot_release(&s);
	text_stacks_release(&s.stacks);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	return json_begins(head) && *bytes_trim(head).at == '{' &&
			       json_contains(head, "\"snapshot\"") &&
			       json_contains(head, "\"node_fields\"") &&
			       json_contains(head, "\"self_size\"")
		       ? 8 * 28
		       : 0;
}

const struct reader reader_heapsnapshot = {
	.name = "heapsnapshot",
	.about = "heap snapshots of V8 (Node.js, Chrome) with allocation stacks: .heapsnapshot",
	.expects = "a JSON object with `snapshot`, `nodes` and a `trace_tree` of allocations",
	.proof = "Node.js 20 on a program with known shares, compared with sums over its tables",
	.bid = bid,
	.read = read,
	.one_table = true,
};
