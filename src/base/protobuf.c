/* protobuf.c: which fields does a message have? */
#include "base/protobuf.h"

/* ---- Reading ---- */

static bool fail_at(struct protobuf *m, const char *at, const char *expected)
{
	m->failed = at;
	m->expected = expected;
	return false;
}

bool protobuf_next_any(struct protobuf *m, struct protobuf_field *ret_field)
{
	struct cursor *c = &m->cursor;
	struct protobuf_field f = {.at = (const char *)c->at};
	uint64_t tag;

	if (c->at == c->end || m->failed)
		return false;
	tag = cursor_uleb(c);
	f.number = (uint32_t)(tag >> 3);
	f.wire = tag & 7;
	if (c->bad || tag >> 32 || !f.number)
		return fail_at(m, f.at, "a field number");
	if (f.number < m->schema->count && m->schema->fields[f.number].wires &&
		!(m->schema->fields[f.number].wires >> f.wire & 1))
		return fail_at(m, f.at, "a field with the type of its number");
	switch (f.wire) {
	case PROTOBUF_VARINT:
		f.value = cursor_uleb(c);
		break;
	case PROTOBUF_BYTES:
		f.bytes = cursor_take(c, cursor_uleb(c));
		break;
	case PROTOBUF_FIXED64:
		f.value = cursor_fixed(c, 8);
		break;
	case PROTOBUF_FIXED32:
		f.value = cursor_fixed(c, 4);
		break;
	default:
		return fail_at(m, f.at, "a field of a known type");
	}
	if (c->bad)
		return fail_at(m, f.at, "the rest of a truncated field");
	*ret_field = f;
	return true;
}

bool protobuf_number(
	const struct protobuf_field *field, size_t *at, uint64_t *ret_value, bool *ret_bad)
{
	struct cursor c;

	*ret_bad = false;
	if (field->wire != PROTOBUF_BYTES) {
		*ret_value = field->value;
		return !(*at)++;
	}
	if (*at == field->bytes.len)
		return false;
	c = cursor_of((struct bytes){field->bytes.at + *at, field->bytes.len - *at});
	*ret_value = cursor_uleb(&c);
	*ret_bad = c.bad;
	*at = field->bytes.len - cursor_left(&c);
	return !c.bad;
}

/* Field numbers below this take one byte. An unknown number below it means that the bytes are
 * something else, such as text; an unknown larger number may be a later addition to the format. */
#define SHORT_NUMBERS 16u

static bool is_possible(const struct protobuf_schema *schema, uint32_t number)
{
	return number < schema->count ? schema->fields[number].wires != 0 : number >= SHORT_NUMBERS;
}

static int fields_within(
	const struct protobuf_field *f, const struct protobuf_schema *schema, bool cut)
{
	const struct protobuf_schema *inner =
		f->number < schema->count ? schema->fields[f->number].message : NULL;

	return inner && f->wire == PROTOBUF_BYTES ? protobuf_match(f->bytes, inner, cut) : 0;
}

/* Continue in the message of a field that the end cuts off; its type has been checked. */
static int fields_cut_off(struct bytes rest, const struct protobuf_schema *schema)
{
	struct cursor c = cursor_of(rest);
	uint64_t tag = cursor_uleb(&c);
	struct protobuf_field f = {.number = (uint32_t)(tag >> 3), .wire = tag & 7};

	cursor_uleb(&c);
	if (c.bad)
		return 0;
	if (!is_possible(schema, f.number))
		return -1;
	f.bytes = (struct bytes){(const char *)c.at, cursor_left(&c)};
	return fields_within(&f, schema, true);
}

/* Recursion ends because schemas are finite. */
int protobuf_match(struct bytes message, const struct protobuf_schema *schema, bool cut)
{
	struct protobuf m = protobuf_open(message, schema);
	int fields = 0, within;

	for (struct protobuf_field f; protobuf_next(&m, &f); fields += 1 + within) {
		if (!is_possible(schema, f.number))
			return -1;
		within = fields_within(&f, schema, false);
		if (within < 0)
			return -1;
	}
	if (!m.failed)
		return fields;
	if (!cut || m.cursor.at != m.cursor.end)
		return -1;
	within = fields_cut_off(
		(struct bytes){m.failed, (size_t)(message.at + message.len - m.failed)}, schema);
	return within < 0 ? -1 : fields + within;
}

/* ---- Writing ---- */

void protobuf_put_varint(struct buffer *b, uint64_t value)
{
	char *at = buffer_reserve(b, PROTOBUF_VARINT_LIMIT);
	size_t len = protobuf_write_varint(at, value);

	b->len += len;
	at[len] = '\0';
}

void protobuf_put_explicit(struct buffer *b, uint32_t field, uint64_t value)
{
	protobuf_put_varint(b, (uint64_t)field << 3 | PROTOBUF_VARINT);
	protobuf_put_varint(b, value);
}

void protobuf_put_number(struct buffer *b, uint32_t field, uint64_t value)
{
	if (value)
		protobuf_put_explicit(b, field, value);
}

void protobuf_put_item(struct buffer *b, uint32_t field, struct bytes bytes)
{
	protobuf_put_varint(b, (uint64_t)field << 3 | PROTOBUF_BYTES);
	protobuf_put_varint(b, bytes.len);
	buffer_add(b, bytes.at, bytes.len);
}

void protobuf_put_bytes(struct buffer *b, uint32_t field, struct bytes bytes)
{
	if (bytes.len)
		protobuf_put_item(b, field, bytes);
}
