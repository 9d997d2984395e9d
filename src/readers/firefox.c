/* firefox.c: profiles of the Firefox Profiler, as profiler.firefox.com saves them and samply and
 * others write them.
 *
 * Process and thread are root frames, unless Kiln wrote the file: then they are where they were. */
#include "readers/firefox_file.h"
#include "readers/thread_stack.h"

#include "base/units.h"

#include <stdlib.h>

#define NO_STACK UINT32_MAX

struct row_stack {
	uint32_t round;
	stack_id stack;
};

struct firefox {
	struct firefox_file file;
	struct profile *profile;
	const struct read_options *options;
	struct json *json;
	struct text_stacks names; /* has no samples */
	struct json_groups groups;
	/* The stacks of rows of a stack table, above a base: of `round` are those that are known.
	 */
	VECTOR(struct row_stack) stacks;
	const struct firefox_tables *tables;
	stack_id base;
	uint32_t round;
	VECTOR(uint32_t) chain;
	uint64_t no_stack, too_deep;
};

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
	const struct firefox *f, const struct firefox_tables *t, uint32_t frame, uint32_t func)
{
	struct bytes category =
		json_texts_at(&f->file.categories, index_at(&t->frame_category, frame));
	uint32_t depth = index_at(&t->frame_depth, frame);

	if (f->file.own) {
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
static struct bytes string_at(
	const struct firefox *f, const struct firefox_tables *t, uint32_t index)
{
	return json_texts_at(t->strings.ends.len ? &t->strings : &f->file.shared.strings, index);
}

static struct bytes lib_at(const struct firefox *f, const struct firefox_tables *t, uint32_t index)
{
	return json_texts_at(t->libs.ends.len ? &t->libs : &f->file.shared.libs, index);
}

static location_id learn_location(struct firefox *f, const struct firefox_tables *t, uint32_t frame)
{
	uint32_t func = index_at(&t->frame_func, frame);
	uint32_t source = index_at(&t->func_source, func);
	uint32_t lib = index_at(&t->frame_lib, frame);
	const struct json_indices *sources =
		t->source_file.len ? &t->source_file : &f->file.shared.source_file;
	struct text_frame known = {.kind = kind_of(f, t, frame, func)};

	if (lib == JSON_NO_INDEX)
		lib = index_at(&t->resource_lib, index_at(&t->func_resource, func));
	known.function = string_at(f, t, index_at(&t->func_name, func));
	if (!known.function.len && !f->file.own)
		known.function = BYTES("[unknown]");
	known.module = lib_at(f, t, lib);
	known.file = string_at(f, t,
		source == JSON_NO_INDEX ? index_at(&t->func_file, func)
					: index_at(sources, source));
	known.line = line_at(&t->frame_line, frame);
	if (!known.line && !f->file.own)
		known.line = line_at(&t->func_line, func);
	return text_stacks_frame(&f->names, &known);
}

static location_id location_of(struct firefox *f, struct firefox_tables *t, uint32_t frame)
{
	while (t->locations.len <= frame)
		vector_push(&t->locations, 0);
	if (!t->locations.items[frame])
		t->locations.items[frame] = learn_location(f, t, frame);
	return t->locations.items[frame];
}

/* ---- Stacks ---- */

static uint32_t prefix_of(const struct firefox_tables *t, uint32_t stack)
{
	uint32_t prefix = index_at(&t->stack_prefix, stack);

	if (!t->prefix_is_offset)
		return prefix;
	return prefix && prefix <= stack ? stack - prefix : JSON_NO_INDEX;
}

/* All frames that are not in the table are one. */
static uint32_t frame_of(const struct firefox_tables *t, uint32_t stack)
{
	uint32_t frame = index_at(&t->stack_frame, stack), none = (uint32_t)t->frame_func.len;

	return frame < none ? frame : none;
}

/* The stacks of rows of these tables are asked for next, which a thread before may have, too. */
static void stacks_begin(struct firefox *f, const struct firefox_tables *t, stack_id base)
{
	if (f->round && f->tables == t && f->base == base)
		return;
	f->tables = t;
	f->base = base;
	f->round++;
	while (f->stacks.len < t->stack_frame.len)
		vector_push(&f->stacks, (struct row_stack){0});
	profile_reserve_stacks(f->profile, t->stack_frame.len);
}

/* The stack of a row of the stack table; callers are above in the table. */
static stack_id learn_stack(struct firefox *f, struct firefox_tables *t, uint32_t row)
{
	stack_id stack = f->base;

	if (row >= t->stack_frame.len) {
		f->no_stack += row != JSON_NO_INDEX;
		return row == JSON_NO_INDEX ? stack : NO_STACK;
	}
	f->chain.len = 0;
	while (row < t->stack_frame.len && f->stacks.items[row].round != f->round) {
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
		stack = f->stacks.items[row].stack;
	while (f->chain.len) {
		row = f->chain.items[--f->chain.len];
		stack = profile_stack(f->profile, stack, location_of(f, t, frame_of(t, row)));
		f->stacks.items[row] = (struct row_stack){f->round, stack};
	}
	return stack;
}

static inline stack_id stack_of(struct firefox *f, struct firefox_tables *t, uint32_t row)
{
	if (row < t->stack_frame.len && f->stacks.items[row].round == f->round)
		return f->stacks.items[row].stack;
	return learn_stack(f, t, row);
}

/* ---- Samples ---- */

static bool is_type(const struct firefox_rows *r, struct bytes type)
{
	return bytes_equal(buffer_bytes(&r->weight_type), type);
}

/* What the rows of a thread are weighed with. Returns how many values there are, one or two. */
static size_t values_of(const struct firefox *f, const struct firefox_thread *t, size_t kind,
	struct json_value *values)
{
	const struct firefox_rows *r = &t->rows[kind];
	const struct json_extra *own = &t->extra;

	values[0] = (struct json_value){.kind = BYTES("samples"), .unit = BYTES("count")};
	if (own->told) {
		values[0] = json_extra_value(own);
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
	if (kind != SAMPLES || !f->file.any_cpu)
		return 1;
	values[1] = (struct json_value){.kind = BYTES("cpu"), .unit = BYTES("ns")};
	if (bytes_equal(buffer_bytes(&f->file.cpu_unit), BYTES("variable CPU cycles")))
		values[1] = (struct json_value){.kind = BYTES("cycles"), .unit = BYTES("count")};
	return 2;
}

/* Weights were read with six decimals, which time in ms needs to be ns; `surplus` is what they are
 * too large by. */
static void weights_scale(struct firefox_rows *r, int64_t surplus)
{
	int64_t before = 0, scaled = 0; /* weights are mostly the same */

	for (size_t i = 0; i < r->weight.len; i++) {
		int64_t *weight = &r->weight.items[i];

		if (*weight != before) {
			before = *weight;
			scaled = *weight / surplus + (*weight % surplus * 2) / surplus;
		}
		*weight = *weight == INT64_MIN ? 0 : scaled;
	}
}

static int64_t weight_at(const struct firefox_rows *r, size_t row)
{
	if (!r->weight.len)
		return 1;
	if (r->one_weight)
		return r->weight.items[0];
	return row < r->weight.len ? r->weight.items[row] : 0;
}

static int64_t surplus_of(struct bytes unit)
{
	int64_t surplus = 1;

	if (bytes_equal(unit, BYTES("ns")))
		return 1;
	for (unsigned i = units_decimals(unit); i < FIREFOX_DECIMALS; i++)
		surplus *= 10;
	return surplus;
}

static int64_t cpu_at(const struct firefox_rows *r, size_t row, bool in_us)
{
	int64_t cpu = row < r->cpu.len ? r->cpu.items[row] : INT64_MIN;

	if (cpu == INT64_MIN)
		return 0;
	if (in_us && (cpu > INT64_MAX / 1000 || cpu < INT64_MIN / 1000))
		return 0;
	return in_us ? cpu * 1000 : cpu;
}

/* Times since the start; with deltas, since the sample before. */
static void times_sum(struct firefox_rows *r)
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
static struct firefox_tables *tables_of(struct firefox *f, struct firefox_thread *t)
{
	return t->tables.stack_frame.len ? &t->tables : &f->file.shared;
}

static struct sample sample_begun(const struct firefox *f, thread_id thread, bool timed)
{
	unsigned want = f->options->want;

	return (struct sample){.has = (want & WANT_THREADS ? SAMPLE_THREAD : 0) |
				      (want & WANT_TIMES && timed ? SAMPLE_TIME : 0),
		.thread = thread};
}

static bool is_timed(const struct firefox_thread *t, size_t kind)
{
	return t->rows[kind].time.len >= t->rows[kind].stack.len && !t->extra.untimed;
}

/* How many rows have this thread and the ones behind it in the same table? */
static size_t rows_to_come(const struct firefox *f, uint32_t number, size_t kind)
{
	const struct firefox_thread *t = &f->file.threads.items[number];
	struct json_value names[2], others[2];
	size_t streams = values_of(f, t, kind, names), count = 0;

	for (; number < f->file.threads.len; number++) {
		const struct firefox_thread *next = &f->file.threads.items[number];

		if (values_of(f, next, kind, others) == streams &&
			json_values_equal(names, others, streams) &&
			is_timed(next, kind) == is_timed(t, kind))
			count += next->rows[kind].stack.len;
	}
	return count;
}

#define ROWS_AT_ONCE 64u

/* Samples, and `streams` values for each. */
struct some_rows {
	struct sample samples[ROWS_AT_ONCE];
	int64_t values[ROWS_AT_ONCE * 2];
	size_t streams;
	bool timed, in_us;
};

/* The next rows, at most ROWS_AT_ONCE, from *at on. Returns how many have a stack. */
static size_t rows_take(struct firefox *f, struct firefox_tables *t, const struct firefox_rows *r,
	size_t *at, struct some_rows *some)
{
	size_t count = 0, end = *at + ROWS_AT_ONCE;

	for (; *at < end && *at < r->stack.len; ++*at) {
		struct sample *sample = &some->samples[count];
		int64_t *values = &some->values[count * some->streams];

		sample->stack = stack_of(f, t, r->stack.items[*at]);
		if (sample->stack == NO_STACK)
			continue;
		sample->time =
			some->timed && r->time.items[*at] > 0 ? (uint64_t)r->time.items[*at] : 0;
		values[0] = weight_at(r, *at);
		if (some->streams > 1)
			values[1] = cpu_at(r, *at, some->in_us);
		count++;
	}
	return count;
}

static bool rows_add(
	struct firefox *f, uint32_t number, size_t kind, thread_id thread, struct error *err)
{
	struct firefox_thread *t = &f->file.threads.items[number];
	struct firefox_rows *r = &t->rows[kind];
	struct firefox_tables *tables = tables_of(f, t);
	stack_id base = f->file.own ? 0 : thread_stack(f->profile, thread);
	struct json_value names[2];
	struct some_rows some = {.streams = values_of(f, t, kind, names),
		.timed = is_timed(t, kind),
		.in_us = bytes_equal(buffer_bytes(&f->file.cpu_unit), BYTES("\u00b5s"))};
	size_t groups = f->groups.count;
	struct text_stacks *to = json_group(&f->groups, names, some.streams, some.timed);

	if (!to)
		return error_set(err, ERR_LIMIT, "more than %u kinds of values", JSON_GROUPS_MOST);
	times_sum(r);
	weights_scale(r, surplus_of(names[0].unit));
	stacks_begin(f, tables, base);
	for (size_t i = 0; i < ROWS_AT_ONCE; i++)
		some.samples[i] = sample_begun(f, thread, some.timed);
	if (f->groups.count > groups)
		text_stacks_reserve(to, some.samples, rows_to_come(f, number, kind));
	for (size_t at = 0, count; at < r->stack.len;) {
		count = rows_take(f, tables, r, &at, &some);
		if (!text_stacks_add_stacks(to, some.samples, count, some.values, err))
			return false;
	}
	return true;
}

/* ---- All of it ---- */

static void clock_set(struct firefox *f)
{
	for (size_t i = 0; f->file.start != INT64_MIN && i < f->profile->streams.len; i++)
		f->profile->streams.items[i].row.wall_offset = f->file.start;
}

static bool threads_add(struct firefox *f, struct error *err)
{
	for (uint32_t i = 0; i < f->file.threads.len; i++) {
		thread_id thread = thread_row(f, &f->file.threads.items[i]);

		for (size_t kind = 0; kind < ROWS_KINDS; kind++)
			if (f->file.threads.items[i].rows[kind].stack.len &&
				!rows_add(f, i, kind, thread, err))
				return false;
	}
	clock_set(f);
	json_count_note(f->profile, f->no_stack, "samples of a stack that is not there, skipped");
	json_count_note(f->profile, f->too_deep,
		"samples of stacks that are below their callers, or more than 8,192 deep, skipped");
	return json_groups_finish(&f->groups, f->json, err);
}

static void firefox_release(struct firefox *f)
{
	firefox_file_release(&f->file);
	json_groups_release(&f->groups);
	vector_release(&f->stacks);
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
		.file.start = INT64_MIN};
	bool done;

	json_open(&j, in, err);
	firefox_file_read(&f.file, &j);
	done = json_finish(&j) && threads_add(&f, err);
	if (!done && f.file.raw)
		error_prefix(err, "a raw profile, as there is no meta.preprocessedProfileVersion: "
				  "open it in the Firefox Profiler and save it; ");
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
