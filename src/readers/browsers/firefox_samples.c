/* firefox_samples.c: which samples are the rows of a thread of the Firefox Profiler?
 *
 * Process and thread are root frames, unless Kiln wrote the file: then they are where they were. */
#include "readers/browsers/firefox_samples.h"

#include "base/units.h"
#include "readers/stacks/thread_stack.h"

/* ---- Samples ---- */

static bool is_type(const struct firefox_rows *r, struct bytes type)
{
	return bytes_equal(buffer_bytes(&r->weight_type), type);
}

/* Open the streams of a thread's rows. Returns the number of values, one or two. */
static size_t values_of(const struct firefox_file *f, const struct firefox_thread *t, size_t kind,
	bool any_cpu, struct json_value *values)
{
	const struct firefox_rows *r = &t->rows[kind];
	const struct json_extra *own = &t->extra;

	values[0] = (struct json_value){.kind = BYTES("samples"), .unit = BYTES("count")};
	if (own->present) {
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
	if (kind != SAMPLES || !any_cpu)
		return 1;
	values[1] = (struct json_value){.kind = BYTES("cpu"), .unit = BYTES("ns")};
	if (bytes_equal(buffer_bytes(&f->cpu_unit), BYTES("variable CPU cycles")))
		values[1] = (struct json_value){.kind = BYTES("cycles"), .unit = BYTES("count")};
	return 2;
}

/* Convert weights from the decimals they were read with to those of the unit. Times are in ms,
 * which six decimals convert to ns. False on overflow. */
static bool weights_scale(struct firefox_rows *r, struct bytes unit)
{
	unsigned from = FIREFOX_DECIMALS - r->too_large;
	unsigned to = bytes_equal(unit, BYTES("ns")) ? FIREFOX_DECIMALS : units_decimals(unit);
	int64_t up = to > from ? units_power(to - from) : 1;

	json_numbers_lower(&r->weight, from > to ? from - to : 0);
	for (size_t i = 0; i < r->weight.len; i++) {
		int64_t *weight = &r->weight.items[i];

		if (*weight == INT64_MIN)
			*weight = 0;
		else if (up > 1 && __builtin_mul_overflow(*weight, up, weight))
			return false;
	}
	return true;
}

static int64_t weight_at(const struct firefox_rows *r, size_t row)
{
	if (!r->weight.len)
		return 1;
	if (r->one_weight)
		return r->weight.items[0];
	return row < r->weight.len ? r->weight.items[row] : 0;
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

static thread_id thread_row(struct profile *p, const struct firefox_thread *t)
{
	const struct json_extra *own = &t->extra;
	bool present = own->present;
	int64_t pid = present ? own->pid : t->pid, tid = present ? own->tid : t->tid;
	struct bytes process = buffer_bytes(present ? &own->process : &t->process);
	struct bytes name = buffer_bytes(present ? &own->thread : &t->name);
	process_id of = 0;

	if (pid >= 0 || process.len)
		of = profile_process(p, pid < 0 || pid > INT32_MAX ? -1 : (int32_t)pid,
			profile_string(p, process));
	return profile_thread(
		p, of, tid < 0 || tid > INT32_MAX ? -1 : (int32_t)tid, profile_string(p, name));
}

/* The tables that the thread's stacks are in. */
static struct firefox_tables *tables_of(struct firefox_file *f, struct firefox_thread *t)
{
	return t->tables.stack_frame.len ? &t->tables : &f->shared;
}

static struct sample sample_begun(unsigned want, thread_id thread, bool timed)
{
	return (struct sample){.has = (want & WANT_THREADS ? SAMPLE_THREAD : 0) |
				      (want & WANT_TIMES && timed ? SAMPLE_TIME : 0),
		.thread = thread};
}

static bool is_timed(const struct firefox_thread *t, size_t kind)
{
	return t->rows[kind].time.len >= t->rows[kind].stack.len && !t->extra.untimed;
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
static size_t rows_take(struct firefox_stacks *stacks, const struct firefox_rows *r, size_t *at,
	struct some_rows *some)
{
	size_t count = 0, end = *at + ROWS_AT_ONCE;

	for (; *at < end && *at < r->stack.len; ++*at) {
		struct sample *sample = &some->samples[count];
		int64_t *values = &some->values[count * some->streams];

		sample->stack = firefox_stack(stacks, r->stack.items[*at]);
		if (sample->stack == FIREFOX_NO_STACK)
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

static bool rows_add(struct firefox_samples *s, const struct firefox_rows *r,
	struct text_stacks *to, struct some_rows *some, struct error *err)
{
	text_stacks_reserve(to, some->samples, r->stack.len);
	for (size_t at = 0, count; at < r->stack.len;) {
		count = rows_take(&s->stacks, r, &at, some);
		if (!text_stacks_add_stacks(to, some->samples, count, some->values, err))
			return false;
	}
	return true;
}

static bool kind_add(struct firefox_samples *s, struct firefox_thread *t, size_t kind, bool any_cpu,
	thread_id thread, struct error *err)
{
	struct firefox_rows *r = &t->rows[kind];
	struct json_value names[2];
	struct some_rows some = {.streams = values_of(s->file, t, kind, any_cpu, names),
		.timed = is_timed(t, kind),
		.in_us = bytes_equal(buffer_bytes(&s->file->cpu_unit), BYTES("\u00b5s"))};
	struct text_stacks *to = json_group(&s->groups, names, some.streams, some.timed);

	if (!to)
		return error_set(err, ERR_LIMIT, "more than %u kinds of values", JSON_GROUPS_LIMIT);
	times_sum(r);
	if (!weights_scale(r, names[0].unit))
		return error_set(err, ERR_LIMIT, "a weight that exceeds 2^63");
	firefox_stacks_begin(&s->stacks, tables_of(s->file, t),
		s->file->own ? 0 : thread_stack(s->profile, thread));
	for (size_t i = 0; i < ROWS_AT_ONCE; i++)
		some.samples[i] = sample_begun(s->want, thread, some.timed);
	return rows_add(s, r, to, &some, err);
}

/* ---- All of it ---- */

void firefox_samples_open(struct firefox_samples *s, struct firefox_file *file, struct input *in,
	const struct read_options *options, struct profile *out)
{
	*s = (struct firefox_samples){.file = file,
		.profile = out,
		.want = options->want,
		.stacks = {.file = file,
			.names = {.profile = out,
				.want = options->want,
				.style = reading_style(options)}},
		.groups = {.profile = out, .in = in, .options = options}};
}

void firefox_samples_release(struct firefox_samples *s)
{
	firefox_stacks_release(&s->stacks);
	json_groups_release(&s->groups);
}

bool firefox_samples_add(
	struct firefox_samples *s, struct firefox_thread *t, bool any_cpu, struct error *err)
{
	thread_id thread = thread_row(s->profile, t);

	for (size_t kind = 0; kind < ROWS_KINDS; kind++)
		if (t->rows[kind].stack.len && !kind_add(s, t, kind, any_cpu, thread, err))
			return false;
	return true;
}

static void clock_set(const struct firefox_samples *s)
{
	for (size_t i = 0; s->file->start != INT64_MIN && i < s->profile->streams.len; i++)
		s->profile->streams.items[i].row.wall_offset = s->file->start;
}

bool firefox_samples_finish(struct firefox_samples *s, const struct json *j, struct error *err)
{
	clock_set(s);
	json_count_note(s->profile, s->stacks.no_stack,
		"samples with a stack that does not exist, skipped");
	json_count_note(s->profile, s->stacks.too_deep,
		"samples with stacks before their callers, or deeper than " READ_DEPTH_TEXT
		" frames, skipped");
	return json_groups_finish(&s->groups, j, err);
}
