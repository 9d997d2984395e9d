/* speedscope.c: Speedscope's own JSON, which many samplers write.
 *
 * The format is documented as file-format-schema.json in the npm package `speedscope`: frames that
 * all profiles share, and profiles that are either samples with weights or events that open and
 * close frames. Profiles of one unit are one stream here, each a thread by its name; what is
 * measured in time is kept in ns. */
#include "readers/stacks/json_stacks.h"

#include "base/units.h"
#include "readers/speedscope/speedscope_stacks.h"

#include <stdlib.h>

#define LATER_DECIMALS 6u /* of values whose unit comes behind them, and of those without one */

enum unit { UNIT_UNKNOWN, UNIT_NONE, UNIT_BYTES, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S };

static const struct {
	const char *name;
	unsigned decimals; /* with so many it is a whole number of the stream's unit */
} units[] = {
	[UNIT_UNKNOWN] = {"", LATER_DECIMALS},
	[UNIT_NONE] = {"none", LATER_DECIMALS},
	[UNIT_BYTES] = {"bytes", 0},
	[UNIT_NS] = {"nanoseconds", 0},
	[UNIT_US] = {"microseconds", 3},
	[UNIT_MS] = {"milliseconds", 6},
	[UNIT_S] = {"seconds", 9},
};

/* One of "profiles". */
struct part {
	enum unit unit;
	bool evented;
	unsigned decimals; /* of what has been read so far; of large values as many as fit */
	struct json_decimal start, end;
	/* Columns: a row for each sample, or for each time between events. */
	VECTOR(node_id) nodes; /* NODE_DROPPED: not a sample */
	struct json_numbers values;
	struct json_numbers times; /* evented only */
	struct json_extra extra;
	struct buffer name;
};

/* An open frame of an evented profile. */
struct open_frame {
	uint32_t frame;
	node_id node;
};

struct speedscope {
	struct profile *profile;
	const struct read_options *options;
	struct json *json;
	struct text_stacks names; /* for frames; has no samples */
	VECTOR(location_id) frames;
	struct speedscope_stacks stacks;
	VECTOR(struct part) parts;
	struct json_groups groups;
	struct buffer none_unit; /* "count", "count/100" */
	struct json_oddity too_deep, nested, no_weight, no_open, out_of_order;
	uint64_t no_frame;
};

/* ---- Frames ---- */

static void frame_read(struct speedscope *s, struct json_extra *extra, struct buffer name[2])
{
	struct text_frame frame = {0};
	struct json *j = s->json;
	struct bytes key;
	int64_t line = 0;

	name[0].len = name[1].len = 0;
	json_extra_clear(extra);
	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("name")) || bytes_equal(key, BYTES("file"))) {
			buffer_set(&name[key.at[0] == 'f'], json_string_if(j));
		} else if (bytes_equal(key, BYTES("line"))) {
			line = json_number_if(j, 0, 0);
		} else if (bytes_equal(key, BYTES("kiln"))) {
			json_extra_read(extra, j);
		} else {
			json_skip(j);
		}
	}
	frame.function =
		name[0].len || extra->present ? buffer_bytes(&name[0]) : BYTES("(anonymous)");
	frame.file = buffer_bytes(&name[1]);
	frame.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
	frame.module = buffer_bytes(&extra->module);
	frame.kind = extra->kind;
	vector_push(&s->frames, text_stacks_frame(&s->names, &frame));
}

static void shared_read(struct speedscope *s)
{
	struct json_extra extra = {0};
	struct buffer name[2] = {{0}};
	struct json *j = s->json;
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		if (!bytes_equal(key, BYTES("frames"))) {
			json_skip(j);
			continue;
		}
		for (json_array(j); json_item(j);)
			frame_read(s, &extra, name);
	}
	json_extra_release(&extra);
	buffer_release(&name[0]);
	buffer_release(&name[1]);
}

/* ---- Samples ---- */

static void samples_read(struct speedscope *s, struct part *p)
{
	struct json *j = s->json;
	node_id node;

	p->nodes.len = 0;
	speedscope_stacks_begin(&s->stacks);
	for (json_array(j); json_item(j);) {
		if (!speedscope_stacks_read(&s->stacks, &node)) {
			json_odd(&s->too_deep, j);
			node = NODE_DROPPED;
		}
		vector_push(&p->nodes, node);
	}
}

/* A sample without a weight, or a weight without a sample, is a row, too. */
static void rows_level(struct part *p)
{
	while (p->values.len < p->nodes.len)
		vector_push(&p->values, INT64_MIN);
	while (p->nodes.len < p->values.len)
		vector_push(&p->nodes, NODE_DROPPED);
}

#define WEIGHTS_AT_ONCE 256u

static void weights_read(struct speedscope *s, struct part *p)
{
	struct json *j = s->json;
	struct json_numbers *all = &p->values;
	int64_t values[WEIGHTS_AT_ONCE];
	size_t count;

	p->decimals = units[p->unit].decimals;
	all->len = 0;
	for (json_array(j); json_item(j);) {
		unsigned before = p->decimals;

		count = json_plain_numbers(j, before, values, WEIGHTS_AT_ONCE - 1);
		vector_reserve(all, count + 1);
		memcpy(all->items + all->len, values, count * sizeof(*values));
		all->len += count;
		values[0] = json_number_fit(j, &p->decimals, 0);
		json_numbers_lower(all, before - p->decimals);
		all->items[all->len++] = values[0];
	}
}

/* ---- Events ---- */

struct evented {
	struct speedscope *s;
	struct part *part;
	VECTOR(struct open_frame) open;
	uint64_t deeper; /* frames inside of these that are open, but not in `open` */
	int64_t last;
	bool begun;
};

/* Samples and events at once are odd: what was read first stays in front. */
static void row_add(struct part *p, node_id node, int64_t value, int64_t time)
{
	rows_level(p);
	while (p->times.len < p->nodes.len)
		vector_push(&p->times, 0);
	vector_push(&p->nodes, node);
	vector_push(&p->values, value);
	vector_push(&p->times, time);
}

/* What is open has lasted until now. */
static void pass_time(struct evented *e, int64_t now)
{
	int64_t lasted;

	if (e->begun && now < e->last) {
		json_odd(&e->s->out_of_order, e->s->json);
		return;
	}
	if (e->open.len && now > e->last && !__builtin_sub_overflow(now, e->last, &lasted))
		row_add(e->part, e->open.items[e->open.len - 1].node, lasted, e->last);
	e->last = now;
	e->begun = true;
}

static void event_open(struct evented *e, uint32_t frame)
{
	node_id caller = e->open.len ? e->open.items[e->open.len - 1].node : 0;

	if (e->open.len == STACK_DEPTH_LIMIT) {
		json_odd(&e->s->nested, e->s->json);
		e->deeper++;
		return;
	}
	vector_push(&e->open,
		((struct open_frame){frame, tree_child(&e->s->stacks.tree, caller, frame + 1)}));
}

/* What was opened inside of it ends with it. */
static void event_close(struct evented *e, uint32_t frame)
{
	size_t at = e->open.len;

	if (e->deeper) {
		e->deeper--;
		return;
	}
	while (at && e->open.items[at - 1].frame != frame)
		at--;
	if (at)
		e->open.len = at - 1;
	else
		json_odd(&e->s->no_open, e->s->json);
}

/* The time of an event; from a large one on, all have fewer decimals. */
static int64_t event_time_read(struct evented *e)
{
	struct part *p = e->part;
	unsigned before = p->decimals, lost;
	int64_t time = json_number_fit(e->s->json, &p->decimals, 0);

	lost = before - p->decimals;
	json_numbers_lower(&p->values, lost);
	json_numbers_lower(&p->times, lost);
	if (lost)
		e->last /= units_power(lost);
	return time;
}

static void event_read(struct evented *e)
{
	struct json *j = e->s->json;
	struct bytes key, text;
	int64_t frame = 0, now = 0;
	bool timed = false;
	char type = 0;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("type"))) {
			text = json_string_if(j);
			type = text.len == 1 ? *text.at : 0;
		} else if (bytes_equal(key, BYTES("at"))) {
			now = event_time_read(e);
			timed = true;
		} else if (bytes_equal(key, BYTES("frame"))) {
			frame = json_number(j, 0, 0);
		} else {
			json_skip(j);
		}
	}
	if (type != 'O' && type != 'C') {
		json_fail(j, "expected an event of the type O or C before");
		return;
	}
	pass_time(e, timed ? now : e->last);
	frame = frame < 0 || frame >= SPEEDSCOPE_NO_FRAME ? SPEEDSCOPE_NO_FRAME : frame;
	if (type == 'O')
		event_open(e, (uint32_t)frame);
	else
		event_close(e, (uint32_t)frame);
}

/* What is still open then is closed when the profile's end is known. */
static void events_read(struct evented *e)
{
	e->part->decimals = units[e->part->unit].decimals;
	for (json_array(e->s->json); json_item(e->s->json);)
		event_read(e);
}

/* ---- Profiles ---- */

static enum unit unit_named(struct bytes name)
{
	for (unsigned i = UNIT_NONE; i <= UNIT_S; i++)
		if (bytes_equal(name, bytes_of(units[i].name)))
			return (enum unit)i;
	return UNIT_NONE;
}

static bool part_key(struct part *p, struct evented *e, struct bytes key)
{
	struct json *j = e->s->json;
	struct bytes text;

	if (bytes_equal(key, BYTES("name"))) {
		text = json_string_if(j);
		buffer_add(&p->name, text.at, text.len);
	} else if (bytes_equal(key, BYTES("unit"))) {
		p->unit = unit_named(json_string_if(j));
	} else if (bytes_equal(key, BYTES("samples"))) {
		samples_read(e->s, p);
	} else if (bytes_equal(key, BYTES("weights"))) {
		weights_read(e->s, p);
	} else if (bytes_equal(key, BYTES("events"))) {
		p->evented = true;
		events_read(e);
	} else if (bytes_equal(key, BYTES("startValue"))) {
		json_decimal_if(j, &p->start);
	} else if (bytes_equal(key, BYTES("endValue"))) {
		json_decimal_if(j, &p->end);
	} else if (bytes_equal(key, BYTES("kiln"))) {
		json_extra_read(&p->extra, j);
	} else {
		return false;
	}
	return true;
}

/* A sample without a weight counts once where there are no weights at all. */
static void weights_complete(struct speedscope *s, struct part *p)
{
	bool any = p->values.len;

	rows_level(p);
	if (!any && p->nodes.len) {
		p->unit = UNIT_NONE;
		p->decimals = LATER_DECIMALS;
	}
	for (size_t i = 0; i < p->nodes.len; i++) {
		if (p->values.items[i] == INT64_MIN && !any) {
			p->values.items[i] = 1000000;
		} else if (p->values.items[i] == INT64_MIN || p->nodes.items[i] == NODE_DROPPED) {
			json_odd(&s->no_weight, s->json);
			p->nodes.items[i] = NODE_DROPPED;
		}
	}
}

static void part_read(struct speedscope *s)
{
	struct part p = {.decimals = LATER_DECIMALS};
	struct evented e = {.s = s, .part = &p};
	struct bytes key;
	int64_t end;

	json_extra_clear(&p.extra);
	for (json_object(s->json); json_key(s->json, &key);)
		if (!part_key(&p, &e, key))
			json_skip(s->json);
	end = json_decimal_scale(&p.end, p.decimals, 0);
	if (p.evented && e.open.len && end > e.last)
		pass_time(&e, end);
	if (p.evented)
		rows_level(&p);
	else
		weights_complete(s, &p);
	if (p.unit == UNIT_UNKNOWN)
		p.unit = UNIT_NONE;
	vector_release(&e.open);
	vector_push(&s->parts, p);
}

/* ---- Streams ---- */

static bool is_time(enum unit unit)
{
	return unit >= UNIT_NS;
}

static struct json_value value_of(const struct speedscope *s, const struct part *p)
{
	if (p->extra.present)
		return json_extra_value(&p->extra);
	if (is_time(p->unit))
		return (struct json_value){.kind = BYTES("wall"), .unit = BYTES("ns")};
	if (p->unit == UNIT_BYTES)
		return (struct json_value){.kind = BYTES("bytes"), .unit = BYTES("bytes")};
	return (struct json_value){.kind = BYTES("samples"), .unit = buffer_bytes(&s->none_unit)};
}

/* Values were read with `from` decimals and are wanted with `to`. */
static bool rescale(struct part *p, unsigned from, unsigned to)
{
	int64_t up = to > from ? units_power(to - from) : 1;
	int64_t down = from > to ? units_power(from - to) : 1;

	if (up == down)
		return true;
	for (size_t i = 0; i < p->nodes.len; i++) {
		int64_t *value = &p->values.items[i];

		if (p->nodes.items[i] == NODE_DROPPED)
			continue;
		if (__builtin_mul_overflow(*value, up, value))
			return false;
		*value = (*value + (*value < 0 ? -down / 2 : down / 2)) / down;
	}
	for (size_t i = 0; i < p->times.len; i++) {
		if (__builtin_mul_overflow(p->times.items[i], up, &p->times.items[i]))
			return false;
		p->times.items[i] /= down;
	}
	return true;
}

/* How many of its decimals does a value need? At least `needed`. */
static unsigned decimals_of(int64_t value, unsigned decimals, unsigned needed)
{
	while (needed < decimals && value % units_power(decimals - needed))
		needed++;
	return needed;
}

/* Without a unit, values may have decimals: as many as all such profiles need. */
static void none_unit_make(struct speedscope *s)
{
	unsigned needed = 0;

	for (size_t i = 0; i < s->parts.len; i++) {
		const struct part *p = &s->parts.items[i];

		if (p->unit != UNIT_NONE || p->extra.present)
			continue;
		for (size_t k = 0; k < p->nodes.len && needed < p->decimals; k++)
			if (p->nodes.items[k] != NODE_DROPPED)
				needed = decimals_of(p->values.items[k], p->decimals, needed);
	}
	buffer_text(&s->none_unit, "count");
	if (needed)
		buffer_printf(&s->none_unit, "/%lld", (long long)units_power(needed));
}

static thread_id part_thread(struct speedscope *s, const struct part *p)
{
	struct bytes name = buffer_bytes(&p->name);
	process_id process = 0;

	if (p->extra.present) {
		if (p->extra.pid >= 0 || p->extra.process.len)
			process = profile_process(s->profile, (int32_t)p->extra.pid,
				profile_string(s->profile, buffer_bytes(&p->extra.process)));
		name = buffer_bytes(&p->extra.thread);
	}
	return profile_thread(
		s->profile, process, (int32_t)p->extra.tid, profile_string(s->profile, name));
}

/* Times of what Kiln wrote are sums of weights only. */
static bool has_times(const struct part *p)
{
	return is_time(p->unit) && !p->extra.present;
}

static struct sample sample_begun(struct speedscope *s, const struct part *p)
{
	bool threads = s->options->want & WANT_THREADS;
	bool times = s->options->want & WANT_TIMES && has_times(p);

	return (struct sample){
		.has = (threads ? SAMPLE_THREAD : 0) | (times ? SAMPLE_TIME | SAMPLE_DURATION : 0),
		.thread = threads ? part_thread(s, p) : 0};
}

#define ROWS_AT_ONCE 64u

/* The next rows, at most ROWS_AT_ONCE, from *at on. Returns how many of them are samples. */
static size_t samples_take(const struct part *p, const stack_id *stacks, size_t *at, int64_t *now,
	struct sample *samples, int64_t *values)
{
	size_t count = 0, end = *at + ROWS_AT_ONCE;

	for (; *at < end && *at < p->nodes.len; ++*at) {
		node_id node = p->nodes.items[*at];
		int64_t value = p->values.items[*at];

		if (node == NODE_DROPPED)
			continue;
		if (p->evented)
			*now = *at < p->times.len ? p->times.items[*at] : 0;
		samples[count].stack = stacks[node];
		samples[count].duration = value < 0 ? 0 : (uint64_t)value;
		samples[count].time = (uint64_t)*now;
		values[count++] = value;
		if (__builtin_add_overflow(*now, value, now))
			*now = INT64_MAX;
	}
	return count;
}

/* How many rows have this part and the ones behind it in the same table? */
static size_t rows_to_come(const struct speedscope *s, const struct part *p)
{
	const struct part *end = s->parts.items + s->parts.len;
	struct json_value value = value_of(s, p);
	size_t count = 0;

	for (const struct part *next = p; next < end; next++) {
		struct json_value other = value_of(s, next);

		if (json_values_equal(&value, &other, 1) && has_times(next) == has_times(p))
			count += next->nodes.len;
	}
	return count;
}

static bool part_add(
	struct speedscope *s, struct part *p, const stack_id *stacks, struct error *err)
{
	struct json_value value = value_of(s, p);
	struct sample samples[ROWS_AT_ONCE] = {sample_begun(s, p)};
	size_t groups = s->groups.count;
	struct text_stacks *t = json_group(&s->groups, &value, 1, has_times(p));
	int64_t now = json_decimal_scale(&p->start, units[p->unit].decimals, 0);
	int64_t values[ROWS_AT_ONCE];

	if (!t)
		return error_set(err, ERR_LIMIT, "more than %u kinds of values", JSON_GROUPS_LIMIT);
	if (!rescale(p, p->decimals,
		    p->unit == UNIT_NONE ? units_decimals(value.unit) : units[p->unit].decimals))
		return error_set(err, ERR_LIMIT, "a value that exceeds 2^63");
	if (s->groups.count > groups)
		text_stacks_reserve(t, &samples[0], rows_to_come(s, p));
	for (size_t i = 1; i < ROWS_AT_ONCE; i++)
		samples[i] = samples[0];
	for (size_t at = 0, count; at < p->nodes.len;) {
		count = samples_take(p, stacks, &at, &now, samples, values);
		if (!text_stacks_add_stacks(t, samples, count, values, err))
			return false;
	}
	return true;
}

/* The stack of every node; a frame that there is not is called "[unknown]". */
static stack_id *stacks_made(struct speedscope *s)
{
	size_t nodes = s->stacks.tree.tree.caller.len;
	stack_id *stacks = memory_new(nodes, sizeof(*stacks));

	for (size_t i = 1; i < nodes; i++) {
		uint32_t frame = s->stacks.tree.tree.frame.items[i] - 1;
		location_id location;

		if (frame < s->frames.len) {
			location = s->frames.items[frame];
		} else {
			location = text_stacks_named(&s->names, BYTES("[unknown]"), FRAME_META);
			s->no_frame++;
		}
		stacks[i] = profile_stack(
			s->profile, stacks[s->stacks.tree.tree.caller.items[i]], location);
	}
	return stacks;
}

static void notes_leave(struct speedscope *s)
{
	json_odd_note(&s->too_deep, s->profile, "stacks of more than " READ_DEPTH_TEXT " frames");
	json_odd_note(&s->nested, s->profile,
		"open events in 8,192 others: their time is that of the innermost of these");
	json_odd_note(
		&s->no_weight, s->profile, "samples without a weight, or weights without a sample");
	json_odd_note(&s->no_open, s->profile, "close events without an open event");
	json_odd_note(&s->out_of_order, s->profile, "events in the wrong order of time");
	json_count_note(
		s->profile, s->no_frame, "references to a frame that is not in the shared table");
}

static bool all_add(struct speedscope *s, struct error *err)
{
	stack_id *stacks = stacks_made(s);
	bool done = true;

	none_unit_make(s);
	for (size_t i = 0; done && i < s->parts.len; i++)
		done = part_add(s, &s->parts.items[i], stacks, err);
	memory_free(stacks);
	notes_leave(s);
	return done && json_groups_finish(&s->groups, s->json, err);
}

static void speedscope_release(struct speedscope *s)
{
	for (size_t i = 0; i < s->parts.len; i++) {
		vector_release(&s->parts.items[i].nodes);
		vector_release(&s->parts.items[i].values);
		vector_release(&s->parts.items[i].times);
		json_extra_release(&s->parts.items[i].extra);
		buffer_release(&s->parts.items[i].name);
	}
	json_groups_release(&s->groups);
	vector_release(&s->parts);
	vector_release(&s->frames);
	buffer_release(&s->none_unit);
	speedscope_stacks_release(&s->stacks);
	text_stacks_release(&s->names);
}

static bool speedscope_read(struct speedscope *s, struct json *j, struct error *err)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("shared")))
			shared_read(s);
		else if (bytes_equal(key, BYTES("profiles")))
			for (json_array(j); json_item(j);)
				part_read(s);
		else
			json_skip(j);
	}
	return json_finish(j) && all_add(s, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct json j;
	struct speedscope s = {.profile = out,
		.options = options,
		.json = &j,
		.names = {.profile = out, .want = options->want, .style = reading_style(options)},
		.groups = {.profile = out, .in = in, .options = options}};
	bool done;

	json_open(&j, in, err);
	speedscope_stacks_init(&s.stacks, &j);
	done = speedscope_read(&s, &j, err);
	speedscope_release(&s);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	if (!json_begins(head))
		return 0;
	if (json_contains(head, "speedscope.app/file-format-schema.json"))
		return 256;
	if (json_contains(head, "\"exporter\"") && json_contains(head, "speedscope@"))
		return 128;
	return json_contains(head, "\"shared\"") && json_contains(head, "\"frames\"") ? 16 : 0;
}

const struct reader reader_speedscope = {
	.name = "speedscope",
	.about = "Speedscope's JSON: .speedscope.json",
	.expects = "a JSON object with `shared` frames and `profiles`",
	.proof = "files that Speedscope's schema accepts, compared with what Speedscope 1.25 shows",
	.bid = bid,
	.read = read,
};
