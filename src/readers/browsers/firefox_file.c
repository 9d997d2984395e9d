/* firefox_file.c: which tables, threads and samples are in a profile of the Firefox Profiler?
 *
 * This is the "processed" format, of any version: docs-developer/CHANGELOG-formats.md of
 * firefox-devtools/profiler says what became of it. Tables of columns: samples name stacks, stacks
 * frames and their callers, frames functions, functions strings. First each thread had its own
 * tables; from version 56 on threads share the strings, from 60 on all tables. */
#include "readers/browsers/firefox_file.h"

#include <stdlib.h>

static void tables_release(struct firefox_tables *t)
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
	unsigned *too_large; /* how many decimals were left out; NULL: none may be */
};

static void numbers_read(const struct column *column, struct json *j)
{
	unsigned decimals = column->decimals;

	if (!column->too_large) {
		json_numbers(j, decimals, INT64_MIN, column->numbers);
		return;
	}
	decimals -= *column->too_large;
	json_numbers_fit(j, &decimals, INT64_MIN, column->numbers);
	*column->too_large = column->decimals - decimals;
}

static bool column_read(const struct column *columns, struct bytes key, struct json *j)
{
	for (; columns->key; columns++) {
		if (!bytes_equal(key, bytes_of(columns->key)) || json_peek(j) != JSON_ARRAY)
			continue;
		if (columns->indices)
			json_indices(j, columns->indices);
		else
			numbers_read(columns, j);
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

static void stacks_read(struct firefox_tables *t, struct json *j)
{
	const struct column columns[] = {{"frame", &t->stack_frame, NULL, 0, NULL},
		{"prefix", &t->stack_prefix, NULL, 0, NULL},
		{"prefixOffset", &t->stack_prefix, NULL, 0, NULL}, {0}};
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

static void funcs_read(struct firefox_tables *t, struct json *j)
{
	const struct column columns[] = {{"name", &t->func_name, NULL, 0, NULL},
		{"resource", &t->func_resource, NULL, 0, NULL},
		{"fileName", &t->func_file, NULL, 0, NULL},
		{"source", &t->func_source, NULL, 0, NULL},
		{"lineNumber", NULL, &t->func_line, 0, NULL}, {0}};
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

/* The `name` of each object of an array. */
static void names_read(struct json_texts *names, struct json *j)
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
				json_texts_add(names, json_string_if(j));
				named = true;
			}
		if (!named)
			json_texts_add(names, (struct bytes){"", 0});
	}
}

/* False: the key names no table. */
static bool table_read(struct firefox_tables *t, struct bytes key, struct json *j)
{
	const struct column frames[] = {{"func", &t->frame_func, NULL, 0, NULL},
		{"inlineDepth", &t->frame_depth, NULL, 0, NULL},
		{"category", &t->frame_category, NULL, 0, NULL},
		{"lib", &t->frame_lib, NULL, 0, NULL}, {"line", NULL, &t->frame_line, 0, NULL},
		{0}};
	const struct column resources[] = {{"lib", &t->resource_lib, NULL, 0, NULL},
		{"name", &t->resource_name, NULL, 0, NULL}, {0}};
	const struct column sources[] = {{"filename", &t->source_file, NULL, 0, NULL}, {0}};
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
		names_read(&t->libs, j);
	else
		return false;
	return true;
}

/* ---- Threads ---- */

/* Weights that are times are in ms; their type may come before or behind them. */
static void rows_read(struct firefox_rows *r, struct json *j)
{
	const struct column columns[] = {{"stack", &r->stack, NULL, 0, NULL},
		{"time", NULL, &r->time, FIREFOX_DECIMALS, NULL},
		{"timeDeltas", NULL, &r->time, FIREFOX_DECIMALS, NULL},
		{"weight", NULL, &r->weight, FIREFOX_DECIMALS, &r->too_large},
		{"duration", NULL, &r->weight, FIREFOX_DECIMALS, &r->too_large},
		{"threadCPUDelta", NULL, &r->cpu, 0, NULL}, {0}};
	struct bytes key;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("weightType"))) {
			buffer_set(&r->weight_type, json_string_if(j));
			continue;
		}
		r->time_is_delta |= bytes_equal(key, BYTES("timeDeltas"));
		if (!column_read(columns, key, j))
			json_skip(j);
	}
}

bool firefox_thread_identity(struct firefox_thread *t, struct bytes key, struct json *j)
{
	if (bytes_equal(key, BYTES("name")))
		buffer_set(&t->name, json_string_if(j));
	else if (bytes_equal(key, BYTES("processName")))
		buffer_set(&t->process, json_string_if(j));
	else if (bytes_equal(key, BYTES("pid")))
		t->pid = json_number_if(j, 0, -1);
	else if (bytes_equal(key, BYTES("tid")))
		t->tid = json_number_if(j, 0, -1);
	else
		return false;
	return true;
}

static void thread_key(struct firefox_thread *t, struct bytes key, struct json *j)
{
	if (firefox_thread_identity(t, key, j))
		return;
	if (bytes_equal(key, BYTES("samples")))
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

/* Equal weights are stored once; the memory then serves the next columns. */
static void weights_fold(struct firefox_rows *r)
{
	size_t len = r->weight.len;
	int64_t *items = r->weight.items;

	if (len < 2 || len < r->stack.len || memcmp(items, items + 1, (len - 1) * sizeof(*items)))
		return;
	r->one_weight = true;
	r->weight.len = r->weight.cap = 1;
	r->weight.items = memory_resize(items, 1, sizeof(*items));
}

static void thread_read(struct firefox_file *f, struct json *j)
{
	struct firefox_thread t = {.pid = -1, .tid = -1};
	struct bytes key;

	json_extra_clear(&t.extra);
	for (json_object(j); json_key(j, &key);)
		thread_key(&t, key, j);
	for (size_t kind = 0; kind < ROWS_KINDS; kind++)
		weights_fold(&t.rows[kind]);
	f->any_cpu |= t.rows[SAMPLES].cpu.len > 0;
	f->no_value_type |= !t.extra.present;
	vector_push(f->threads, t);
}

static void units_read(struct firefox_file *f, struct json *j)
{
	struct bytes key;

	while (json_key(j, &key))
		if (bytes_equal(key, BYTES("threadCPUDelta")))
			buffer_set(&f->cpu_unit, json_string_if(j));
		else
			json_skip(j);
}

static void meta_read(struct firefox_file *f, struct json *j)
{
	struct bytes key;

	f->raw = true;
	for (json_object(j); json_key(j, &key);) {
		bool array = json_peek(j) == JSON_ARRAY;

		f->raw = f->raw && !bytes_equal(key, BYTES("preprocessedProfileVersion"));
		if (bytes_equal(key, BYTES("startTime"))) {
			f->start = json_number_if(j, FIREFOX_DECIMALS, INT64_MIN);
		} else if (array && bytes_equal(key, BYTES("categories"))) {
			names_read(&f->categories, j);
		} else if (bytes_equal(key, BYTES("sampleUnits")) && json_peek(j) == JSON_OBJECT) {
			json_object(j);
			units_read(f, j);
		} else if (bytes_equal(key, BYTES("kiln"))) {
			f->own = true;
			json_skip(j);
		} else {
			json_skip(j);
		}
	}
}

/* ---- All of it ---- */

enum { META = 1, SHARED = 2, LIBS = 4, PARTS = 7 };

/* Whether any thread has CPU times decides what the values of threads without a type are. */
static bool threads_read(struct firefox_file *f, struct json *j)
{
	for (json_array(j); json_item(j);) {
		thread_read(f, j);
		if (j->failed || f->parts != PARTS || (f->no_value_type && !f->any_cpu))
			continue;
		f->offered = true;
		if (!f->offer(f->context))
			return false;
	}
	return true;
}

static void shared_read(struct firefox_file *f, struct json *j)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);)
		if (!table_read(&f->shared, key, j))
			json_skip(j);
}

/* The parts that all threads need; false: the key names no such part, or is repeated. */
static bool part_read(struct firefox_file *f, struct bytes key, struct json *j)
{
	bool object = json_peek(j) == JSON_OBJECT;

	if (f->offered)
		return false;
	if (bytes_equal(key, BYTES("meta"))) {
		meta_read(f, j);
		f->parts |= META;
	} else if (object && bytes_equal(key, BYTES("shared"))) {
		shared_read(f, j);
		f->parts |= SHARED;
	} else if (bytes_equal(key, BYTES("libs")) && table_read(&f->shared, key, j)) {
		f->parts |= LIBS;
	} else {
		return false;
	}
	return true;
}

void firefox_file_read(struct firefox_file *f, struct json *j)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("threads"))) {
			if (!threads_read(f, j))
				return;
		} else if (!part_read(f, key, j)) {
			json_skip(j);
		}
	}
}

void firefox_threads_clear(struct firefox_threads *t)
{
	for (size_t i = 0; i < t->len; i++)
		thread_release(&t->items[i]);
	t->len = 0;
}

void firefox_file_release(struct firefox_file *f)
{
	tables_release(&f->shared);
	json_texts_release(&f->categories);
	buffer_release(&f->cpu_unit);
}
