/* jfr_samples.c: which events of a Flight Recorder file are samples, and of what? */
#include "readers/java/jfr_samples.h"

#include <assert.h>
#include <stdlib.h>

/* ---- Rules ---- */

/* What the value of a sample is. */
enum from {
	FROM_NOTHING,
	FROM_ONE,
	FROM_DURATION,
	FROM_VALUE,
	FROM_RUNNING,  /* 1 unless the thread waits */
	FROM_WAITING,  /* 1 if it does */
	FROM_SAMPLES,  /* the value, 1 without one: several samples as one event */
	FROM_INTERVAL, /* the same times what each stands for */
};

/* Events that are samples of the same values. */
struct jfr_group {
	struct {
		const char *kind, *unit, *event;
		enum from from;
	} columns[JFR_COLUMNS];
};

/* In the order of the profile's streams: the first is shown by default. */
enum {
	CPU_TIME,
	EXECUTION,
	WALL,
	TLABS,
	ALLOCATION_SAMPLES,
	LIVE,
	MALLOC,
	LOCK,
	NATIVE_LOCK,
	MONITOR_WAIT,
	PARK,
	SLEEP,
	IO,
	EXCEPTIONS,
	ERRORS,
	OTHER,
	GROUPS,
	LOST_SAMPLES = GROUPS,
	LOST_BYTES,
};
static const struct jfr_group groups[GROUPS] = {
	[CPU_TIME] = {{{"cpu", "ns", "", FROM_VALUE}, {"samples", "count", "cpu-time", FROM_ONE}}},
	[EXECUTION] = {{{"samples", "count", "running", FROM_RUNNING},
		{"samples", "count", "waiting", FROM_WAITING}, {"cpu", "ns", "", FROM_INTERVAL}}},
	[WALL] = {{{"wall", "ns", "", FROM_INTERVAL}, {"wall-samples", "count", "", FROM_SAMPLES}}},
	[TLABS] = {{{"allocated", "bytes", "", FROM_VALUE},
		{"allocation-samples", "count", "", FROM_ONE}}},
	[ALLOCATION_SAMPLES] = {{{"allocated", "bytes", "", FROM_VALUE},
		{"allocation-samples", "count", "", FROM_ONE}}},
	[LIVE] = {{{"live", "bytes", "", FROM_VALUE}, {"live-samples", "count", "", FROM_ONE}}},
	[MALLOC] = {{{"malloc", "bytes", "", FROM_VALUE},
		{"malloc-samples", "count", "", FROM_ONE}}},
	[LOCK] = {{{"lock", "ns", "", FROM_DURATION}, {"waits", "count", "", FROM_ONE}}},
	[NATIVE_LOCK] = {{{"native-lock", "ns", "", FROM_DURATION},
		{"native-waits", "count", "", FROM_ONE}}},
	[MONITOR_WAIT] = {{{"monitor-wait", "ns", "", FROM_DURATION},
		{"monitor-waits", "count", "", FROM_ONE}}},
	[PARK] = {{{"park", "ns", "", FROM_DURATION}, {"parks", "count", "", FROM_ONE}}},
	[SLEEP] = {{{"sleep", "ns", "", FROM_DURATION}, {"sleeps", "count", "", FROM_ONE}}},
	[IO] = {{{"io", "ns", "", FROM_DURATION}, {"calls", "count", "", FROM_ONE},
		{"io-bytes", "bytes", "", FROM_VALUE}}},
	[EXCEPTIONS] = {{{"exceptions", "count", "", FROM_ONE}}},
	[ERRORS] = {{{"errors", "count", "", FROM_ONE}}},
	[OTHER] = {{{"", "ns", "", FROM_DURATION}, {"", "count", "", FROM_ONE}}},
};

/* `value` and `class` are names of fields; the class becomes the innermost frame. */
struct jfr_rule {
	const char *event;
	unsigned group;
	const char *value, *class;
};
static const struct jfr_rule rules[] = {
	{"jdk.CPUTimeSample", CPU_TIME, "samplingPeriod", NULL},
	{"jdk.ExecutionSample", EXECUTION, NULL, NULL},
	{"jdk.NativeMethodSample", EXECUTION, NULL, NULL},
	{"profiler.WallClockSample", WALL, "samples", NULL},
	{"jdk.ObjectAllocationInNewTLAB", TLABS, "tlabSize", "objectClass"},
	{"jdk.ObjectAllocationOutsideTLAB", TLABS, "allocationSize", "objectClass"},
	{"jdk.ObjectAllocationSample", ALLOCATION_SAMPLES, "weight", "objectClass"},
	{"profiler.LiveObject", LIVE, "allocationSize", "objectClass"},
	{"profiler.Malloc", MALLOC, "size", NULL},
	{"jdk.JavaMonitorEnter", LOCK, NULL, "monitorClass"},
	{"profiler.NativeLock", NATIVE_LOCK, NULL, NULL},
	{"jdk.JavaMonitorWait", MONITOR_WAIT, NULL, "monitorClass"},
	{"jdk.ThreadPark", PARK, NULL, "parkedClass"},
	{"jdk.ThreadSleep", SLEEP, NULL, NULL},
	{"jdk.FileRead", IO, "bytesRead", NULL},
	{"jdk.FileWrite", IO, "bytesWritten", NULL},
	{"jdk.FileForce", IO, NULL, NULL},
	{"jdk.SocketRead", IO, "bytesRead", NULL},
	{"jdk.SocketWrite", IO, "bytesWritten", NULL},
	{"jdk.JavaExceptionThrow", EXCEPTIONS, NULL, "thrownClass"},
	{"jdk.JavaErrorThrow", ERRORS, NULL, "thrownClass"},
	{"jdk.CPUTimeSamplesLost", LOST_SAMPLES, "lostSamples", NULL},
	{"jdk.DataLoss", LOST_BYTES, "amount", NULL},
};
static const struct jfr_rule wall_execution = {"", WALL, NULL, NULL};
static const struct jfr_rule other = {"", OTHER, NULL, NULL};

static const struct jfr_rule *rule_of(struct bytes event)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (bytes_equal(event, bytes_of(rules[i].event)))
			return &rules[i];
	return NULL;
}

/* ---- Sources ---- */

/* Does an event that no rule is for have a stack? */
static bool has_stack(const struct jfr_types *t, const struct jfr_class *class)
{
	const struct jfr_field *stack = jfr_field_by_name(t, class, BYTES("stackTrace"));

	return class->is_event && stack && stack->is_constant;
}

static void add_source(
	struct jfr_samples *s, const struct jfr_class *class, const struct jfr_rule *rule)
{
	struct jfr_source new = {.type = class->id, .rule = rule};
	const struct jfr_wanted wanted[] = {{"startTime", NULL, JFR_START, false},
		{"duration", NULL, JFR_DURATION, false},
		{"eventThread", "java.lang.Thread", JFR_THREAD, false},
		{"sampledThread", "java.lang.Thread", JFR_THREAD, false},
		{"stackTrace", "jdk.types.StackTrace", JFR_STACK, false},
		{"state", "jdk.types.ThreadState", JFR_STATE, false},
		{rule->value ? rule->value : "startTime", NULL, rule->value ? JFR_VALUE : JFR_START,
			false},
		{rule->class, "java.lang.Class", JFR_CLASS, false}, {0}};

	if (!jfr_layout_compile(s->constants->layouts, class, wanted, &new.layout))
		return;
	if (rule == &other)
		new.event = profile_string(s->profile, class->name);
	vector_push(&s->sources, new);
	id_map_insert(&s->by_type, hash_pair(class->id, 0), (uint32_t)s->sources.len);
}

static void find_sources(struct jfr_samples *s)
{
	const struct jfr_types *t = s->constants->layouts->types;

	s->sources.len = 0;
	id_map_release(&s->by_type);
	for (size_t i = 0; i < t->classes.len; i++) {
		const struct jfr_class *class = &t->classes.items[i];
		const struct jfr_rule *rule = rule_of(class->name);

		if (!rule && has_stack(t, class))
			rule = &other;
		if (rule && rule->group == EXECUTION && s->about->is_wall)
			rule = &wall_execution;
		if (rule)
			add_source(s, class, rule);
	}
}

static struct jfr_source *source_of(struct jfr_samples *s, uint64_t type)
{
	uint64_t hash = hash_pair(type, 0);
	uint32_t row;
	size_t at;

	if (!s->by_type.slots)
		return NULL;
	at = id_map_start(&s->by_type, hash);
	while ((row = id_map_candidate(&s->by_type, hash, &at)))
		if (s->sources.items[row - 1].type == type)
			return &s->sources.items[row - 1];
	return NULL;
}

/* ---- Tables ---- */

static bool has_durations(unsigned group)
{
	for (size_t i = 0; i < JFR_COLUMNS; i++)
		if (groups[group].columns[i].from == FROM_DURATION)
			return true;
	return false;
}

/* Other chunks have the same tables. */
static uint32_t open_table(struct jfr_samples *s, const struct jfr_source *source)
{
	struct jfr_table new = {.group = source->rule->group, .event = source->event};

	for (size_t i = 0; i < s->tables.len; i++)
		if (s->tables.items[i].group == new.group && s->tables.items[i].event == new.event)
			return (uint32_t)i + 1;
	new.samples = profile_add_samples(s->profile);
	new.has = (s->want & WANT_TIMES ? SAMPLE_TIME : 0u) |
		  (s->want & WANT_THREADS ? SAMPLE_THREAD : 0u);
	if (new.has & SAMPLE_TIME &&has_durations(new.group))
		new.has |= SAMPLE_DURATION;
	vector_push(&s->tables, new);
	return (uint32_t)s->tables.len;
}

/* ---- Events ---- */

/* What an event says, in the units of the profile. */
struct taken {
	uint64_t time, duration; /* ns */
	int64_t value;
	bool has_value, waits;
};

static bool to_ns(const struct jfr_chunk *c, const struct jfr_value *v, uint64_t *ret_ns)
{
	static const uint64_t ns[] = {
		[JFR_NS] = 1, [JFR_US] = 1000, [JFR_MS] = 1000000, [JFR_S] = 1000000000};

	if (v->unit == JFR_NO_UNIT || v->unit == JFR_TICKS)
		return jfr_ticks_to_ns(c, v->number, ret_ns);
	return !__builtin_mul_overflow(v->number, ns[v->unit], ret_ns) &&
	       *ret_ns <= PROFILE_TIME_LIMIT;
}

/* NULL, or what was expected instead. */
static const char *take_numbers(
	const struct jfr_chunk *c, const struct jfr_values *v, struct taken *ret)
{
	const struct jfr_value *value = &v->slots[JFR_VALUE];
	uint64_t number = value->number;

	*ret = (struct taken){0};
	if (!jfr_have(v, JFR_START) || !jfr_time(c, v->slots[JFR_START].number, &ret->time))
		return "expected a start between 1970 and 2116";
	if (jfr_have(v, JFR_DURATION) && !to_ns(c, &v->slots[JFR_DURATION], &ret->duration))
		return "expected a duration of at most 2^62 ns";
	ret->has_value = jfr_have(v, JFR_VALUE);
	if (!ret->has_value)
		return NULL;
	if (value->unit != JFR_NO_UNIT && !to_ns(c, value, &number))
		return "expected a period of at most 2^62 ns";
	if (number > INT64_MAX)
		return "expected a value from 0 to 2^63 - 1";
	ret->value = (int64_t)number;
	return NULL;
}

static void skip(struct jfr_samples *s, uint64_t at, const char *reason)
{
	if (!s->skipped++) {
		s->first_skipped = jfr_offset(s->constants->chunk, at);
		s->skip_reason = reason;
	}
}

/* What each sample stands for; 0: unknown. */
static uint64_t interval_of(const struct jfr_samples *s, unsigned group)
{
	return group == WALL ? s->about->wall_interval : s->about->cpu_interval;
}

static int64_t value_from(
	const struct jfr_samples *s, unsigned group, enum from from, const struct taken *t)
{
	int64_t samples = t->has_value ? t->value : 1, product = 0;

	switch (from) {
	case FROM_NOTHING:
		break;
	case FROM_ONE:
		return 1;
	case FROM_DURATION:
		return (int64_t)t->duration;
	case FROM_VALUE:
		return t->value;
	case FROM_RUNNING:
		return !t->waits;
	case FROM_WAITING:
		return t->waits;
	case FROM_SAMPLES:
		return samples;
	case FROM_INTERVAL:
		if (group == EXECUTION && t->waits)
			return 0;
		if (__builtin_mul_overflow((int64_t)interval_of(s, group), samples, &product))
			return -1;
		break;
	}
	return product;
}

static bool add_values(struct jfr_samples *s, struct jfr_table *table, const struct taken *t)
{
	int64_t values[JFR_COLUMNS];

	for (size_t i = 0; i < JFR_COLUMNS; i++) {
		values[i] = value_from(s, table->group, groups[table->group].columns[i].from, t);
		if (values[i] < 0)
			return false;
	}
	for (size_t i = 0; i < JFR_COLUMNS; i++) {
		enum from from = groups[table->group].columns[i].from;
		struct jfr_column *column = &table->columns[i];

		column->count += values[i] != 0;
		column->missing |= from == FROM_INTERVAL && !interval_of(s, table->group);
		if (from != FROM_NOTHING && from != FROM_ONE)
			vector_push(&column->values, values[i]);
	}
	return true;
}

/* The innermost frame that is no code: a class, or that the thread sleeps. */
static stack_id with_leaf(struct jfr_samples *s, const struct jfr_source *source,
	const struct jfr_values *v, stack_id stack)
{
	struct profile *p = s->profile;
	location_id leaf = 0;

	if (jfr_have(v, JFR_CLASS))
		leaf = jfr_class_location(s->constants, v->slots[JFR_CLASS].number);
	else if (source->rule->group == WALL && jfr_have(v, JFR_STATE) &&
		 jfr_state_sleeps(s->constants, v->slots[JFR_STATE].number))
		leaf = profile_location_named(
			p, profile_frame_named(p, BYTES("[sleeping]"), FRAME_WAITING));
	return leaf ? profile_stack(p, stack, leaf) : stack;
}

static void note_state(struct jfr_samples *s, unsigned state)
{
	s->truncated += state == JFR_STACK_TRUNCATED;
	s->missing += state == JFR_STACK_MISSING;
}

/* NULL, or why the event is skipped. */
static const char *add_sample(
	struct jfr_samples *s, struct jfr_source *source, const struct jfr_values *v)
{
	unsigned flags = JFR_STACK_NONE;
	uint64_t key = jfr_have(v, JFR_STACK) ? v->slots[JFR_STACK].number : 0;
	struct sample sample = {0};
	struct jfr_table *table;
	struct taken t;
	const char *reason = take_numbers(s->constants->chunk, v, &t);

	if (reason || (source->rule == &other && !key))
		return reason;
	sample.stack = jfr_stack(s->constants, key, &flags);
	if ((flags & ~JFR_STACK_WAITS) == JFR_STACK_TOO_DEEP)
		return "expected a stack of at most " READ_DEPTH_TEXT " frames";
	t.waits = flags & JFR_STACK_WAITS ||
		  (jfr_have(v, JFR_STATE) &&
			  jfr_state_sleeps(s->constants, v->slots[JFR_STATE].number));
	if (!source->table)
		source->table = open_table(s, source);
	table = &s->tables.items[source->table - 1];
	if (!add_values(s, table, &t))
		return "expected samples whose time is below 2^63 ns";
	note_state(s, flags & ~JFR_STACK_WAITS);
	sample.has = table->has;
	sample.stack = with_leaf(s, source, v, sample.stack);
	sample.time = t.time;
	sample.duration = t.duration;
	if (sample.has & SAMPLE_THREAD && jfr_have(v, JFR_THREAD))
		sample.thread = jfr_thread(s->constants, v->slots[JFR_THREAD].number);
	profile_add_sample(s->profile, table->samples, &sample);
	table->count++;
	s->taken++;
	return NULL;
}

/* Losses are of 2^31 each at most. */
static void add_loss(
	struct jfr_samples *s, const struct jfr_source *source, const struct jfr_values *v)
{
	uint64_t count = jfr_have(v, JFR_VALUE) ? v->slots[JFR_VALUE].number : 0;

	if (count > INT64_MAX)
		return;
	if (source->rule->group == LOST_SAMPLES)
		s->lost_samples += count & UINT32_MAX;
	else if (__builtin_add_overflow(s->lost_bytes, count, &s->lost_bytes))
		s->lost_bytes = UINT64_MAX;
}

static void take_event(struct jfr_samples *s, struct jfr_source *source, struct jfr_event *event)
{
	const char *reason = "expected an event as its class describes it";
	struct jfr_values v;

	jfr_layout_read(s->constants->layouts, source->layout, &event->content, &v);
	if (source->rule->group >= LOST_SAMPLES) {
		if (!event->content.bad)
			add_loss(s, source, &v);
		return;
	}
	s->events++;
	if (!event->content.bad)
		reason = add_sample(s, source, &v);
	if (reason)
		skip(s, event->at, reason);
}

void jfr_samples_take(
	struct jfr_samples *s, struct jfr_constants *constants, const struct jfr_about *about)
{
	const struct jfr_chunk *chunk = constants->chunk;
	struct jfr_source *source;
	struct jfr_event event;

	s->constants = constants;
	s->about = about;
	find_sources(s);
	for (uint64_t at = 0; at < chunk->end && jfr_event_next(chunk, &at, &event);) {
		source = source_of(s, event.type);
		if (source)
			take_event(s, source, &event);
		if (s->profile->full)
			return;
	}
}

/* ---- Streams ---- */

/* No thread waited; the interval of some samples is unknown; an event without a rule has either
 * durations or a number. */
static bool is_left_out(const struct jfr_table *table, size_t i)
{
	const struct jfr_column *column = &table->columns[i];
	enum from from = groups[table->group].columns[i].from;

	if (table->group == OTHER && i < 2)
		return (table->columns[0].count > 0) != (from == FROM_DURATION);
	return from == FROM_NOTHING || column->missing || (from == FROM_WAITING && !column->count);
}

static bool is_kind_taken(const struct profile *p, struct bytes kind)
{
	for (size_t i = 0; i < p->streams.len; i++)
		if (bytes_equal(profile_text(p, p->streams.items[i].row.kind), kind))
			return true;
	return false;
}

/* A second stream of a kind is found by its event. */
static struct bytes event_of(const struct profile *p, unsigned group, struct bytes kind)
{
	if (!is_kind_taken(p, kind))
		return (struct bytes){0};
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].group == group)
			return bytes_of(rules[i].event);
	return (struct bytes){0};
}

static uint64_t delivered(const struct jfr_table *table, enum from from, const struct jfr_column *c)
{
	uint64_t sum = 0;

	if (from == FROM_RUNNING || from == FROM_WAITING)
		return c->count;
	if (from != FROM_SAMPLES)
		return table->count;
	for (size_t i = 0; i < c->values.len; i++)
		if (__builtin_add_overflow(sum, (uint64_t)c->values.items[i], &sum) ||
			sum > PROFILE_COUNT_LIMIT)
			return table->count;
	return sum;
}

static void add_stream(struct jfr_samples *s, struct jfr_table *table, size_t i)
{
	struct profile *p = s->profile;
	struct jfr_column *column = &table->columns[i];
	enum from from = groups[table->group].columns[i].from;
	struct bytes kind = bytes_of(groups[table->group].columns[i].kind);
	struct bytes unit = bytes_of(groups[table->group].columns[i].unit);
	struct bytes event = bytes_of(groups[table->group].columns[i].event);
	struct stream *stream;
	uint32_t id;

	if (table->event)
		kind = profile_text(p, table->event);
	if (!event.len)
		event = event_of(p, table->group, kind);
	id = profile_add_stream(p, table->samples, kind, unit, event);
	stream = &p->streams.items[id];
	stream->row.wall_offset = 0;
	stream->row.delivered = delivered(table, from, column);
	if (column->values.len) {
		stream->value.items = column->values.items;
		stream->value.len = column->values.len;
		stream->value.cap = column->values.cap;
		column->values.len = column->values.cap = 0;
		column->values.items = NULL;
	}
	if (table->group == CPU_TIME && s->lost_samples)
		profile_add_loss(p, id, BYTES("lost by the sampler"), s->lost_samples);
}

/* By group; those of events without a rule by name. */
static int compare_tables(const void *a, const void *b)
{
	const struct jfr_table *left = a, *right = b;

	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return (left->event > right->event) - (left->event < right->event);
}

static void add_notes(const struct jfr_samples *s)
{
	struct profile *p = s->profile;

	if (s->skipped)
		profile_note(p, "%llu of %llu events skipped, first at byte %llu: %s",
			(unsigned long long)s->skipped, (unsigned long long)s->events,
			(unsigned long long)s->first_skipped, s->skip_reason);
	if (s->truncated)
		profile_note(p,
			"%llu of %llu samples have stacks that the recorder cut: record with a "
			"larger stackdepth",
			(unsigned long long)s->truncated, (unsigned long long)s->taken);
	if (s->missing)
		profile_note(p, "samples whose stack is not in the file: %llu",
			(unsigned long long)s->missing);
	if (s->lost_bytes)
		profile_note(p, "the recorder lost events of %llu bytes",
			(unsigned long long)s->lost_bytes);
}

void jfr_samples_finish(struct jfr_samples *s)
{
	if (s->tables.len)
		qsort(s->tables.items, s->tables.len, sizeof(*s->tables.items), compare_tables);
	for (size_t i = 0; i < s->tables.len; i++) {
		struct jfr_table *table = &s->tables.items[i];

		for (size_t j = 0; j < JFR_COLUMNS; j++)
			if (!is_left_out(table, j))
				add_stream(s, table, j);
	}
	add_notes(s);
}

void jfr_samples_release(struct jfr_samples *s)
{
	for (size_t i = 0; i < s->tables.len; i++)
		for (size_t j = 0; j < JFR_COLUMNS; j++)
			vector_release(&s->tables.items[i].columns[j].values);
	vector_release(&s->tables);
	vector_release(&s->sources);
	id_map_release(&s->by_type);
}
