/* json_stacks.c: what is odd in JSON, and what has Kiln written there for itself? */
#include "readers/stacks/json_stacks.h"

#include "base/units.h"

#include <stdlib.h>

void json_odd(struct json_oddity *o, const struct json *j)
{
	if (!o->count++) {
		o->line = json_line(j);
		o->byte = json_byte(j);
	}
}

void json_odd_note(const struct json_oddity *o, struct profile *p, const char *what)
{
	struct buffer text = {0};

	if (!o->count)
		return;
	units_grouped(&text, (int64_t)o->count);
	buffer_printf(&text, " %s skipped, the first at line %llu, byte %llu", what,
		(unsigned long long)o->line, (unsigned long long)o->byte);
	profile_note(p, "%s", text.at);
	buffer_release(&text);
}

void json_count_note(struct profile *p, uint64_t count, const char *what)
{
	struct buffer text = {0};

	if (!count)
		return;
	units_grouped(&text, (int64_t)count);
	profile_note(p, "%s: %s", what, text.at);
	buffer_release(&text);
}

/* ---- Strings ---- */

void json_texts_add(struct json_texts *t, struct bytes text)
{
	vector_reserve(&t->bytes, text.len + 1);
	if (text.len)
		memcpy(t->bytes.items + t->bytes.len, text.at, text.len);
	t->bytes.len += text.len;
	vector_push(&t->ends, t->bytes.len);
}

struct bytes json_texts_at(const struct json_texts *t, size_t index)
{
	uint64_t start;

	if (index >= t->ends.len)
		return (struct bytes){"", 0};
	start = index ? t->ends.items[index - 1] : 0;
	return (struct bytes){t->bytes.items + start, t->ends.items[index] - start};
}

void json_texts_read(struct json_texts *t, struct json *j)
{
	for (json_array(j); json_item(j);)
		json_texts_add(t, json_string_if(j));
}

void json_texts_release(struct json_texts *t)
{
	vector_release(&t->bytes);
	vector_release(&t->ends);
}

/* ---- Kiln's own ---- */

void json_extra_clear(struct json_extra *e)
{
	e->kind = FRAME_NATIVE;
	e->module.len = e->stream_kind.len = e->unit.len = e->event.len = 0;
	e->process.len = e->thread.len = 0;
	e->pid = e->tid = -1;
	e->side = 0;
	e->present = e->untimed = false;
}

void json_extra_release(struct json_extra *e)
{
	buffer_release(&e->module);
	buffer_release(&e->stream_kind);
	buffer_release(&e->unit);
	buffer_release(&e->event);
	buffer_release(&e->process);
	buffer_release(&e->thread);
}

static enum frame_kind kind_named(struct bytes name)
{
	for (unsigned kind = 0; kind < FRAME_KINDS; kind++)
		if (bytes_equal(name, bytes_of(frame_kind_name((enum frame_kind)kind))))
			return (enum frame_kind)kind;
	return FRAME_NATIVE;
}

/* A number of 32 bits, or -1. */
static int64_t take_id(struct json *j)
{
	int64_t id = json_number_if(j, 0, -1);

	return id < 0 || id > INT32_MAX ? -1 : id;
}

static uint32_t take_side(struct json *j)
{
	int64_t side = json_number_if(j, 0, 0);

	return side == 1 || side == 2 ? (uint32_t)side : 0;
}

void json_extra_read(struct json_extra *e, struct json *j)
{
	struct bytes key;

	json_extra_clear(e);
	if (!json_object_if(j))
		return;
	e->present = true;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("frame")))
			e->kind = kind_named(json_string_if(j));
		else if (bytes_equal(key, BYTES("module")))
			buffer_set(&e->module, json_string_if(j));
		else if (bytes_equal(key, BYTES("kind")))
			buffer_set(&e->stream_kind, json_string_if(j));
		else if (bytes_equal(key, BYTES("unit")))
			buffer_set(&e->unit, json_string_if(j));
		else if (bytes_equal(key, BYTES("event")))
			buffer_set(&e->event, json_string_if(j));
		else if (bytes_equal(key, BYTES("process")))
			buffer_set(&e->process, json_string_if(j));
		else if (bytes_equal(key, BYTES("thread")))
			buffer_set(&e->thread, json_string_if(j));
		else if (bytes_equal(key, BYTES("side")))
			e->side = take_side(j);
		else if (bytes_equal(key, BYTES("untimed")))
			e->untimed = json_number_if(j, 0, 0) == 1;
		else if (bytes_equal(key, BYTES("pid")))
			e->pid = take_id(j);
		else if (bytes_equal(key, BYTES("tid")))
			e->tid = take_id(j);
		else
			json_skip(j);
	}
}

struct json_value json_extra_value(const struct json_extra *e)
{
	return (struct json_value){.kind = buffer_bytes(&e->stream_kind),
		.unit = buffer_bytes(&e->unit),
		.event = buffer_bytes(&e->event),
		.side = e->side};
}

/* ---- Bids ---- */

bool json_begins(struct bytes head)
{
	if (bytes_starts_with(head, BYTES("\xEF\xBB\xBF")))
		head = (struct bytes){head.at + 3, head.len - 3};
	head = bytes_trim(head);
	return head.len && (*head.at == '{' || *head.at == '[');
}

bool json_contains(struct bytes head, const char *key)
{
	return bytes_find(head, bytes_of(key)) != NULL;
}

bool json_stacks_finish(
	struct text_stacks *t, uint64_t taken, const struct json *j, struct error *err)
{
	t->lines.number = json_line(j);
	t->taken = taken;
	return text_stacks_finish(t, err);
}

/* ---- Groups ---- */

bool json_values_equal(const struct json_value *a, const struct json_value *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!bytes_equal(a[i].kind, b[i].kind) || !bytes_equal(a[i].unit, b[i].unit) ||
			!bytes_equal(a[i].event, b[i].event) || a[i].side != b[i].side)
			return false;
	return true;
}

static bool group_is(const struct json_groups *g, const struct text_stacks *t,
	const struct json_value *values, size_t count)
{
	const struct profile *p = g->profile;

	if (t->streams != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct stream_row *row = &p->streams.items[t->first_stream + i].row;
		struct json_value own = {profile_text(p, row->kind), profile_text(p, row->unit),
			profile_text(p, row->event), row->side};

		if (!json_values_equal(&own, &values[i], 1))
			return false;
	}
	return true;
}

struct text_stacks *json_group(
	struct json_groups *g, const struct json_value *values, size_t count, unsigned tag)
{
	struct text_stacks *t;

	for (size_t i = 0; i < g->count; i++)
		if (g->tags[i] == tag && group_is(g, &g->items[i], values, count))
			return &g->items[i];
	if (g->count == JSON_GROUPS_LIMIT)
		return NULL;
	g->items = memory_resize(g->items, g->count + 1, sizeof(*g->items));
	g->tags = memory_resize(g->tags, g->count + 1, sizeof(*g->tags));
	g->tags[g->count] = tag;
	t = &g->items[g->count++];
	text_stacks_open(t, g->in, g->options, g->profile);
	for (size_t i = 0; i < count; i++) {
		uint32_t stream =
			text_stacks_stream(t, values[i].kind, values[i].unit, values[i].event);

		g->profile->streams.items[stream].row.side = values[i].side;
	}
	return t;
}

bool json_groups_finish(struct json_groups *g, const struct json *j, struct error *err)
{
	uint64_t taken = 0;

	for (size_t i = 0; i < g->count; i++)
		taken += g->items[i].taken;
	if (!taken)
		return error_set(err, ERR_FORMAT, "line %llu: unexpected end: expected a sample",
			(unsigned long long)json_line(j));
	for (size_t i = 0; i < g->count; i++)
		if (!json_stacks_finish(&g->items[i], taken, j, err))
			return false;
	return true;
}

void json_groups_release(struct json_groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		text_stacks_release(&g->items[i]);
	memory_free(g->items);
	memory_free(g->tags);
}
