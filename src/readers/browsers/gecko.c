/* gecko.c: raw profiles of Firefox, as it writes them itself (MOZ_PROFILER_SHUTDOWN), and as
 * simpleperf and others do for the Firefox Profiler.
 *
 *	{"libs": [...], "meta": {"version": 34, "startTime": 1795896338527.7, ...},
 *	 "threads": [{"name": "GeckoMain", "pid": 12, "tid": 12,
 *	   "samples": {"schema": {"stack": 0, "time": 1, "threadCPUDelta": 2},
 *	               "data": [[2, 15.07, 524855], ...]},
 *	   "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1], ...]},
 *	   "frameTable": {"schema": {"location": 0, "line": 4, ...}, "data": [[56], ...]},
 *	   "stringTable": ["(root)", "0x7f3a5c21e0", "work (http://a/b.js:12:5)", ...]}, ...],
 *	 "processes": [the same of every other process, ...]}
 *
 * Tables have rows; the end of a row may be missing, and is null. Times are milliseconds since the
 * start of the process. Source of the format: docs-developer/gecko-profile-format.md of
 * firefox-devtools/profiler, and its changes in CHANGELOG-formats.md. The tables become those of
 * the processed format, so that samples are what they are there (firefox_samples.h). */
#include "readers/browsers/firefox_samples.h"
#include "readers/browsers/gecko_places.h"

#include "base/units.h"

#include <stdlib.h>

#define COLUMNS_LIMIT 16u /* of a table */
#define DEPTH_LIMIT   16u /* of processes inside each other; Firefox needs two */

struct gecko_process {
	struct gecko_libraries libraries;
	int64_t start;
	bool in_array; /* of `processes` */
	bool processed;
};

struct gecko {
	struct firefox_file file;
	struct firefox_samples samples;
	struct gecko_places places;
	struct firefox_threads threads; /* of all processes */
	VECTOR(int64_t) starts;		/* of their processes */
	struct gecko_process processes[DEPTH_LIMIT];
	unsigned depth;
	uint64_t texts; /* processes that are text */
};

/* ---- Tables ---- */

struct column {
	const char *key;
	struct json_indices *indices; /* one of the two */
	struct json_numbers *numbers;
	unsigned decimals;
};

static void value_add(const struct column *column, int64_t value)
{
	if (column->numbers)
		vector_push(column->numbers, value);
	else
		vector_push(column->indices,
			value < 0 || value >= JSON_NO_INDEX ? JSON_NO_INDEX : (uint32_t)value);
}

/* Which column is at which position of a row: NULL, one that is not needed. */
static void schema_read(const struct column *columns, const struct column **ret_at, struct json *j)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		int64_t at = json_number_if(j, 0, -1);

		for (const struct column *c = columns; c->key; c++)
			if (bytes_equal(key, bytes_of(c->key)) && at >= 0 && at < COLUMNS_LIMIT)
				ret_at[at] = c;
	}
}

/* Every row has a value for each column. */
static void row_read(const struct column *const *at, struct json *j)
{
	size_t position = 0;

	if (json_array_if(j))
		for (; json_item(j); position++) {
			if (position < COLUMNS_LIMIT && at[position])
				value_add(at[position],
					json_number_if(j, at[position]->decimals, INT64_MIN));
			else
				json_skip(j);
		}
	for (; position < COLUMNS_LIMIT; position++)
		if (at[position])
			value_add(at[position], INT64_MIN);
}

/* Tools that sort keys put `data` before `schema`: then all of it is kept until that is known. */
static void row_keep(struct json_numbers *kept, struct json *j)
{
	size_t position = 0;

	if (json_array_if(j))
		for (; json_item(j); position++) {
			if (position < COLUMNS_LIMIT)
				vector_push(kept, json_number_if(j, FIREFOX_DECIMALS, INT64_MIN));
			else
				json_skip(j);
		}
	for (; position < COLUMNS_LIMIT; position++)
		vector_push(kept, INT64_MIN);
}

static void kept_add(const struct column *const *at, struct json_numbers *kept)
{
	for (size_t i = 0; i < kept->len; i++) {
		const struct column *column = at[i % COLUMNS_LIMIT];
		int64_t value = kept->items[i];

		if (column && value != INT64_MIN)
			value /= units_power(FIREFOX_DECIMALS - column->decimals);
		if (column)
			value_add(column, value);
	}
	kept->len = 0;
}

static void data_read(const struct column *const *at, struct json_numbers *kept, struct json *j)
{
	size_t rows = 0;

	for (json_array(j); json_item(j); rows++) {
		if (rows == JSON_COLUMN_LIMIT)
			json_fail(j, "a table with more than %zu rows", rows);
		if (kept)
			row_keep(kept, j);
		else
			row_read(at, j);
	}
}

static void table_read(const struct column *columns, struct json *j)
{
	const struct column *at[COLUMNS_LIMIT] = {0};
	struct json_numbers kept = {0};
	struct bytes key;
	bool known = false;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("schema")) && !known) {
			schema_read(columns, at, j);
			kept_add(at, &kept);
			known = true;
		} else if (bytes_equal(key, BYTES("data"))) {
			data_read(at, known ? NULL : &kept, j);
		} else {
			json_skip(j);
		}
	}
	if (kept.len)
		json_fail(j, "expected the `schema` of a table");
	vector_release(&kept);
}

static void samples_read(struct firefox_rows *r, struct json *j)
{
	const struct column columns[] = {{"stack", &r->stack, NULL, 0},
		{"time", NULL, &r->time, FIREFOX_DECIMALS}, {"threadCPUDelta", NULL, &r->cpu, 0},
		{0}};
	bool any_cpu = false;

	table_read(columns, j);
	for (size_t i = 0; !any_cpu && i < r->cpu.len; i++)
		any_cpu = r->cpu.items[i] != INT64_MIN;
	if (!any_cpu)
		r->cpu.len = 0;
}

static void thread_key(struct firefox_thread *t, struct bytes key, struct json *j)
{
	struct firefox_tables *tables = &t->tables;
	const struct column stacks[] = {{"prefix", &tables->stack_prefix, NULL, 0},
		{"frame", &tables->stack_frame, NULL, 0}, {0}};
	const struct column frames[] = {{"location", &tables->frame_func, NULL, 0},
		{"line", NULL, &tables->frame_line, 0}, {0}};

	if (firefox_thread_identity(t, key, j))
		return;
	if (bytes_equal(key, BYTES("samples")))
		samples_read(&t->rows[SAMPLES], j);
	else if (bytes_equal(key, BYTES("stackTable")))
		table_read(stacks, j);
	else if (bytes_equal(key, BYTES("frameTable")))
		table_read(frames, j);
	else if (bytes_equal(key, BYTES("stringTable")) && json_peek(j) == JSON_ARRAY)
		json_texts_read(&tables->strings, j);
	else
		json_skip(j);
}

/* Until Firefox 50, other processes were in the list, as text. */
static void threads_read(struct gecko *g, struct json *j)
{
	struct bytes key;

	for (json_array(j); json_item(j);) {
		struct firefox_thread t = {.pid = -1, .tid = -1};

		g->texts += json_peek(j) == JSON_STRING;
		if (!json_object_if(j))
			continue;
		json_extra_clear(&t.extra);
		while (json_key(j, &key))
			thread_key(&t, key, j);
		vector_push(&g->threads, t);
	}
}

/* ---- Frames ---- */

static struct bytes frame_text(const struct firefox_tables *t, size_t frame)
{
	return json_texts_at(&t->strings, t->frame_func.items[frame]);
}

/* A second frame for the same address, where it is the innermost one: there it is not where a call
 * returns to, which may be another function or line. A stack that others continue had a call at its
 * end. */
static void leaves_split(struct firefox_thread *t)
{
	enum { SAMPLED = 1, CALLER = 2 };
	struct firefox_tables *tables = &t->tables;
	const struct json_indices *samples = &t->rows[SAMPLES].stack;
	size_t stacks = tables->stack_frame.len, frames = tables->frame_func.len;
	uint8_t *roles = memory_new(stacks, sizeof(*roles));
	uint32_t *leaves = memory_new(frames, sizeof(*leaves));
	uint64_t address;

	for (size_t i = 0; i < stacks; i++)
		if (tables->stack_prefix.items[i] < stacks)
			roles[tables->stack_prefix.items[i]] |= CALLER;
	for (size_t i = 0; i < samples->len; i++)
		if (samples->items[i] < stacks)
			roles[samples->items[i]] |= SAMPLED;
	for (size_t i = 0; i < stacks; i++) {
		uint32_t frame = tables->stack_frame.items[i];

		if (roles[i] != SAMPLED || frame >= frames ||
			!gecko_places_address(frame_text(tables, frame), &address))
			continue;
		if (!leaves[frame]) {
			leaves[frame] = (uint32_t)tables->frame_func.len;
			vector_push(&tables->frame_func, tables->frame_func.items[frame]);
		}
		tables->stack_frame.items[i] = leaves[frame];
	}
	memory_free(roles);
	memory_free(leaves);
}

static void thread_locate(
	struct gecko *g, struct gecko_libraries *libraries, struct firefox_thread *t)
{
	struct firefox_tables *tables = &t->tables;
	size_t frames = tables->frame_func.len;

	while (tables->stack_prefix.len < tables->stack_frame.len)
		vector_push(&tables->stack_prefix, JSON_NO_INDEX);
	leaves_split(t);
	for (size_t i = 0; i < tables->frame_func.len; i++) {
		int64_t line = i < tables->frame_line.len ? tables->frame_line.items[i] : 0;

		vector_push(&tables->locations,
			gecko_places_locate(&g->places, libraries, frame_text(tables, i),
				i >= frames, line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0));
	}
	json_texts_release(&tables->strings);
	vector_release(&tables->frame_line);
}

/* ---- Processes ---- */

static void units_read(struct gecko *g, struct json *j)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);)
		if (bytes_equal(key, BYTES("threadCPUDelta")))
			buffer_set(&g->file.cpu_unit, json_string_if(j));
		else
			json_skip(j);
}

static void meta_read(struct gecko *g, struct json *j)
{
	struct gecko_process *p = &g->processes[g->depth - 1];
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		p->processed |= bytes_equal(key, BYTES("preprocessedProfileVersion"));
		if (bytes_equal(key, BYTES("startTime")))
			p->start = json_number_if(j, FIREFOX_DECIMALS, INT64_MIN);
		else if (bytes_equal(key, BYTES("sampleUnits")) && json_peek(j) == JSON_OBJECT)
			units_read(g, j);
		else
			json_skip(j);
	}
}

/* Times count from the start of the first process. */
static void times_shift(const struct gecko *g, struct firefox_thread *t, int64_t start)
{
	struct json_numbers *times = &t->rows[SAMPLES].time;
	int64_t by;

	if (start == INT64_MIN || g->file.start == INT64_MIN ||
		__builtin_sub_overflow(start, g->file.start, &by))
		return;
	for (size_t i = 0; i < times->len; i++)
		if (times->items[i] != INT64_MIN &&
			__builtin_add_overflow(times->items[i], by, &times->items[i]))
			times->items[i] = INT64_MIN;
}

static bool process_begin(struct gecko *g, bool in_array, struct json *j)
{
	if (g->depth == DEPTH_LIMIT)
		return json_fail(j, "more than %u processes inside each other", DEPTH_LIMIT);
	g->processes[g->depth++] = (struct gecko_process){.start = INT64_MIN, .in_array = in_array};
	return json_object(j);
}

/* The threads of a process are complete: its libraries are known. */
static void process_locate(struct gecko *g)
{
	struct gecko_process *p = &g->processes[g->depth - 1];

	if (g->depth == 1)
		g->file.start = p->start;
	for (size_t i = g->starts.len; i < g->threads.len; i++) {
		thread_locate(g, &p->libraries, &g->threads.items[i]);
		vector_push(&g->starts, p->start);
		g->file.any_cpu |= g->threads.items[i].rows[SAMPLES].cpu.len > 0;
	}
}

static void process_end(struct gecko *g)
{
	struct gecko_process *p = &g->processes[g->depth - 1];

	process_locate(g);
	gecko_libraries_release(&p->libraries);
	g->depth--;
	if (g->depth == 1 && !p->in_array && p[-1].start == INT64_MIN)
		p[-1].start = p->start;
}

static bool process_key(struct gecko *g, struct bytes key, struct json *j)
{
	bool array = json_peek(j) == JSON_ARRAY;

	if (bytes_equal(key, BYTES("meta")) && json_peek(j) == JSON_OBJECT)
		meta_read(g, j);
	else if (bytes_equal(key, BYTES("libs")) && array)
		gecko_libraries_read(&g->processes[g->depth - 1].libraries, j);
	else if (bytes_equal(key, BYTES("threads")) && array)
		threads_read(g, j);
	else
		json_skip(j);
	if (g->processes[g->depth - 1].processed)
		return json_fail(j, "a profile that the Firefox Profiler has processed: read it "
				    "with --format firefox");
	return true;
}

/* The next process of the array `processes`. False: there is none. */
static bool process_next(struct gecko *g, struct json *j)
{
	while (json_item(j)) {
		if (json_peek(j) == JSON_OBJECT)
			return process_begin(g, true, j);
		json_skip(j);
	}
	return false;
}

/* Processes are inside each other: `depth` of them are open. The threads that came before others
 * begin are complete: `libs` is before `processes`, also where keys are sorted. */
static void processes_read(struct gecko *g, struct json *j)
{
	struct bytes key;

	process_begin(g, false, j);
	while (g->depth) {
		if (json_key(j, &key)) {
			if (g->depth == 1 && bytes_equal(key, BYTES("profile")) &&
				json_peek(j) == JSON_OBJECT) {
				process_begin(g, false, j);
				continue;
			}
			if (!bytes_equal(key, BYTES("processes")) || !json_array_if(j)) {
				process_key(g, key, j);
				continue;
			}
			process_locate(g);
			process_next(g, j);
		} else {
			process_end(g);
			if (g->processes[g->depth].in_array)
				process_next(g, j);
		}
	}
}

static bool samples_add(struct gecko *g, const struct json *j, struct error *err)
{
	for (size_t i = 0; i < g->threads.len; i++) {
		times_shift(g, &g->threads.items[i], g->starts.items[i]);
		if (!firefox_samples_add(&g->samples, &g->threads.items[i], g->file.any_cpu, err))
			return false;
	}
	json_count_note(g->samples.profile, g->texts,
		"processes that are text inside of the JSON, as Firefox 49 wrote them, skipped");
	gecko_places_finish(&g->places);
	return firefox_samples_finish(&g->samples, j, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct gecko g = {.file = {.start = INT64_MIN}};
	struct json j;
	bool done;

	firefox_samples_open(&g.samples, &g.file, in, options, out);
	gecko_places_open(&g.places, &g.samples.stacks.names, options, in);
	json_open(&j, in, err);
	processes_read(&g, &j);
	done = json_finish(&j) && samples_add(&g, &j, err);
	json_release(&j);
	firefox_threads_clear(&g.threads);
	vector_release(&g.threads);
	vector_release(&g.starts);
	gecko_places_release(&g.places);
	firefox_samples_release(&g.samples);
	firefox_file_release(&g.file);
	return done;
}

/* Libraries with the addresses where they were loaded, which processed profiles do not have; or the
 * first of `meta`, or of tables. */
static int bid(struct bytes head)
{
	static const char *const heads[][5] = {
		{"\"libs\"", "\"breakpadId\"", "\"start\"", "\"end\""},
		{"\"meta\"", "\"version\"", "\"startTime\"", "\"processType\"", "\"interval\""},
		{"\"meta\"", "\"stackTable\"", "\"schema\"", "\"prefix\"", "\"stringTable\""}};

	/* The first profiles that were processed have no version, but a table of functions. */
	if (!json_begins(head) || json_contains(head, "\"preprocessedProfileVersion\"") ||
		json_contains(head, "\"funcTable\""))
		return 0;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		size_t found = 0;

		while (found < 5 && heads[i][found] && json_contains(head, heads[i][found]))
			found++;
		if (found == 5 || !heads[i][found])
			return 200;
	}
	return 0;
}

const struct reader reader_gecko = {
	.name = "gecko",
	.about = "raw profiles of Firefox (MOZ_PROFILER_SHUTDOWN=file)",
	.expects = "a JSON object with `libs`, `threads` whose tables have a `schema`, and "
		   "`meta.version`",
	.proof = "Firefox 153: each stack and CPU time as the Firefox Profiler's own loader has it",
	.bid = bid,
	.read = read,
};
