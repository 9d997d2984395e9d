/* text_stacks.c: from lines of text to samples of a profile, whatever the format. */
#include "readers/lines/text_stacks.h"

#include "names/tidy.h"
#include "readers/lines/tabs.h"

#include <assert.h>
#include <stdlib.h>

#define TOO_DEEP "expected a stack of at most " READ_DEPTH_TEXT " frames"

void text_stacks_open(struct text_stacks *t, struct input *in, const struct read_options *options,
	struct profile *out)
{
	*t = (struct text_stacks){.profile = out,
		.lines.in = in,
		.want = options->want,
		.style = reading_style(options),
		.expands_tabs = options->expands_tabs,
		.part = options->part};
	t->samples = profile_add_samples(out);
}

void text_stacks_release(struct text_stacks *t)
{
	text_lines_release(&t->lines);
	memo_release(&t->modules);
	vector_release(&t->functions);
	for (size_t i = 0; i < FRAME_KINDS; i++) {
		memo_release(&t->names[i]);
		memo_release(&t->symbols[i]);
	}
	buffer_release(&t->expanded);
	buffer_release(&t->name);
	buffer_release(&t->key);
	vector_release(&t->frames);
	vector_release(&t->path);
	vector_release(&t->row_of_stack);
}

uint32_t text_stacks_stream(
	struct text_stacks *t, struct bytes kind, struct bytes unit, struct bytes event)
{
	uint32_t stream = profile_add_stream(t->profile, t->samples, kind, unit, event);

	assert(t->streams < TEXT_STREAMS_LIMIT);
	if (!t->streams++)
		t->first_stream = stream;
	for (size_t i = t->profile->samples.items[t->samples].count; i > 0; i--)
		vector_push(&t->profile->streams.items[stream].value, 0);
	return stream;
}

struct bytes text_stacks_expanded(struct text_stacks *t, struct bytes line)
{
	t->expanded.len = 0;
	tabs_expand(line, &t->expanded);
	return buffer_bytes(&t->expanded);
}

/* ---- Frames ---- */

/* Mostly it is the last one's. */
static uint32_t number_of(struct text_stacks *t, struct bytes module)
{
	struct memo *m = &t->modules;
	uint32_t number;

	if (!module.len)
		return 0;
	if (m->last && memo_is(m, m->last, module))
		return memo_value(m, m->last);
	number = memo_find(m, module);
	if (!number)
		memo_put(m, module, number = ++t->modules_seen);
	return number;
}

location_id text_stacks_known_in(struct text_stacks *t, struct bytes function, struct bytes module)
{
	uint32_t number = number_of(t, module), at = text_stacks_known(t, function);

	while (at && t->functions.items[at - 1].module != number)
		at = t->functions.items[at - 1].next;
	return at ? t->functions.items[at - 1].location : 0;
}

void text_stacks_learn_in(
	struct text_stacks *t, struct bytes function, struct bytes module, location_id location)
{
	struct text_function added = {location, number_of(t, module), 0};
	uint32_t first = text_stacks_known(t, function);

	if (!location)
		return;
	if (first) {
		added.next = t->functions.items[first - 1].next;
		t->functions.items[first - 1].next = (uint32_t)t->functions.len + 1;
	}
	vector_push(&t->functions, added);
	if (!first)
		text_stacks_learn(t, function, (uint32_t)t->functions.len);
}

location_id text_stacks_named(struct text_stacks *t, struct bytes name, enum frame_kind kind)
{
	struct memo *m = &t->names[kind];
	location_id location;

	/* Programs: mostly the last one again. */
	if (m->last && memo_is(m, m->last, name))
		return memo_value(m, m->last);
	location = memo_find(m, name);
	if (location)
		return location;
	location = profile_location_named(t->profile, profile_frame_named(t->profile, name, kind));
	if (location)
		memo_put(m, name, location);
	return location;
}

location_id text_stacks_frame(struct text_stacks *t, const struct text_frame *known)
{
	struct frame frame = {.function = profile_string(t->profile, known->function),
		.module = profile_string(t->profile, known->module),
		.kind = known->kind};

	if (t->want & WANT_LINES) {
		frame.file = profile_string(t->profile, known->file);
		frame.line = known->line;
	}
	return profile_location_named(t->profile, profile_frame(t->profile, &frame));
}

static bool is_unknown(struct bytes name)
{
	return !name.len || bytes_equal(name, BYTES("[unknown]"));
}

static location_id new_symbol(
	struct text_stacks *t, struct bytes symbol, struct bytes base, enum frame_kind kind)
{
	bool bracketed = base.len && *base.at == '[';

	t->name.len = 0;
	if (!is_unknown(symbol) && t->style->tool == TOOL_SCRIPTS)
		buffer_add(&t->name, symbol.at, symbol.len);
	else if (!is_unknown(symbol))
		tidy_name(symbol, &t->name);
	else if (!base.len)
		buffer_text(&t->name, "[unknown]");
	else
		buffer_printf(&t->name, bracketed ? "%.*s" : "[%.*s]", (int)base.len, base.at);
	return text_stacks_frame(t,
		&(struct text_frame){.function = buffer_bytes(&t->name),
			.module = base,
			.kind = t->style->tool == TOOL_KILN ? tidy_name_kind(symbol, kind) : kind});
}

location_id text_stacks_symbol(
	struct text_stacks *t, struct bytes symbol, struct bytes module, enum frame_kind kind)
{
	struct bytes base = is_unknown(module) ? (struct bytes){0} : tidy_base_name(module);
	struct memo *known = &t->symbols[kind];
	location_id location;

	t->key.len = 0;
	buffer_add(&t->key, symbol.at, symbol.len);
	buffer_char(&t->key, '\n');
	buffer_add(&t->key, base.at, base.len);
	location = memo_find(known, buffer_bytes(&t->key));
	if (location)
		return location;
	location = new_symbol(t, symbol, base, kind);
	if (location)
		memo_put(known, buffer_bytes(&t->key), location);
	return location;
}

void text_stacks_push_name(struct text_stacks *t, struct bytes name, enum frame_kind kind)
{
	text_stacks_push(t, text_stacks_named(t, name, kind));
}

void text_stacks_fill(struct text_stacks *t)
{
	if (!t->frames.len && t->style->tool == TOOL_KILN)
		text_stacks_push_name(t, BYTES("[no stack]"), FRAME_META);
}

void text_stacks_clear(struct text_stacks *t)
{
	t->frames.len = 0;
	t->too_deep = false;
}

/* ---- Samples ---- */

/* From where the last stack differs. */
static stack_id make_stack(struct text_stacks *t, enum frame_order order)
{
	const location_id *frames = t->frames.items;
	size_t count = t->frames.len, i = 0;
	stack_id stack = 0;

	for (; i < count && i < t->path.len; i++) {
		if (t->path.items[i].location !=
			frames[order == OUTERMOST_FIRST ? i : count - 1 - i])
			break;
		stack = t->path.items[i].stack;
	}
	if (i == count)
		return stack;
	t->path.len = i;
	vector_reserve(&t->path, count - i);
	for (; i < count; i++) {
		location_id location = frames[order == OUTERMOST_FIRST ? i : count - 1 - i];

		stack = profile_stack(t->profile, stack, location);
		t->path.items[t->path.len++] = (struct text_step){location, stack};
	}
	return stack;
}

static size_t new_row(struct text_stacks *t, const struct sample *sample)
{
	for (uint32_t i = 0; i < t->streams; i++)
		vector_push(&t->profile->streams.items[t->first_stream + i].value, 0);
	return profile_add_sample(t->profile, t->samples, sample);
}

/* Is each such sample a row of its own? */
static bool are_rows(const struct text_stacks *t, const struct sample *sample)
{
	return sample->has || t->want & WANT_TIMES;
}

static size_t row_of(struct text_stacks *t, const struct sample *sample)
{
	size_t row;

	if (are_rows(t, sample))
		return new_row(t, sample);
	while (t->row_of_stack.len <= sample->stack)
		vector_push(&t->row_of_stack, 0);
	if (t->row_of_stack.items[sample->stack])
		return t->row_of_stack.items[sample->stack] - 1;
	row = new_row(t, sample);
	t->row_of_stack.items[sample->stack] = (uint32_t)row + 1;
	return row;
}

static inline bool total_add(struct text_stacks *t, uint32_t i, int64_t value, struct error *err)
{
	if (value != INT64_MIN &&
		!__builtin_add_overflow(t->total[i], value < 0 ? -value : value, &t->total[i]))
		return true;
	return error_set(err, ERR_LIMIT, "line %llu: the sum of all values exceeds 2^63",
		(unsigned long long)t->lines.number);
}

bool text_stacks_add_stack(
	struct text_stacks *t, struct sample sample, const int64_t *values, struct error *err)
{
	size_t row = row_of(t, &sample);

	for (uint32_t i = 0; i < t->streams; i++) {
		if (!total_add(t, i, values[i], err))
			return false;
		t->profile->streams.items[t->first_stream + i].value.items[row] += values[i];
	}
	t->taken++;
	return true;
}

void text_stacks_reserve(struct text_stacks *t, const struct sample *sample, size_t count)
{
	if (!are_rows(t, sample))
		return;
	profile_reserve_rows(t->profile, t->samples, sample->has, count);
	for (uint32_t i = 0; i < t->streams; i++)
		vector_reserve(&t->profile->streams.items[t->first_stream + i].value, count);
}

static bool add_rows(struct text_stacks *t, const struct sample *samples, size_t count,
	const int64_t *values, struct error *err)
{
	profile_add_rows(t->profile, t->samples, samples, count);
	for (uint32_t i = 0; i < t->streams; i++) {
		struct stream *s = &t->profile->streams.items[t->first_stream + i];
		int64_t *to;

		vector_reserve(&s->value, count);
		to = s->value.items + s->value.len;
		s->value.len += count;
		for (size_t k = 0; k < count; k++) {
			if (!total_add(t, i, values[k * t->streams + i], err))
				return false;
			to[k] = values[k * t->streams + i];
		}
	}
	t->taken += count;
	return true;
}

bool text_stacks_add_stacks(struct text_stacks *t, const struct sample *samples, size_t count,
	const int64_t *values, struct error *err)
{
	if (count && are_rows(t, samples))
		return add_rows(t, samples, count, values, err);
	for (size_t i = 0; i < count; i++)
		if (!text_stacks_add_stack(t, samples[i], values + i * t->streams, err))
			return false;
	return true;
}

bool text_stacks_add_sample(struct text_stacks *t, enum frame_order order, struct sample sample,
	const int64_t *values, struct error *err)
{
	if (t->too_deep) {
		text_stacks_clear(t);
		text_stacks_skip(t, TOO_DEEP);
		return true;
	}
	sample.stack = make_stack(t, order);
	text_stacks_clear(t);
	return text_stacks_add_stack(t, sample, values, err);
}

bool text_stacks_add(
	struct text_stacks *t, enum frame_order order, const int64_t *values, struct error *err)
{
	return text_stacks_add_sample(t, order, (struct sample){0}, values, err);
}

bool text_is_count(struct bytes text, int64_t *ret_count)
{
	uint64_t count;

	for (size_t i = 0; i < text.len; i++)
		if (!is_digit(text.at[i]))
			return false;
	if (!text.len)
		return false;
	*ret_count = bytes_u64(text, &count) && count <= INT64_MAX ? (int64_t)count : -1;
	return true;
}

bool text_stacks_add_count(struct text_stacks *t, int64_t count, struct error *err)
{
	if (count < 0) {
		text_stacks_skip(t, "expected a count below 2^63");
		text_stacks_clear(t);
		return true;
	}
	text_stacks_fill(t);
	return text_stacks_add(t, INNERMOST_FIRST, &count, err);
}

void text_stacks_skip(struct text_stacks *t, const char *reason)
{
	bad_lines_add(&t->bad, t->lines.number, reason);
}

size_t text_stacks_cut(struct bytes text, bool (*between)(struct bytes above, struct bytes line))
{
	const char *newline = text.len ? memchr(text.at, '\n', text.len) : NULL;
	const char *start = newline ? newline + 1 : NULL, *end = text.at + text.len;
	struct bytes above = {0};

	while (start && (newline = memchr(start, '\n', (size_t)(end - start)))) {
		struct bytes line = {start, (size_t)(newline - start)};

		line.len -= line.len && line.at[line.len - 1] == '\r';
		if (above.at && between(above, line))
			return (size_t)(start - text.at);
		above = line;
		start = newline + 1;
	}
	return text.len;
}

bool text_stacks_finish(struct text_stacks *t, struct error *err)
{
	struct read_part all = {0}, *part = t->part ? t->part : &all;

	for (uint32_t i = 0; i < t->streams; i++) {
		struct stream_row *row = &t->profile->streams.items[t->first_stream + i].row;

		if (bytes_equal(profile_text(t->profile, row->unit), BYTES("count")))
			row->delivered = delivered_of_sum(t->total[i]);
	}
	part->lines = t->lines.number;
	part->samples = t->taken;
	part->bad = t->bad;
	part->counted = t->counted;
	part->add_notes = t->add_notes;
	return part != &all || read_part_add_notes(&all, t->profile, err);
}
