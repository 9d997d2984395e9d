/* otlp_json.c: profiles of OpenTelemetry as JSON, which collectors write into files.
 *
 * The objects are the messages of the protobuf format under the names of their fields, so they are
 * made those messages, and read as such. A file may have several, one behind the other: each is
 * complete in itself.
 *
 * Source: protobuf.dev, "ProtoJSON Format", and opentelemetry.io, "OTLP/JSON": 64-bit numbers are
 * strings, and the ids of traces and spans hexadecimal. */
#include "base/base64.h"
#include "base/input_range.h"
#include "base/parallel.h"
#include "base/scope.h"
#include "base/thread.h"
#include "readers/otlp/otlp_profiles.h"
#include "readers/stacks/json_stacks.h"

#include <stdlib.h>

#define EXPECTS "a JSON object with `resourceProfiles` and a `dictionary`"

/* ---- Fields ---- */

enum value_kind {
	VALUE_NUMBER, /* or true and false */
	VALUE_NUMBERS,
	VALUE_FIXED,
	VALUE_FIXEDS,
	VALUE_DOUBLE,
	VALUE_TEXT, /* or an array of them; MESSAGE too */
	VALUE_HEX,
	VALUE_BASE64,
	VALUE_MESSAGE,
	VALUE_THERE, /* whatever it is */
};

struct json_field {
	struct bytes name;
	uint8_t number;
	uint8_t kind; /* enum value_kind */
	const struct json_message *message;
};

struct json_message {
	size_t count;
	struct json_field fields[12];
};

#define NAME(text)                                                                                 \
	{                                                                                          \
		(text), sizeof(text) - 1                                                           \
	}

/* Objects, without the fields that are not read. */
static const struct json_message any_value = {
	8, {
		   {NAME("stringValue"), 1, VALUE_TEXT, NULL},
		   {NAME("boolValue"), 2, VALUE_NUMBER, NULL},
		   {NAME("intValue"), 3, VALUE_NUMBER, NULL},
		   {NAME("doubleValue"), 4, VALUE_DOUBLE, NULL},
		   {NAME("arrayValue"), 5, VALUE_THERE, NULL},
		   {NAME("kvlistValue"), 6, VALUE_THERE, NULL},
		   {NAME("bytesValue"), 7, VALUE_BASE64, NULL},
		   {NAME("stringValueStrindex"), 8, VALUE_NUMBER, NULL},
	   }};
static const struct json_message key_value = {
	3, {
		   {NAME("key"), 1, VALUE_TEXT, NULL},
		   {NAME("value"), 2, VALUE_MESSAGE, &any_value},
		   {NAME("keyStrindex"), 3, VALUE_NUMBER, NULL},
	   }};
static const struct json_message mapping = {
	5, {
		   {NAME("memoryStart"), 1, VALUE_NUMBER, NULL},
		   {NAME("memoryLimit"), 2, VALUE_NUMBER, NULL},
		   {NAME("fileOffset"), 3, VALUE_NUMBER, NULL},
		   {NAME("filenameStrindex"), 4, VALUE_NUMBER, NULL},
		   {NAME("attributeIndices"), 5, VALUE_NUMBERS, NULL},
	   }};
static const struct json_message line = {3, {
						    {NAME("functionIndex"), 1, VALUE_NUMBER, NULL},
						    {NAME("line"), 2, VALUE_NUMBER, NULL},
						    {NAME("column"), 3, VALUE_NUMBER, NULL},
					    }};
static const struct json_message location = {
	5, {
		   {NAME("mappingIndex"), 1, VALUE_NUMBER, NULL},
		   {NAME("address"), 2, VALUE_NUMBER, NULL},
		   {NAME("lines"), 3, VALUE_MESSAGE, &line},
		   {NAME("line"), 3, VALUE_MESSAGE, &line}, /* its name before */
		   {NAME("attributeIndices"), 4, VALUE_NUMBERS, NULL},
	   }};
static const struct json_message function = {
	4, {
		   {NAME("nameStrindex"), 1, VALUE_NUMBER, NULL},
		   {NAME("systemNameStrindex"), 2, VALUE_NUMBER, NULL},
		   {NAME("filenameStrindex"), 3, VALUE_NUMBER, NULL},
		   {NAME("startLine"), 4, VALUE_NUMBER, NULL},
	   }};
static const struct json_message link = {2, {
						    {NAME("traceId"), 1, VALUE_HEX, NULL},
						    {NAME("spanId"), 2, VALUE_HEX, NULL},
					    }};
static const struct json_message stack = {1, {{NAME("locationIndices"), 1, VALUE_NUMBERS, NULL}}};
static const struct json_message attribute = {
	3, {
		   {NAME("keyStrindex"), 1, VALUE_NUMBER, NULL},
		   {NAME("value"), 2, VALUE_MESSAGE, &any_value},
		   {NAME("unitStrindex"), 3, VALUE_NUMBER, NULL},
	   }};
static const struct json_message dictionary = {
	7, {
		   {NAME("mappingTable"), 1, VALUE_MESSAGE, &mapping},
		   {NAME("locationTable"), 2, VALUE_MESSAGE, &location},
		   {NAME("functionTable"), 3, VALUE_MESSAGE, &function},
		   {NAME("linkTable"), 4, VALUE_MESSAGE, &link},
		   {NAME("stringTable"), 5, VALUE_TEXT, NULL},
		   {NAME("attributeTable"), 6, VALUE_MESSAGE, &attribute},
		   {NAME("stackTable"), 7, VALUE_MESSAGE, &stack},
	   }};
static const struct json_message value_type = {
	2, {
		   {NAME("typeStrindex"), 1, VALUE_NUMBER, NULL},
		   {NAME("unitStrindex"), 2, VALUE_NUMBER, NULL},
	   }};
static const struct json_message sample = {
	5, {
		   {NAME("stackIndex"), 1, VALUE_NUMBER, NULL},
		   {NAME("attributeIndices"), 2, VALUE_NUMBERS, NULL},
		   {NAME("linkIndex"), 3, VALUE_NUMBER, NULL},
		   {NAME("values"), 4, VALUE_NUMBERS, NULL},
		   {NAME("timestampsUnixNano"), 5, VALUE_FIXEDS, NULL},
	   }};
static const struct json_message profile = {
	7, {
		   {NAME("sampleType"), 1, VALUE_MESSAGE, &value_type},
		   {NAME("samples"), 2, VALUE_MESSAGE, &sample},
		   {NAME("timeUnixNano"), 3, VALUE_FIXED, NULL},
		   {NAME("durationNano"), 4, VALUE_NUMBER, NULL},
		   {NAME("periodType"), 5, VALUE_MESSAGE, &value_type},
		   {NAME("period"), 6, VALUE_NUMBER, NULL},
		   {NAME("attributeIndices"), 11, VALUE_NUMBERS, NULL},
	   }};
static const struct json_message scope = {2, {
						     {NAME("name"), 1, VALUE_TEXT, NULL},
						     {NAME("version"), 2, VALUE_TEXT, NULL},
					     }};
static const struct json_message scope_profiles = {
	2, {
		   {NAME("scope"), 1, VALUE_MESSAGE, &scope},
		   {NAME("profiles"), 2, VALUE_MESSAGE, &profile},
	   }};
static const struct json_message resource = {
	1, {{NAME("attributes"), 1, VALUE_MESSAGE, &key_value}}};
static const struct json_message resource_profiles = {
	2, {
		   {NAME("resource"), 1, VALUE_MESSAGE, &resource},
		   {NAME("scopeProfiles"), 2, VALUE_MESSAGE, &scope_profiles},
	   }};
static const struct json_message profiles_data = {
	2, {
		   {NAME("resourceProfiles"), 1, VALUE_MESSAGE, &resource_profiles},
		   {NAME("dictionary"), 2, VALUE_MESSAGE, &dictionary},
	   }};

/* Writers of JSON may keep the names that the .proto has: time_unix_nano for timeUnixNano. */
static bool is_name(struct bytes key, struct bytes name)
{
	size_t at = 0;

	for (size_t i = 0; i < key.len; i++) {
		char c = key.at[i];

		if (c == '_' && i + 1 < key.len && key.at[i + 1] >= 'a' && key.at[i + 1] <= 'z')
			c = (char)(key.at[++i] - 'a' + 'A');
		if (at == name.len || c != name.at[at++])
			return false;
	}
	return at == name.len;
}

static const struct json_field *find_field(const struct json_message *m, struct bytes key)
{
	for (size_t i = 0; i < m->count; i++)
		if (is_name(key, m->fields[i].name))
			return &m->fields[i];
	return NULL;
}

/* ---- Lengths ---- */

#define SHORT_LIMIT 16383u /* fits two bytes */

/* Begin a run whose length is not known yet. Returns the argument of run_end. */
static size_t run_begin(struct buffer *out, uint32_t number)
{
	protobuf_put_varint(out, number << 3 | PROTOBUF_BYTES);
	buffer_add(out, "\0\0", 2);
	return out->len;
}

/* Numbers may have zeroes on top: a length takes two bytes, or five. */
static void run_end(struct buffer *out, size_t start)
{
	size_t len = out->len - start, bytes = 2;

	if (len > SHORT_LIMIT) {
		bytes = 5;
		buffer_reserve(out, 3);
		memmove(out->at + start + 3, out->at + start, len);
		out->len += 3;
	}
	for (size_t i = 0; i < bytes; i++, len >>= 7)
		out->at[start - 2 + i] = (char)((len & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
}

/* ---- Values ---- */

static uint64_t number_of_text(struct json *j)
{
	struct bytes text = bytes_trim(json_string(j));
	bool minus = text.len && *text.at == '-';
	uint64_t value = 0;

	if (!bytes_u64((struct bytes){text.at + minus, text.len - minus}, &value) && !j->failed)
		json_fail(j, "expected a number, got a string before this");
	return minus ? -value : value;
}

static uint64_t take_number(struct json *j)
{
	int64_t plain;

	if (json_plain_number(j, 0, &plain))
		return (uint64_t)plain;
	switch (json_peek(j)) {
	case JSON_STRING:
		return number_of_text(j);
	case JSON_TRUE:
	case JSON_FALSE:
		return json_bool(j);
	default:
		return (uint64_t)json_number(j, 0, 0);
	}
}

static size_t write_fixed(char *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
	return sizeof(value);
}

static void put_fixed(struct buffer *out, uint32_t field, uint64_t value)
{
	protobuf_put_varint(out, (uint64_t)field << 3 | PROTOBUF_FIXED64);
	out->len += write_fixed(buffer_reserve(out, sizeof(value)), value);
}

static void put_numbers(
	struct buffer *out, const struct json_field *f, const int64_t *values, size_t count)
{
	char *at = buffer_reserve(out, count * PROTOBUF_VARINT_LIMIT), *start = at;

	for (size_t i = 0; i < count; i++)
		if (f->kind == VALUE_FIXEDS)
			at += write_fixed(at, (uint64_t)values[i]);
		else
			at += protobuf_write_varint(at, (uint64_t)values[i]);
	out->len += (size_t)(at - start);
}

#define PLAIN_LIMIT 32u /* numbers at a time */

static void take_numbers(struct json *j, const struct json_field *f, struct buffer *out)
{
	size_t start = run_begin(out, f->number), count;
	int64_t values[PLAIN_LIMIT];

	for (json_array(j); json_item(j);) {
		count = json_plain_numbers(j, 0, values, PLAIN_LIMIT - 1);
		values[count++] = (int64_t)take_number(j);
		put_numbers(out, f, values, count);
	}
	run_end(out, start);
}

static void take_double(struct json *j, const struct json_field *f, struct buffer *out)
{
	double value = json_double(j);
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_fixed(out, f->number, bits);
}

static unsigned hex_digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

static void take_hex(struct json *j, const struct json_field *f, struct buffer *out)
{
	struct bytes text = json_string(j);
	size_t start = run_begin(out, f->number);

	for (size_t i = 0; i + 1 < text.len; i += 2) {
		char high = text.at[i], low = text.at[i + 1];

		if (!is_hex_digit((char)(high | 0x20)) || !is_hex_digit((char)(low | 0x20))) {
			json_fail(j, "expected hexadecimal digits in the string before this");
			break;
		}
		buffer_char(out, (char)(hex_digit(high) << 4 | hex_digit(low)));
	}
	run_end(out, start);
}

static void take_base64(struct json *j, const struct json_field *f, struct buffer *out)
{
	struct bytes text = json_string(j);
	size_t start = run_begin(out, f->number);

	if (!base64_decode(text, out))
		json_fail(j, "expected base64 in the string before this");
	run_end(out, start);
}

/* ---- Messages ---- */

/* What is made of the JSON, messages behind one another. */
struct maker {
	struct json json;
	struct buffer out;
	struct ahead *ahead; /* NULL: nothing is made ahead */
};

static bool take_ahead(struct maker *m, const struct json_field *f);
static void take_message(struct maker *m, const struct json_message *message);

static void take_one(struct maker *m, const struct json_field *f)
{
	struct json *j = &m->json;
	struct buffer *out = &m->out;
	size_t start;

	switch (f->kind) {
	case VALUE_NUMBER:
		protobuf_put_explicit(out, f->number, take_number(j));
		return;
	case VALUE_FIXED:
		put_fixed(out, f->number, take_number(j));
		return;
	case VALUE_DOUBLE:
		take_double(j, f, out);
		return;
	case VALUE_TEXT:
		protobuf_put_item(out, f->number, json_string(j));
		return;
	case VALUE_HEX:
		take_hex(j, f, out);
		return;
	case VALUE_BASE64:
		take_base64(j, f, out);
		return;
	case VALUE_MESSAGE:
		start = run_begin(out, f->number);
		take_message(m, f->message);
		run_end(out, start);
		return;
	default:
		json_skip(j);
		protobuf_put_item(out, f->number, (struct bytes){"", 0});
	}
}

static void take_value(struct maker *m, const struct json_field *f)
{
	struct json *j = &m->json;
	enum json_kind kind = json_peek(j);

	if (kind == JSON_NULL) {
		json_skip(j); /* as if it were not there */
	} else if (f->kind == VALUE_NUMBERS || f->kind == VALUE_FIXEDS) {
		take_numbers(j, f, &m->out);
	} else if (kind == JSON_ARRAY && (f->kind == VALUE_TEXT || f->kind == VALUE_MESSAGE)) {
		for (json_array(j); json_item(j);)
			if (!take_ahead(m, f))
				take_one(m, f);
	} else {
		take_one(m, f);
	}
}

/* The next field: mostly the one after the last one. */
static bool next_field(struct json *j, const struct json_message *message,
	const struct json_field *expected, const struct json_field **ret_field)
{
	struct bytes key;

	for (; expected < message->fields + message->count; expected++)
		if (json_key_is(j, expected->name)) {
			*ret_field = expected;
			return true;
		}
	if (!json_key(j, &key))
		return false;
	*ret_field = find_field(message, key);
	return true;
}

/* Messages are not in themselves, so this ends. */
static void take_message(struct maker *m, const struct json_message *message)
{
	const struct json_field *expected = message->fields, *f;

	for (json_object(&m->json); next_field(&m->json, message, expected, &f);) {
		if (f)
			take_value(m, f);
		else
			json_skip(&m->json);
		expected = f ? f + 1 : expected;
	}
}

/* ---- Samples ahead ---- */

/* A large file is mostly one list of samples. From somewhere in it on, another thread makes
 * messages of them. That a sample begins there is a guess, until who reads the file comes there:
 * then all of them are taken over. Of errors nothing is said, which are met again by who goes on
 * without. */
struct ahead {
	struct maker maker;
	struct input in;
	struct input_range range;
	struct error ignored;
	uint64_t from;	     /* of what the thread reads */
	uint64_t start, end; /* of the samples; 0: there is no end */
	pthread_t thread;
	struct recovery *starter;
	bool exhausted; /* memory ran out in the thread */
};

#define AHEAD_MIN    ((uint64_t)16 << 20) /* bytes of a file */
#define AHEAD_SEARCH ((size_t)64 << 10)	  /* bytes in which a sample must begin */
#define LIST_DEPTH   8u /* a list of samples is in a list of profiles, of scopes, of resources */
#define SAMPLES	     (&profile.fields[1])

static bool find_sample(struct ahead *a)
{
	struct bytes head;
	const char *at;

	if (!input_fill(&a->in, AHEAD_SEARCH, &a->ignored))
		return false;
	head = bytes_head(a->in.window, AHEAD_SEARCH);
	at = bytes_find(head, BYTES("\"stackIndex\""));
	while (at && at > head.at && is_space(at[-1]))
		at--;
	if (!at || at == head.at || at[-1] != '{')
		return false;
	a->start = a->from + (uint64_t)(at - 1 - head.at);
	input_skip(&a->in, (size_t)(at - 1 - head.at));
	return true;
}

static void make_messages(void *context)
{
	struct ahead *a = context;
	struct json *j = &a->maker.json;

	json_open_within(j, &a->in, LIST_DEPTH, &a->ignored);
	while (json_item(j))
		take_one(&a->maker, SAMPLES);
	if (!j->failed)
		a->end = a->from + json_byte(j) - 1;
	json_release(j);
}

static void *make_samples(void *context)
{
	struct ahead *a = context;

	a->exhausted = !scope_run_thread(a->starter, make_messages, a);
	return NULL;
}

static void end_thread(void *context)
{
	struct ahead *a = context;

	pthread_mutex_lock(&a->range.lock);
	a->range.end = a->range.at; /* it need not go on */
	pthread_mutex_unlock(&a->range.lock);
	pthread_join(a->thread, NULL);
}

/* NULL: it does not pay, or there is no CPU for it. */
static struct ahead *ahead_open(const struct input *in)
{
	uint64_t size = input_size(in), from = size / 5 * 2; /* the rest takes one thread as long */
	struct ahead *a;

	if (size < AHEAD_MIN || parallel_thread_count(2) < 2)
		return NULL;
	a = memory_new(1, sizeof(*a));
	a->range = (struct input_range){PTHREAD_MUTEX_INITIALIZER, from, size};
	a->from = in->offset + from;
	a->starter = scope_current();
	if (input_open_range(&a->in, in, &a->range, &a->ignored) && find_sample(a) &&
		thread_start(&a->thread, make_samples, a)) {
		scope_hold_threads(a, end_thread);
		return a;
	}
	input_release(&a->in);
	memory_free(a);
	return NULL;
}

/* take: use what the other thread has made of the rest of the input. */
static bool ahead_close(struct maker *m, bool take)
{
	struct ahead *a = m->ahead;
	bool taken;

	scope_drop(a);
	if (take)
		pthread_join(a->thread, NULL);
	else
		end_thread(a);
	if (a->exhausted)
		scope_fail_from_thread();
	taken = take && a->end;
	if (taken) {
		buffer_add(&m->out, a->maker.out.at, a->maker.out.len);
		json_skip_to(&m->json, a->end);
	}
	buffer_release(&a->maker.out);
	input_release(&a->in);
	memory_free(a);
	m->ahead = NULL;
	return taken;
}

/* Take the next item and those behind it; false: they have not been made ahead. */
static bool take_ahead(struct maker *m, const struct json_field *f)
{
	const struct ahead *a = m->ahead;
	struct json *j = &m->json;
	bool object;

	if (!a)
		return false;
	object = json_peek(j) == JSON_OBJECT;
	if (json_byte(j) < a->start)
		return false;
	return ahead_close(
		m, object && json_byte(j) == a->start && f == SAMPLES && j->depth == LIST_DEPTH);
}

/* ---- The file ---- */

static bool read_objects(struct maker *m, struct otlp *o, struct error *err)
{
	struct json *j = &m->json;
	bool done;

	do {
		m->out.len = 0;
		take_message(m, &profiles_data);
		done = !j->failed && otlp_take(o, buffer_bytes(&m->out), err);
	} while (done && json_peek(j) == JSON_OBJECT);
	return done && json_finish(j) && otlp_finish(o, "line", json_line(j), err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct otlp *o = otlp_new(options, true, out);
	struct maker m = {.ahead = ahead_open(in)};
	bool done;

	json_open(&m.json, in, err);
	done = read_objects(&m, o, err);
	if (m.ahead)
		ahead_close(&m, false);
	json_release(&m.json);
	buffer_release(&m.out);
	otlp_release(o);
	return done;
}

static int bid(struct bytes head)
{
	if (!json_begins(head))
		return 0;
	if (json_contains(head, "\"resourceProfiles\"") ||
		json_contains(head, "\"resource_profiles\""))
		return 128;
	return json_contains(head, "\"dictionary\"") &&
			       (json_contains(head, "Table\"") || json_contains(head, "_table\""))
		       ? 64
		       : 0;
}

const struct reader reader_otlp_json = {
	.name = "otlp-json",
	.about = "profiles of OpenTelemetry (OTLP, v1development), as JSON",
	.expects = EXPECTS,
	.proof = "compared with the same profiles in protobuf, field by field; not tested with a "
		 "real producer",
	.bid = bid,
	.read = read,
};
