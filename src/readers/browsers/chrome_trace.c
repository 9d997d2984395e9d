/* chrome_trace.c: Chrome's traces: chrome://tracing, DevTools' performance panel, `node
 * --trace-events`, and whatever else writes the Trace Event Format.
 *
 * The format is Google's "Trace Event Format" document: an array of events, alone or as
 * `traceEvents` of an object. What takes time are X events, which have a duration, and pairs of B
 * and E; they nest by their times, each thread's for itself, and come in any order. Their self
 * times are the stream {"wall","ns"}. CPU profiles are in events of the names Profile,
 * ProfileChunk and CpuProfile (v8_profile.h), and come first when there are any. Samples, in
 * events of the phase P or the object's `samples`, as Hermes writes them, are streams of their
 * own. An event that says which call stack it began in stands upon it. Process and thread are root
 * frames.
 *
 * A trace that its program could not finish ends anywhere: what came before is read. */
#include "base/units.h"
#include "readers/browsers/chrome_spans.h"
#include "readers/browsers/v8_profile.h"
#include "readers/stacks/thread_stack.h"

#include <stdlib.h>

#define PROFILES_LIMIT 4096u
#define TIME_LIMIT     (INT64_MAX / 4) /* ns: no sum or difference of two overflows */
#define WHOLE_PROCESS  INT64_MIN       /* in place of a thread's id: its name is the process's */
#define PID_UNKNOWN    (INT64_MIN + 1)
#define TEXT_IDS       (INT64_MIN / 2) /* an id that is a text is this plus its string_id */

struct traced_sample {
	int64_t time, weight; /* ns */
	string_id name;
	uint32_t thread, frame;
	int32_t cpu; /* -1: unknown */
};

struct traced_thread {
	int64_t pid, tid;
	string_id name;
	thread_id id;
	stack_id base;
};

/* A CPU profile that comes in pieces. */
struct traced_profile {
	int64_t pid;
	struct buffer key; /* its id in the trace */
	uint32_t thread;
	struct v8_profile v8;
};

/* The event that is being read. */
struct reading {
	struct buffer name, id, arg_name;
	int64_t time, lasts, pid, tid, cpu, weight;
	uint32_t frame;
	char phase;
	struct v8_profile v8; /* pieces of a profile in its arguments */
};

struct chrome {
	struct profile *profile;
	struct json *json;
	struct text_stacks names, cpu, wall; /* names has no samples */
	struct reading now;
	struct chrome_frames frames;
	VECTOR(struct chrome_event) events;
	VECTOR(struct traced_sample) samples;
	struct json_groups sampled;
	VECTOR(struct traced_thread) threads;
	VECTOR(struct traced_profile) profiles;
	struct id_map by_thread;
	uint64_t seen;
	struct json_oddity no_time;
	struct chrome_walk walk;
	uint64_t too_many;
};

/* ---- Events ---- */

static uint32_t thread_of(struct chrome *c, int64_t pid, int64_t tid)
{
	uint64_t hash = hash_pair((uint64_t)pid, (uint64_t)tid);
	size_t at = id_map_first(&c->by_thread, hash);
	uint32_t found;

	while ((found = id_map_candidate(&c->by_thread, hash, &at)))
		if (c->threads.items[found - 1].pid == pid &&
			c->threads.items[found - 1].tid == tid)
			return found - 1;
	vector_push(&c->threads, ((struct traced_thread){.pid = pid, .tid = tid}));
	id_map_insert_at(&c->by_thread, hash, at, (uint32_t)c->threads.len);
	return (uint32_t)c->threads.len - 1;
}

/* Their meaning depends on the event's name, which may come later. */
static void args_read(struct chrome *c)
{
	struct json *j = c->json;
	struct bytes key;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("name"))) {
			buffer_set(&c->now.arg_name, json_string_if(j));
		} else if (bytes_equal(key, BYTES("data")) && json_peek(j) == JSON_OBJECT) {
			for (json_object(j); json_key(j, &key);)
				if (!v8_profile_key(&c->now.v8, key, j, &c->names))
					json_skip(j);
		} else {
			json_skip(j);
		}
	}
}

/* A number, or text, as text. */
static void id_read(struct buffer *to, struct json *j)
{
	to->len = 0;
	if (json_peek(j) == JSON_STRING)
		buffer_set(to, json_string(j));
	else
		buffer_i64(to, json_number_if(j, 0, 0));
}

/* The id of a process or thread, which some programs write as text: a number in quotes, or a name.
 * -1: none. */
static int64_t thread_id_read(struct chrome *c)
{
	struct bytes text;
	uint64_t number;

	if (json_peek(c->json) != JSON_STRING)
		return json_number_if(c->json, 0, -1);
	text = json_string(c->json);
	if (bytes_u64(text, &number) && number <= INT64_MAX)
		return (int64_t)number;
	return text.len ? TEXT_IDS + profile_string(c->profile, text) : -1;
}

/* The text that an id is; 0: it is a number. */
static string_id text_of_id(int64_t id)
{
	return id > TEXT_IDS && id <= TEXT_IDS + UINT32_MAX ? (string_id)(id - TEXT_IDS) : 0;
}

static void event_key(struct chrome *c, struct bytes key)
{
	struct reading *now = &c->now;
	struct json *j = c->json;

	if (bytes_equal(key, BYTES("name")))
		buffer_set(&now->name, json_string_if(j));
	else if (bytes_equal(key, BYTES("ph")))
		now->phase = *json_string_if(j).at;
	else if (bytes_equal(key, BYTES("ts")))
		now->time = json_number_if(j, 3, INT64_MIN);
	else if (bytes_equal(key, BYTES("dur")))
		now->lasts = json_number_if(j, 3, 0);
	else if (bytes_equal(key, BYTES("pid")))
		now->pid = thread_id_read(c);
	else if (bytes_equal(key, BYTES("tid")))
		now->tid = thread_id_read(c);
	else if (bytes_equal(key, BYTES("id")))
		id_read(&now->id, j);
	else if (bytes_equal(key, BYTES("args")))
		args_read(c);
	else if (bytes_equal(key, BYTES("sf")) && c->names.style->tool == TOOL_KILN)
		now->frame = chrome_frames_id(&c->frames, j);
	else if (bytes_equal(key, BYTES("stack")) && c->names.style->tool == TOOL_KILN)
		now->frame = chrome_frames_list(&c->frames, j);
	else if (bytes_equal(key, BYTES("cpu")))
		now->cpu = json_number_if(j, 0, -1);
	else if (bytes_equal(key, BYTES("weight")))
		now->weight = json_number_if(j, 0, 1);
	else
		json_skip(j);
}

static void metadata(struct chrome *c)
{
	const struct reading *now = &c->now;
	string_id name = profile_string(c->profile, buffer_bytes(&now->arg_name));
	uint32_t thread;

	if (bytes_equal(buffer_bytes(&now->name), BYTES("process_name"))) {
		thread = thread_of(c, now->pid, WHOLE_PROCESS);
		c->threads.items[thread].name = name;
	} else if (bytes_equal(buffer_bytes(&now->name), BYTES("thread_name"))) {
		thread = thread_of(c, now->pid, now->tid);
		c->threads.items[thread].name = name;
	}
}

static void span(struct chrome *c, enum chrome_phase phase)
{
	const struct reading *now = &c->now;
	struct chrome_event e = {now->time, now->lasts, 0, thread_of(c, now->pid, now->tid),
		now->frame, (uint8_t)phase};
	struct bytes name = buffer_bytes(&now->name);

	if (now->time < -TIME_LIMIT || now->time > TIME_LIMIT || now->lasts < 0 ||
		now->lasts > TIME_LIMIT) {
		json_odd(&c->no_time, c->json);
		return;
	}
	if (name.len || phase != PHASE_END)
		e.name = text_stacks_named(
			&c->names, name.len ? name : BYTES("(unnamed)"), FRAME_NATIVE);
	if (phase != PHASE_COMPLETE)
		e.lasts = 0;
	vector_push(&c->events, e);
}

static void sampled(struct chrome *c)
{
	const struct reading *now = &c->now;

	if (now->time < -TIME_LIMIT || now->time > TIME_LIMIT) {
		json_odd(&c->no_time, c->json);
		return;
	}
	vector_push(&c->samples,
		((struct traced_sample){now->time, now->weight,
			profile_string(c->profile, buffer_bytes(&now->name)),
			thread_of(c, now->pid, now->tid), now->frame,
			now->cpu < 0 || now->cpu > UINT16_MAX ? -1 : (int32_t)now->cpu}));
}

/* The profile that a piece is of; NULL beyond PROFILES_LIMIT. */
static struct traced_profile *profile_of(struct chrome *c)
{
	const struct reading *now = &c->now;
	struct traced_profile *p;

	for (size_t i = c->profiles.len; i-- > 0;) {
		p = &c->profiles.items[i];
		if (p->pid == now->pid &&
			bytes_equal(buffer_bytes(&p->key), buffer_bytes(&now->id)))
			return p;
	}
	if (c->profiles.len == PROFILES_LIMIT)
		return NULL;
	vector_push(&c->profiles, ((struct traced_profile){.pid = now->pid,
					  .thread = thread_of(c, now->pid, now->tid)}));
	p = &c->profiles.items[c->profiles.len - 1];
	v8_profile_clear(&p->v8);
	buffer_set(&p->key, buffer_bytes(&now->id));
	return p;
}

static void profile_piece(struct chrome *c)
{
	struct bytes name = buffer_bytes(&c->now.name);
	struct traced_profile *p;

	if (!bytes_equal(name, BYTES("Profile")) && !bytes_equal(name, BYTES("ProfileChunk")) &&
		!bytes_equal(name, BYTES("CpuProfile")))
		return;
	p = profile_of(c);
	if (p)
		v8_profile_append(&p->v8, &c->now.v8);
}

static void event_take(struct chrome *c)
{
	switch (c->now.phase) {
	case 'X':
		span(c, PHASE_COMPLETE);
		break;
	case 'B':
		span(c, PHASE_BEGIN);
		break;
	case 'E':
		span(c, PHASE_END);
		break;
	case 'M':
		metadata(c);
		break;
	case 'P':
		if (c->names.style->tool ==
			TOOL_KILN) /* the classic script knows X, B and E only */
			sampled(c);
		break;
	default:
		break;
	}
	profile_piece(c);
	c->seen++;
}

static void reading_clear(struct reading *now)
{
	now->name.len = now->id.len = now->arg_name.len = 0;
	now->time = INT64_MIN;
	now->lasts = 0;
	now->pid = now->tid = now->cpu = -1;
	now->weight = 1;
	now->frame = 0;
	now->phase = 0;
	v8_profile_clear(&now->v8);
}

static void event_read(struct chrome *c)
{
	struct bytes key;

	reading_clear(&c->now);
	json_object(c->json);
	while (json_key(c->json, &key))
		event_key(c, key);
	if (!c->json->failed)
		event_take(c);
}

static void events_read(struct chrome *c)
{
	for (json_array(c->json); json_item(c->json);)
		event_read(c);
}

/* `samples`, mostly without their process. */
static void samples_read(struct chrome *c)
{
	struct bytes key;

	if (!json_array_if(c->json))
		return;
	while (json_item(c->json)) {
		reading_clear(&c->now);
		c->now.pid = PID_UNKNOWN;
		if (!json_object_if(c->json))
			continue;
		while (json_key(c->json, &key))
			event_key(c, key);
		if (!c->json->failed)
			sampled(c);
	}
}

/* ---- Threads ---- */

static int32_t small_id(int64_t id)
{
	return id < 0 || id > INT32_MAX ? -1 : (int32_t)id;
}

/* The thread with its row and root frames; by now all names are known. */
static const struct traced_thread *thread_made(struct chrome *c, uint32_t number)
{
	uint32_t whole = thread_of(c, c->threads.items[number].pid, WHOLE_PROCESS);
	struct traced_thread *t = &c->threads.items[number];
	string_id process = c->threads.items[whole].name;

	if (t->id)
		return t;
	t->id = profile_thread(c->profile,
		profile_process(
			c->profile, small_id(t->pid), process ? process : text_of_id(t->pid)),
		small_id(t->tid), t->name ? t->name : text_of_id(t->tid));
	if (c->names.style->tool == TOOL_KILN) /* the classic script does not distinguish threads */
		t->base = thread_stack(c->profile, t->id);
	return t;
}

static struct sample sample_of(const struct chrome *c, const struct traced_thread *t)
{
	return (struct sample){
		.has = c->names.want & WANT_THREADS ? SAMPLE_THREAD : 0, .thread = t->id};
}

/* ---- Self times ---- */

static bool spans_add(struct chrome *c, struct error *err)
{
	const struct chrome_event *events = c->events.items;
	struct sort_key *keys = chrome_events_sorted(events, c->events.len);
	struct chrome_walk *w = &c->walk;

	*w = (struct chrome_walk){.stacks = &c->wall, .frames = &c->frames, .err = err};
	text_stacks_stream(&c->wall, BYTES("wall"), BYTES("ns"), (struct bytes){0});
	for (size_t i = 0; i < c->events.len && !err->code;) {
		uint32_t thread = events[keys[i].row].thread;
		const struct traced_thread *t = thread_made(c, thread);
		struct sample sample = sample_of(c, t);

		if (c->names.want & WANT_TIMES)
			sample.has |= SAMPLE_TIME | SAMPLE_DURATION;
		chrome_walk_begin(w, sample, t->base);
		for (; i < c->events.len && events[keys[i].row].thread == thread; i++)
			chrome_walk_event(w, &events[keys[i].row]);
		chrome_walk_end(w);
	}
	memory_free(keys);
	return !err->code;
}

/* ---- CPU profiles ---- */

static bool profiles_add(struct chrome *c, const struct read_options *options, struct error *err)
{
	struct v8_sink sink;
	bool done = true;

	text_stacks_open(&c->cpu, c->json->in, options, c->profile);
	v8_sink_open(&sink, &c->cpu, true);
	for (size_t i = 0; done && i < c->profiles.len; i++) {
		struct traced_profile *p = &c->profiles.items[i];
		const struct traced_thread *t;

		if (!v8_profile_timed(&p->v8))
			continue;
		t = thread_made(c, p->thread);
		done = v8_profile_add(&p->v8, &sink, t->base, sample_of(c, t), err);
	}
	done = done && v8_sink_finish(&sink, c->json, err);
	v8_sink_release(&sink);
	return done;
}

static bool any_samples(const struct chrome *c)
{
	for (size_t i = 0; i < c->profiles.len; i++)
		if (v8_profile_timed(&c->profiles.items[i].v8))
			return true;
	return false;
}

/* ---- Samples ---- */

/* Samples without a process get it from other events of their thread. */
static void find_processes(struct chrome *c)
{
	struct id_map by_tid = {0};

	for (uint32_t i = 0; i < c->threads.len; i++)
		if (c->threads.items[i].pid != PID_UNKNOWN)
			id_map_insert(
				&by_tid, hash_pair((uint64_t)c->threads.items[i].tid, 1), i + 1);
	for (size_t i = 0; by_tid.slots && i < c->samples.len; i++) {
		const struct traced_thread *t = &c->threads.items[c->samples.items[i].thread];
		uint64_t hash = hash_pair((uint64_t)t->tid, 1);
		size_t at = id_map_start(&by_tid, hash);
		uint32_t found;

		while (t->pid == PID_UNKNOWN && (found = id_map_candidate(&by_tid, hash, &at)))
			if (c->threads.items[found - 1].tid == t->tid) {
				c->samples.items[i].thread = found - 1;
				break;
			}
	}
	id_map_release(&by_tid);
}

static bool sample_add(struct chrome *c, const struct traced_sample *from, struct error *err)
{
	const struct traced_thread *thread = thread_made(c, from->thread);
	struct sample sample = sample_of(c, thread);
	struct json_value value = {.kind = BYTES("samples"), .unit = BYTES("count")};
	struct text_stacks *group;
	uint32_t depth = 2;

	sample.stack = thread->base;
	if (from->frame)
		chrome_frames_stack(&c->frames, 0, from->frame, &sample.stack, &depth);
	if (c->names.want & WANT_TIMES)
		sample.has |= SAMPLE_TIME;
	sample.time = from->time < 0 ? 0 : (uint64_t)from->time;
	if (c->names.want & WANT_CPUS && from->cpu >= 0)
		sample.has |= SAMPLE_CPU;
	sample.cpu = from->cpu < 0 ? 0 : (uint16_t)from->cpu;
	/* A new stream's texts may move those of the profile. */
	buffer_set(&c->now.name, profile_text(c->profile, from->name));
	value.event = buffer_bytes(&c->now.name);
	group = json_group(&c->sampled, &value, 1, from->cpu >= 0);
	c->too_many += !group;
	return !group || text_stacks_add_stack(group, sample, &from->weight, err);
}

static bool samples_add(struct chrome *c, struct error *err)
{
	find_processes(c);
	for (size_t i = 0; i < c->samples.len; i++)
		if (!sample_add(c, &c->samples.items[i], err))
			return false;
	return true;
}

static uint64_t samples_taken(const struct chrome *c)
{
	uint64_t taken = 0;

	for (size_t i = 0; i < c->sampled.count; i++)
		taken += c->sampled.items[i].taken;
	return taken;
}

/* ---- All of it ---- */

/* Time that cannot be nested. */
static void moved_note(struct chrome *c)
{
	double ns = c->walk.moved_ns;
	struct buffer text = {0};

	if (!c->walk.moved)
		return;
	buffer_text(
		&text, "events that end after the one that they began in, continued outside it: ");
	units_grouped(&text, (int64_t)c->walk.moved);
	buffer_text(&text, ", for ");
	units_human(&text, ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX, BYTES("ns"));
	profile_note(c->profile, "%.*s", (int)text.len, text.at);
	buffer_release(&text);
}

static void notes_leave(struct chrome *c)
{
	json_odd_note(&c->no_time, c->profile, "events without a time");
	json_count_note(
		c->profile, c->walk.not_begun, "E events without a matching B event, skipped");
	json_count_note(c->profile, c->walk.not_ended,
		"B events without an end, extended to the end of their thread");
	moved_note(c);
	json_count_note(c->profile, c->walk.cut,
		"events that end after the one that they began in, cut at its end");
	json_count_note(c->profile, c->frames.missing, "call stacks with missing frames, left out");
	json_count_note(c->profile, c->frames.circular,
		"call stacks with cycles, or with more than 8,192 frames, left out");
	json_count_note(c->profile, c->frames.beyond,
		"call stacks beyond the first 4,194,304 different ones, left out");
	json_count_note(c->profile, c->too_many, "samples of more than 64 events, skipped");
	json_count_note(c->profile, c->walk.too_deep,
		"events nested in more than 8,192 others: their time is that of the innermost of "
		"these");
}

/* A truncated trace is read as far as it goes. */
static bool cut_is_fine(struct chrome *c, struct error *err)
{
	if (c->json->failed && !(c->json->truncated && c->seen))
		return false;
	if (c->json->truncated)
		profile_note(c->profile,
			"the trace is truncated at line %llu, byte %llu; everything before is read",
			(unsigned long long)json_line(c->json),
			(unsigned long long)json_byte(c->json));
	*err = (struct error){0};
	return true;
}

/* Read an object, which may be incomplete. */
static void object_read(struct chrome *c)
{
	struct json *j = c->json;
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("traceEvents")))
			events_read(c);
		else if (bytes_equal(key, BYTES("stackFrames")))
			chrome_frames_read(&c->frames, j);
		else if (bytes_equal(key, BYTES("samples")) && c->names.style->tool == TOOL_KILN)
			samples_read(c);
		else
			json_skip(j);
	}
}

static bool chrome_read(struct chrome *c, const struct read_options *options, struct error *err)
{
	struct json *j = c->json;
	uint64_t taken;

	j->may_end_in = 2;
	if (json_peek(j) == JSON_ARRAY)
		events_read(c);
	else
		object_read(c);
	if (!json_finish(j) && !cut_is_fine(c, err))
		return false;
	if (j->truncated && !j->failed)
		cut_is_fine(c, err);
	if (any_samples(c) && !profiles_add(c, options, err))
		return false;
	if (!samples_add(c, err))
		return false;
	taken = any_samples(c) + samples_taken(c);
	if (samples_taken(c) && !json_groups_finish(&c->sampled, j, err))
		return false;
	if (!taken || c->events.len) {
		text_stacks_open(&c->wall, j->in, options, c->profile);
		if (!spans_add(c, err))
			return false;
	}
	notes_leave(c);
	return taken || json_stacks_finish(&c->wall, c->wall.taken, j, err);
}

static void chrome_release(struct chrome *c)
{
	for (size_t i = 0; i < c->profiles.len; i++) {
		v8_profile_release(&c->profiles.items[i].v8);
		buffer_release(&c->profiles.items[i].key);
	}
	v8_profile_release(&c->now.v8);
	buffer_release(&c->now.name);
	buffer_release(&c->now.id);
	buffer_release(&c->now.arg_name);
	chrome_frames_release(&c->frames);
	chrome_walk_release(&c->walk);
	vector_release(&c->events);
	vector_release(&c->samples);
	json_groups_release(&c->sampled);
	vector_release(&c->threads);
	vector_release(&c->profiles);
	id_map_release(&c->by_thread);
	text_stacks_release(&c->names);
	text_stacks_release(&c->cpu);
	text_stacks_release(&c->wall);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct json j;
	struct chrome c = {.profile = out,
		.json = &j,
		.names = {.profile = out, .want = options->want, .style = reading_style(options)},
		.sampled = {.profile = out, .in = in, .options = options}};
	bool done;

	c.frames.names = &c.names;

	json_open(&j, in, err);
	done = chrome_read(&c, options, err);
	chrome_release(&c);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	if (!json_begins(head))
		return 0;
	if (json_contains(head, "\"traceEvents\""))
		return 104;
	return json_contains(head, "\"ph\"") && json_contains(head, "\"ts\"") ? 64 : 0;
}

const struct reader reader_chrome_trace = {
	.name = "chrome-trace",
	.about = "traces of Chrome and others in the Trace Event Format",
	.expects =
		"a JSON array of events with `ph` and `ts`, or an object with it as `traceEvents`",
	.proof = "Chromium and Node.js 20: known shares, and the time that their events cover",
	.bid = bid,
	.read = read,
};
