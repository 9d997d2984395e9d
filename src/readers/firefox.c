/* firefox.c: profiles of the Firefox Profiler, as profiler.firefox.com saves them and samply and
 * others write them.
 *
 * This is the "processed" format, of any version: docs-developer/CHANGELOG-formats.md of
 * firefox-devtools/profiler says what became of it. Tables of columns: samples name stacks, stacks
 * frames and their callers, frames functions, functions strings. First each thread had its own
 * tables; from version 56 on threads share the strings, from 60 on all tables. Process and thread
 * are root frames, unless Kiln wrote the file: then they are where they were. */
#include "readers/json_stacks.h"
#include "readers/thread_stack.h"

#include "base/units.h"

#include <stdlib.h>

#define MS_DECIMALS 6u /* of times, which are in milliseconds, to have them in ns */
#define NO_STACK    UINT32_MAX

/* What stacks are made of; a column that is not there is empty. */
struct tables {
	struct json_indices stack_frame, stack_prefix;
	bool prefix_is_offset;
	struct json_indices frame_func, frame_depth, frame_category, frame_lib;
	struct json_numbers frame_line;
	struct json_indices func_name, func_resource, func_file, func_source, func_js;
	struct json_numbers func_line;
	struct json_indices resource_lib, resource_name, source_file;
	struct json_texts strings, libs;
	VECTOR(location_id) locations; /* of each frame; 0: not asked for yet */
};

/* Samples of a thread, or its allocations. */
struct rows {
	struct json_indices stack;
	struct json_numbers time, weight, cpu;
	bool time_is_delta, timed, weighed;
	struct buffer weight_type;
};

enum { SAMPLES, JS_ALLOCATIONS, NATIVE_ALLOCATIONS, ROWS_KINDS };

struct firefox_thread {
	struct tables tables;
	struct rows rows[ROWS_KINDS];
	struct buffer name, process;
	int64_t pid, tid;
	struct json_extra extra;
};

struct firefox {
	struct profile *profile;
	const struct read_options *options;
	struct json *json;
	struct text_stacks names; /* has no samples */
	struct json_groups groups;
	struct tables shared;
	VECTOR(struct firefox_thread) threads;
	struct json_texts categories;
	struct buffer cpu_unit;
	int64_t start;		    /* of the clock: ns since 1970; INT64_MIN: not said */
	bool own;		    /* Kiln wrote it */
	bool any_cpu;		    /* a thread says how much CPU time its samples took */
	VECTOR(stack_id) stacks;    /* of the thread that is being added */
	VECTOR(uint32_t) stacks_of; /* for which thread each was asked for last, plus one */
	VECTOR(uint32_t) chain;
	uint64_t no_stack, too_deep;
};

static void tables_release(struct tables *t)
{
	vector_release(&t->stack_frame);
	vector_release(&t->stack_prefix);
	vector_release(&t->frame_func);
	vector_release(&t->frame_depth);
	vector_release(&t->frame_category);
	vector_release(&t->frame_lib);
	vector_release(&t->frame_line);
	vector_release(&t->func_name);
	vector_release(&t->func_resource);
	vector_release(&t->func_file);
	vector_release(&t->func_source);
	vector_release(&t->func_js);
	vector_release(&t->func_line);
	vector_release(&t->resource_lib);
	vector_release(&t->resource_name);
	vector_release(&t->source_file);
	vector_release(&t->locations);
	json_texts_release(&t->strings);
	json_texts_release(&t->libs);
}

static void thread_release(struct firefox_thread *t)
{
	tables_release(&t->tables);
	for (size_t i = 0; i < ROWS_KINDS; i++) {
		vector_release(&t->rows[i].stack);
		vector_release(&t->rows[i].time);
		vector_release(&t->rows[i].weight);
		vector_release(&t->rows[i].cpu);
		buffer_release(&t->rows[i].weight_type);
	}
	buffer_release(&t->name);
	buffer_release(&t->process);
	json_extra_release(&t->extra);
}

/* ---- Tables ---- */

/* A column of an object of columns, by its key. */
struct column {
	const char *key;
	struct json_indices *indices; /* one of the two */
	struct json_numbers *numbers;
	unsigned decimals;
};

static bool column_read(const struct column *columns, struct bytes key, struct json *j)
{
	for (; columns->key; columns++) {
		if (!bytes_equal(key, bytes_of(columns->key)) || json_peek(j) != JSON_ARRAY)
			continue;
		if (columns->indices)
			json_indices(j, columns->indices);
		else
			json_numbers(j, columns->decimals, INT64_MIN, columns->numbers);
		return true;
	}
	return false;
}

static void columns_read(const struct column *columns, struct json *j)
{
	struct bytes key;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key))
		if (!column_read(columns, key, j))
			json_skip(j);
}

static void stacks_read(struct tables *t, struct json *j)
{
	const struct column columns[] = {{"frame", &t->stack_frame, NULL, 0},
		{"prefix", &t->stack_prefix, NULL, 0}, {"prefixOffset", &t->stack_prefix, NULL, 0},
		{0}};
	struct bytes key;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		t->prefix_is_offset |= bytes_equal(key, BYTES("prefixOffset"));
		if (!column_read(columns, key, j))
			json_skip(j);
	}
}

/* true and false as 1 and 0. */
static void flags_read(struct json_indices *out, struct json *j)
{
	for (json_array(j); json_item(j);) {
		enum json_kind kind = json_peek(j);

		vector_push(out, kind == JSON_TRUE);
		json_skip(j);
	}
}

static void funcs_read(struct tables *t, struct json *j)
{
	const struct column columns[] = {{"name", &t->func_name, NULL, 0},
		{"resource", &t->func_resource, NULL, 0}, {"fileName", &t->func_file, NULL, 0},
		{"source", &t->func_source, NULL, 0}, {"lineNumber", NULL, &t->func_line, 0}, {0}};
	struct bytes key;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("isJS")) && json_peek(j) == JSON_ARRAY)
			flags_read(&t->func_js, j);
		else if (!column_read(columns, key, j))
			json_skip(j);
	}
}

static void libs_read(struct json_texts *libs, struct json *j)
{
	struct bytes key;

	for (json_array(j); json_item(j);) {
		bool named = false;

		if (json_object_if(j))
			while (json_key(j, &key)) {
				if (named || !bytes_equal(key, BYTES("name"))) {
					json_skip(j);
					continue;
				}
				json_texts_add(libs, json_string_if(j));
				named = true;
			}
		if (!named)
			json_texts_add(libs, (struct bytes){"", 0});
	}
}

/* False: the key names no table. */
static bool table_read(struct tables *t, struct bytes key, struct json *j)
{
	const struct column frames[] = {{"func", &t->frame_func, NULL, 0},
		{"inlineDepth", &t->frame_depth, NULL, 0},
		{"category", &t->frame_category, NULL, 0}, {"lib", &t->frame_lib, NULL, 0},
		{"line", NULL, &t->frame_line, 0}, {0}};
	const struct column resources[] = {
		{"lib", &t->resource_lib, NULL, 0}, {"name", &t->resource_name, NULL, 0}, {0}};
	const struct column sources[] = {{"filename", &t->source_file, NULL, 0}, {0}};
	bool array = json_peek(j) == JSON_ARRAY;

	if (bytes_equal(key, BYTES("stackTable")))
		stacks_read(t, j);
	else if (bytes_equal(key, BYTES("frameTable")))
		columns_read(frames, j);
	else if (bytes_equal(key, BYTES("funcTable")))
		funcs_read(t, j);
	else if (bytes_equal(key, BYTES("resourceTable")))
		columns_read(resources, j);
	else if (bytes_equal(key, BYTES("sources")))
		columns_read(sources, j);
	else if (array &&
		 (bytes_equal(key, BYTES("stringArray")) || bytes_equal(key, BYTES("stringTable"))))
		json_texts_read(&t->strings, j);
	else if (array && bytes_equal(key, BYTES("libs")))
		libs_read(&t->libs, j);
	else
		return false;
	return true;
}

/* ---- Threads ---- */

/* Weights are in ms where they are time: what they are is said behind them or before. */
static void rows_read(struct rows *r, struct json *j)
{
	const struct column columns[] = {{"stack", &r->stack, NULL, 0},
		{"time", NULL, &r->time, MS_DECIMALS}, {"timeDeltas", NULL, &r->time, MS_DECIMALS},
		{"weight", NULL, &r->weight, MS_DECIMALS},
		{"duration", NULL, &r->weight, MS_DECIMALS}, {"threadCPUDelta", NULL, &r->cpu, 0},
		{0}};
	struct bytes key, text;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("weightType"))) {
			text = json_string_if(j);
			r->weight_type.len = 0;
			buffer_add(&r->weight_type, text.at, text.len);
			continue;
		}
		r->time_is_delta |= bytes_equal(key, BYTES("timeDeltas"));
		if (!column_read(columns, key, j))
			json_skip(j);
	}
}

static void text_take(struct buffer *to, struct json *j)
{
	struct bytes text = json_string_if(j);

	to->len = 0;
	buffer_add(to, text.at, text.len);
}

static void thread_key(struct firefox_thread *t, struct bytes key, struct json *j)
{
	if (bytes_equal(key, BYTES("name")))
		text_take(&t->name, j);
	else if (bytes_equal(key, BYTES("processName")))
		text_take(&t->process, j);
	else if (bytes_equal(key, BYTES("pid")))
		t->pid = json_number_if(j, 0, -1);
	else if (bytes_equal(key, BYTES("tid")))
		t->tid = json_number_if(j, 0, -1);
	else if (bytes_equal(key, BYTES("samples")))
		rows_read(&t->rows[SAMPLES], j);
	else if (bytes_equal(key, BYTES("jsAllocations")))
		rows_read(&t->rows[JS_ALLOCATIONS], j);
	else if (bytes_equal(key, BYTES("nativeAllocations")))
		rows_read(&t->rows[NATIVE_ALLOCATIONS], j);
	else if (bytes_equal(key, BYTES("kiln")))
		json_extra_read(&t->extra, j);
	else if (!table_read(&t->tables, key, j))
		json_skip(j);
}

static void thread_read(struct firefox *f)
{
	struct firefox_thread t = {.pid = -1, .tid = -1};
	struct bytes key;

	json_extra_clear(&t.extra);
	for (json_object(f->json); json_key(f->json, &key);)
		thread_key(&t, key, f->json);
	f->any_cpu |= t.rows[SAMPLES].cpu.len > 0;
	vector_push(&f->threads, t);
}

static void categories_read(struct firefox *f)
{
	struct json *j = f->json;
	struct bytes key;

	for (json_array(j); json_item(j);) {
		struct bytes name = {"", 0};
		bool named = false;

		if (json_object_if(j))
			while (json_key(j, &key)) {
				if (named || !bytes_equal(key, BYTES("name"))) {
					json_skip(j);
					continue;
				}
				json_texts_add(&f->categories, json_string_if(j));
				named = true;
			}
		if (!named)
			json_texts_add(&f->categories, name);
	}
}

static void units_read(struct firefox *f)
{
	struct bytes key;

	while (json_key(f->json, &key))
		if (bytes_equal(key, BYTES("threadCPUDelta")))
			text_take(&f->cpu_unit, f->json);
		else
			json_skip(f->json);
}

static void meta_read(struct firefox *f)
{
	struct json *j = f->json;
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		bool array = json_peek(j) == JSON_ARRAY;

		if (bytes_equal(key, BYTES("startTime"))) {
			f->start = json_number_if(j, MS_DECIMALS, INT64_MIN);
		} else if (array && bytes_equal(key, BYTES("categories"))) {
			categories_read(f);
		} else if (bytes_equal(key, BYTES("sampleUnits")) && json_peek(j) == JSON_OBJECT) {
			json_object(j);
			units_read(f);
		} else if (bytes_equal(key, BYTES("kiln"))) {
			f->own = true;
			json_skip(j);
		} else {
			json_skip(j);
		}
	}
}

/* ---- Frames ---- */

static uint32_t index_at(const struct json_indices *column, size_t row)
{
	return row < column->len ? column->items[row] : JSON_NO_INDEX;
}

static uint32_t line_at(const struct json_numbers *column, size_t row)
{
	int64_t line = row < column->len ? column->items[row] : 0;

	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static enum frame_kind kind_of(
	const struct firefox *f, const struct tables *t, uint32_t frame, uint32_t func)
{
	struct bytes category = json_texts_at(&f->categories, index_at(&t->frame_category, frame));
	uint32_t depth = index_at(&t->frame_depth, frame);

	if (f->own) {
		for (unsigned kind = 0; kind < FRAME_KINDS; kind++)
			if (bytes_equal(category, bytes_of(frame_kind_name((enum frame_kind)kind))))
				return (enum frame_kind)kind;
		return FRAME_NATIVE;
	}
	if (depth && depth != JSON_NO_INDEX)
		return FRAME_INLINED;
	if (index_at(&t->func_js, func) == 1)
		return FRAME_JIT;
	return bytes_equal(category, BYTES("Kernel")) ? FRAME_KERNEL : FRAME_NATIVE;
}

/* Tables that a thread has not got are those that all share. */
static struct bytes string_at(const struct firefox *f, const struct tables *t, uint32_t index)
{
	return json_texts_at(t->strings.ends.len ? &t->strings : &f->shared.strings, index);
}

static struct bytes lib_at(const struct firefox *f, const struct tables *t, uint32_t index)
{
	return json_texts_at(t->libs.ends.len ? &t->libs : &f->shared.libs, index);
}

static location_id location_of(struct firefox *f, struct tables *t, uint32_t frame)
{
	uint32_t func = index_at(&t->frame_func, frame);
	uint32_t source = index_at(&t->func_source, func);
	uint32_t lib = index_at(&t->frame_lib, frame);
	const struct json_indices *sources =
		t->source_file.len ? &t->source_file : &f->shared.source_file;
	struct text_frame known = {.kind = kind_of(f, t, frame, func)};

	while (t->locations.len <= frame)
		vector_push(&t->locations, 0);
	if (t->locations.items[frame])
		return t->locations.items[frame];
	if (lib == JSON_NO_INDEX)
		lib = index_at(&t->resource_lib, index_at(&t->func_resource, func));
	known.function = string_at(f, t, index_at(&t->func_name, func));
	if (!known.function.len && !f->own)
		known.function = BYTES("[unknown]");
	known.module = lib_at(f, t, lib);
	known.file = string_at(f, t,
		source == JSON_NO_INDEX ? index_at(&t->func_file, func)
					: index_at(sources, source));
	known.line = line_at(&t->frame_line, frame);
	if (!known.line && !f->own)
		known.line = line_at(&t->func_line, func);
	t->locations.items[frame] = text_stacks_frame(&f->names, &known);
	return t->locations.items[frame];
}

/* ---- Stacks ---- */

static uint32_t prefix_of(const struct tables *t, uint32_t stack)
{
	uint32_t prefix = index_at(&t->stack_prefix, stack);

	if (!t->prefix_is_offset)
		return prefix;
	return prefix && prefix <= stack ? stack - prefix : JSON_NO_INDEX;
}

/* All frames that are not in the table are one. */
static uint32_t frame_of(const struct tables *t, uint32_t stack)
{
	uint32_t frame = index_at(&t->stack_frame, stack), none = (uint32_t)t->frame_func.len;

	return frame < none ? frame : none;
}

/* The stack of a row of the stack table in this thread; callers are above in the table. */
static stack_id stack_of(
	struct firefox *f, struct tables *t, uint32_t thread, uint32_t row, stack_id base)
{
	stack_id stack = base;

	if (row >= t->stack_frame.len) {
		f->no_stack += row != JSON_NO_INDEX;
		return row == JSON_NO_INDEX ? base : NO_STACK;
	}
	f->chain.len = 0;
	while (row < t->stack_frame.len && f->stacks_of.items[row] != thread + 1) {
		uint32_t prefix = prefix_of(t, row);

		if (f->chain.len == STACK_DEPTH_LIMIT ||
			(prefix != JSON_NO_INDEX && prefix >= row)) {
			f->too_deep++;
			return NO_STACK;
		}
		vector_push(&f->chain, row);
		row = prefix;
	}
	if (row < t->stack_frame.len)
		stack = f->stacks.items[row];
	while (f->chain.len) {
		row = f->chain.items[--f->chain.len];
		stack = profile_stack(f->profile, stack, location_of(f, t, frame_of(t, row)));
		f->stacks.items[row] = stack;
		f->stacks_of.items[row] = thread + 1;
	}
	return stack;
}

/* ---- Samples ---- */

static bool is_type(const struct rows *r, struct bytes type)
{
	return bytes_equal(buffer_bytes(&r->weight_type), type);
}

/* What the rows of a thread are weighed with. Returns how many values there are, one or two. */
static size_t values_of(const struct firefox *f, const struct firefox_thread *t, size_t kind,
	struct json_value *values)
{
	const struct rows *r = &t->rows[kind];
	const struct json_extra *own = &t->extra;

	values[0] = (struct json_value){BYTES("samples"), BYTES("count"), BYTES("")};
	if (own->told) {
		values[0] = (struct json_value){buffer_bytes(&own->stream_kind),
			buffer_bytes(&own->unit), buffer_bytes(&own->event)};
		return 1;
	}
	if (kind != SAMPLES || is_type(r, BYTES("bytes"))) {
		values[0].kind = kind == JS_ALLOCATIONS	      ? BYTES("js-alloc")
				 : kind == NATIVE_ALLOCATIONS ? BYTES("native-alloc")
							      : BYTES("bytes");
		values[0].unit = BYTES("bytes");
	} else if (is_type(r, BYTES("tracing-ms"))) {
		values[0].kind = BYTES("wall");
		values[0].unit = BYTES("ns");
	}
	if (kind != SAMPLES || !f->any_cpu)
		return 1;
	values[1] = (struct json_value){BYTES("cpu"), BYTES("ns"), BYTES("")};
	if (bytes_equal(buffer_bytes(&f->cpu_unit), BYTES("variable CPU cycles")))
		values[1] = (struct json_value){BYTES("cycles"), BYTES("count"), BYTES("")};
	return 2;
}

/* Weights were read with six decimals, which time in ms needs to be ns; `surplus` is what they are
 * too large by. */
static int64_t weight_at(const struct rows *r, size_t row, int64_t surplus)
{
	int64_t weight = row < r->weight.len ? r->weight.items[row] : INT64_MIN;

	if (!r->weight.len)
		return 1;
	if (weight == INT64_MIN)
		return 0;
	return weight / surplus + (weight % surplus * 2) / surplus;
}

static int64_t surplus_of(struct bytes unit)
{
	int64_t surplus = 1;

	if (bytes_equal(unit, BYTES("ns")))
		return 1;
	for (unsigned i = units_decimals(unit); i < MS_DECIMALS; i++)
		surplus *= 10;
	return surplus;
}

static int64_t cpu_at(const struct firefox *f, const struct rows *r, size_t row)
{
	int64_t cpu = row < r->cpu.len ? r->cpu.items[row] : INT64_MIN;
	bool in_us = bytes_equal(buffer_bytes(&f->cpu_unit), BYTES("\u00b5s"));

	if (cpu == INT64_MIN)
		return 0;
	if (in_us && (cpu > INT64_MAX / 1000 || cpu < INT64_MIN / 1000))
		return 0;
	return in_us ? cpu * 1000 : cpu;
}

/* Times since the start; with deltas, since the sample before. */
static void times_sum(struct rows *r)
{
	int64_t now = 0;

	for (size_t i = 0; i < r->time.len; i++) {
		int64_t *time = &r->time.items[i];

		if (*time == INT64_MIN)
			*time = r->time_is_delta ? 0 : now;
		if (!r->time_is_delta)
			now = *time;
		else if (!__builtin_add_overflow(now, *time, &now))
			*time = now;
	}
}

static thread_id thread_row(struct firefox *f, const struct firefox_thread *t)
{
	const struct json_extra *own = &t->extra;
	bool told = own->told;
	int64_t pid = told ? own->pid : t->pid, tid = told ? own->tid : t->tid;
	struct bytes process = buffer_bytes(told ? &own->process : &t->process);
	struct bytes name = buffer_bytes(told ? &own->thread : &t->name);
	process_id of = 0;

	if (pid >= 0 || process.len)
		of = profile_process(f->profile, pid < 0 || pid > INT32_MAX ? -1 : (int32_t)pid,
			profile_string(f->profile, process));
	return profile_thread(f->profile, of, tid < 0 || tid > INT32_MAX ? -1 : (int32_t)tid,
		profile_string(f->profile, name));
}

/* The tables that the thread's stacks are in. */
static struct tables *tables_of(struct firefox *f, struct firefox_thread *t)
{
	return t->tables.stack_frame.len ? &t->tables : &f->shared;
}

static struct sample sample_begun(const struct firefox *f, thread_id thread, bool timed)
{
	unsigned want = f->options->want;

	return (struct sample){.has = (want & WANT_THREADS ? SAMPLE_THREAD : 0) |
				      (want & WANT_TIMES && timed ? SAMPLE_TIME : 0),
		.thread = thread};
}

static bool rows_add(
	struct firefox *f, uint32_t number, size_t kind, thread_id thread, struct error *err)
{
	struct firefox_thread *t = &f->threads.items[number];
	struct rows *r = &t->rows[kind];
	struct tables *tables = tables_of(f, t);
	stack_id base = f->own ? 0 : thread_stack(f->profile, thread);
	struct json_value names[2];
	size_t count = values_of(f, t, kind, names);
	int64_t surplus = surplus_of(names[0].unit);
	bool timed = r->time.len >= r->stack.len && !t->extra.untimed;
	struct sample sample = sample_begun(f, thread, timed);
	struct text_stacks *to = json_group(&f->groups, names, count, timed);

	if (!to)
		return error_set(err, ERR_LIMIT, "more than %u kinds of values", JSON_GROUPS_MOST);
	times_sum(r);
	while (f->stacks.len < tables->stack_frame.len) {
		vector_push(&f->stacks, 0);
		vector_push(&f->stacks_of, 0);
	}
	for (size_t i = 0; i < r->stack.len; i++) {
		int64_t values[2] = {weight_at(r, i, surplus), cpu_at(f, r, i)};

		sample.stack = stack_of(f, tables, number, r->stack.items[i], base);
		if (sample.stack == NO_STACK)
			continue;
		sample.time = timed && r->time.items[i] > 0 ? (uint64_t)r->time.items[i] : 0;
		if (!text_stacks_add_stack(to, sample, values, err))
			return false;
	}
	return true;
}

/* ---- All of it ---- */

static void clock_set(struct firefox *f)
{
	for (size_t i = 0; f->start != INT64_MIN && i < f->profile->streams.len; i++)
		f->profile->streams.items[i].row.wall_offset = f->start;
}

static bool threads_add(struct firefox *f, struct error *err)
{
	for (uint32_t i = 0; i < f->threads.len; i++) {
		thread_id thread = thread_row(f, &f->threads.items[i]);

		for (size_t kind = 0; kind < ROWS_KINDS; kind++)
			if (f->threads.items[i].rows[kind].stack.len &&
				!rows_add(f, i, kind, thread, err))
				return false;
	}
	clock_set(f);
	json_count_note(f->profile, f->no_stack, "samples of a stack that is not there, skipped");
	json_count_note(f->profile, f->too_deep,
		"samples of stacks that are below their callers, or more than 8,192 deep, skipped");
	return json_groups_finish(&f->groups, f->json, err);
}

static bool firefox_read(struct firefox *f, struct error *err)
{
	struct json *j = f->json;
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("meta")))
			meta_read(f);
		else if (bytes_equal(key, BYTES("threads")))
			for (json_array(j); json_item(j);)
				thread_read(f);
		else if (bytes_equal(key, BYTES("shared")) && json_peek(j) == JSON_OBJECT)
			for (json_object(j); json_key(j, &key);) {
				if (!table_read(&f->shared, key, j))
					json_skip(j);
			}
		else if (!bytes_equal(key, BYTES("libs")) || !table_read(&f->shared, key, j))
			json_skip(j);
	}
	return json_finish(j) && threads_add(f, err);
}

static void firefox_release(struct firefox *f)
{
	for (size_t i = 0; i < f->threads.len; i++)
		thread_release(&f->threads.items[i]);
	vector_release(&f->threads);
	tables_release(&f->shared);
	json_groups_release(&f->groups);
	json_texts_release(&f->categories);
	buffer_release(&f->cpu_unit);
	vector_release(&f->stacks);
	vector_release(&f->stacks_of);
	vector_release(&f->chain);
	text_stacks_release(&f->names);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct json j;
	struct firefox f = {.profile = out,
		.options = options,
		.json = &j,
		.names = {.profile = out, .want = options->want},
		.groups = {.profile = out, .in = in, .options = options},
		.start = INT64_MIN};
	bool done;

	json_open(&j, in, err);
	done = firefox_read(&f, err);
	firefox_release(&f);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	if (!json_begins(head))
		return 0;
	if (json_says(head, "\"preprocessedProfileVersion\""))
		return 224;
	return json_says(head, "\"stackTable\"") && json_says(head, "\"prefix\"") ? 16 : 0;
}

const struct reader reader_firefox = {
	.name = "firefox",
	.about = "profiles of the Firefox Profiler, samply and others",
	.expects = "a JSON object with `threads` and `meta.preprocessedProfileVersion`",
	.proof = "files that the Firefox Profiler's own loader reads, stack by stack",
	.bid = bid,
	.read = read,
};
