/* mutate_protobuf.c: how is one field of a message changed so that all others can still be read? */
#include "mutate_protobuf.h"

#include "base/protobuf.h"
#include "renderers/pprof_profile.h"

#include <stdlib.h>

#define DEPTH_LIMIT 8u

/* A field as it stands in a message. */
struct field {
	uint32_t number, wire;
	uint64_t value;
	struct bytes bytes; /* of what has a length */
	struct bytes all;   /* with its tag */
};

static bool varint_read(struct bytes *rest, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; rest->len && shift < 64; shift += 7) {
		unsigned char byte = (unsigned char)*rest->at;

		rest->at++;
		rest->len--;
		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool field_read(struct bytes *rest, struct field *ret)
{
	const char *start = rest->at;
	uint64_t tag, len = 0;

	if (!varint_read(rest, &tag) || !(tag >> 3) || tag >> 3 > 1000)
		return false;
	*ret = (struct field){.number = (uint32_t)(tag >> 3), .wire = tag & 7};
	if (ret->wire == PROTOBUF_VARINT) {
		if (!varint_read(rest, &ret->value))
			return false;
	} else if (ret->wire == PROTOBUF_FIXED64 || ret->wire == PROTOBUF_FIXED32) {
		len = ret->wire == PROTOBUF_FIXED64 ? 8 : 4;
	} else if (ret->wire != PROTOBUF_BYTES || !varint_read(rest, &len)) {
		return false;
	}
	if (len > rest->len)
		return false;
	ret->bytes = (struct bytes){rest->at, (size_t)len};
	if (ret->wire == PROTOBUF_FIXED64 || ret->wire == PROTOBUF_FIXED32)
		memcpy(&ret->value, rest->at, (size_t)len);
	rest->at += len;
	rest->len -= (size_t)len;
	ret->all = (struct bytes){start, (size_t)(rest->at - start)};
	return true;
}

static uint32_t fields_count(struct bytes message)
{
	struct field f;
	uint32_t count = 0;

	while (message.len) {
		if (!field_read(&message, &f))
			return 0;
		count++;
	}
	return count;
}

bool is_protobuf(struct bytes message)
{
	return fields_count(message) > 0;
}

static void field_write(const struct field *f, struct bytes bytes, struct buffer *out)
{
	protobuf_put_varint(out, (uint64_t)f->number << 3 | f->wire);
	if (f->wire == PROTOBUF_VARINT) {
		protobuf_put_varint(out, f->value);
		return;
	}
	if (f->wire == PROTOBUF_BYTES) {
		protobuf_put_varint(out, bytes.len);
		buffer_add(out, bytes.at, bytes.len);
		return;
	}
	buffer_add(out, &f->value, f->wire == PROTOBUF_FIXED64 ? 8 : 4);
}

/* ---- One field ---- */

/* Ids and indexes of small tables, mostly. */
static uint64_t some_number(uint64_t *state, uint64_t value)
{
	return mutation_chance(state, 2) ? random_below(state, 24) : mutation_number(state, value);
}

/* Packed numbers: one changed, some more, or some fewer. */
static void change_packed(struct bytes packed, uint64_t *state, struct buffer *out)
{
	uint32_t way = random_below(state, 4), chosen = random_below(state, 12), i = 0;
	uint64_t value;

	for (; packed.len && varint_read(&packed, &value); i++) {
		if (i != chosen || way) {
			protobuf_put_varint(out, value);
			continue;
		}
		protobuf_put_varint(out, some_number(state, value));
	}
	for (uint32_t more = way == 1 ? random_below(state, 40) : 0; more; more--)
		protobuf_put_varint(out, some_number(state, 0));
	if (way == 2)
		out->len -= random_below(state, (uint32_t)out->len + 1);
}

static void change_message(
	struct bytes message, unsigned depth, uint64_t *state, struct buffer *out);

static void change_bytes(struct bytes bytes, unsigned depth, uint64_t *state, struct buffer *out)
{
	bool message = depth < DEPTH_LIMIT && is_protobuf(bytes);

	if (message && !mutation_chance(state, 20))
		change_message(bytes, depth + 1, state, out);
	else if (!mutation_chance(state, 3))
		change_packed(bytes, state, out);
	else
		buffer_set(out, mutation_text(state));
}

/* A field of another kind: what is expected packed may come one by one, and the other way round. */
static void add_field(uint32_t number, uint64_t *state, struct buffer *out)
{
	struct field f = {.number = number ? number : 1 + random_below(state, 16),
		.value = some_number(state, 0)};
	struct bytes bytes = mutation_text(state);
	struct buffer packed = {0};

	f.wire = (uint32_t[]){PROTOBUF_VARINT, PROTOBUF_BYTES, PROTOBUF_BYTES, PROTOBUF_FIXED64,
		PROTOBUF_FIXED32}[random_below(state, 5)];
	if (mutation_chance(state, 2)) {
		change_packed((struct bytes){0}, state, &packed);
		bytes = buffer_bytes(&packed);
	}
	field_write(&f, bytes, out);
	buffer_release(&packed);
}

static void change_field(const struct field *f, unsigned depth, uint64_t *state, struct buffer *out)
{
	struct field changed = *f;
	struct buffer bytes = {0};

	if (f->wire == PROTOBUF_BYTES)
		change_bytes(f->bytes, depth, state, &bytes);
	else
		changed.value = some_number(state, f->value);
	if (mutation_chance(state, 30))
		changed.number = 1 + random_below(state, 16);
	field_write(&changed, buffer_bytes(&bytes), out);
	buffer_release(&bytes);
}

/* ---- A message ---- */

/* The fields of `message`, of which one is changed, left out, repeated, moved to the end, or
 * followed by another one. */
static void change_message(
	struct bytes message, unsigned depth, uint64_t *state, struct buffer *out)
{
	uint32_t count = fields_count(message), chosen = random_below(state, count ? count : 1);
	uint32_t way = random_below(state, 12);
	struct bytes moved = {0};
	struct field f;

	for (uint32_t i = 0; message.len && field_read(&message, &f); i++) {
		if (i != chosen) {
			buffer_add(out, f.all.at, f.all.len);
		} else if (way == 1) {
			moved = f.all;
		} else if (way == 2 || way == 3) {
			for (uint32_t times = 2 + (way == 3) * random_below(state, 30); times;
				times--)
				buffer_add(out, f.all.at, f.all.len);
		} else if (way == 4) {
			buffer_add(out, f.all.at, f.all.len);
			add_field(mutation_chance(state, 2) ? f.number : 0, state, out);
		} else if (way > 4) {
			change_field(&f, depth, state, out);
		}
	}
	buffer_add(out, moved.at, moved.len);
}

void pprof_generate(uint64_t *state, struct buffer *out)
{
	struct pprof_settings settings = {random_below(state, 256)};
	struct error ignored = {0};
	struct profile p;
	struct view v;

	random_profile(&p, random_next(state), 1 + random_below(state, 6));
	view_init(&v, &p, BY_ADDRESS);
	pprof_write(&v, &settings, out, &ignored);
	view_release(&v);
	profile_release(&p);
}

size_t mutate_protobuf(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
	struct buffer out = {0}, next = {0};

	buffer_add(&out, data, size);
	for (uint32_t left = 1 + random_below(&seed, 4); left; left--) {
		next.len = 0;
		change_message(buffer_bytes(&out), 0, &seed, &next);
		buffer_set(&out, buffer_bytes(&next));
	}
	buffer_release(&next);
	if (mutation_chance(&seed, 40)) /* cut short */
		out.len -= random_below(&seed, (uint32_t)out.len + 1);
	return mutation_done(&out, data, size, max_size);
}

size_t mutate_pprof(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
	struct buffer out = {0};

	if (is_protobuf((struct bytes){(const char *)data, size}) && !mutation_chance(&seed, 200))
		return mutate_protobuf(data, size, max_size, seed);
	pprof_generate(&seed, &out);
	return mutation_done(&out, data, size, max_size);
}
