/* jfr_chunk.c: where are the chunks of a Flight Recorder file, and what is in their headers? */
#include "readers/java/jfr_chunk.h"

#include "model/profile.h"

#include <assert.h>

#define NS_PER_SECOND	1000000000u
#define TICK_RATE_LIMIT 10000000000u /* per second: twice as fast as any processor's clock */
#define FLAG_COMPRESSED 1u

bool jfr_chunk_open(
	struct bytes content, uint64_t offset, struct jfr_chunk *ret_chunk, struct error *err)
{
	struct bytes rest = {content.at + offset, content.len - (size_t)offset};
	struct jfr_chunk chunk = {.offset = offset};
	struct cursor c = cursor_of(rest);
	unsigned major, minor;
	uint64_t size;

	if (!bytes_starts_with(rest, JFR_MAGIC))
		return error_set(err, ERR_FORMAT,
			"byte %llu: expected a chunk, which starts with FLR\\0",
			(unsigned long long)offset);
	if (rest.len < JFR_HEADER_SIZE)
		return error_set(err, ERR_FORMAT,
			"byte %llu: unexpected end: expected the rest of a chunk's header of %u "
			"bytes",
			(unsigned long long)content.len, JFR_HEADER_SIZE);
	c.at += JFR_MAGIC.len;
	major = (unsigned)jfr_fixed(&c, 2);
	minor = (unsigned)jfr_fixed(&c, 2);
	if (major != 2)
		return error_set(err, ERR_FORMAT,
			"byte %llu: expected version 2 of Flight Recorder's format, got %u.%u; "
			"record "
			"with JDK 11 or later",
			(unsigned long long)offset + JFR_MAGIC.len, major, minor);
	size = jfr_fixed(&c, 8);
	c.at += 16; /* the last checkpoint and the metadata */
	chunk.start_time = jfr_fixed(&c, 8);
	chunk.duration = jfr_fixed(&c, 8);
	chunk.start_ticks = jfr_fixed(&c, 8);
	chunk.ticks_per_second = jfr_fixed(&c, 8);
	chunk.compressed = jfr_fixed(&c, 4) & FLAG_COMPRESSED;
	if (!chunk.ticks_per_second || chunk.ticks_per_second > TICK_RATE_LIMIT)
		return error_set(err, ERR_FORMAT,
			"byte %llu: expected 1 to 10,000,000,000 ticks per second",
			(unsigned long long)offset + 56);
	chunk.open = size < JFR_HEADER_SIZE || size > rest.len;
	chunk.events = (struct bytes){rest.at + JFR_HEADER_SIZE,
		(chunk.open ? rest.len : (size_t)size) - JFR_HEADER_SIZE};
	*ret_chunk = chunk;
	return true;
}

void jfr_chunk_release(struct jfr_chunk *c)
{
	vector_release(&c->checkpoints);
	vector_release(&c->metadata);
}

/* Behind a chunk of unknown size may be another one. As an event, its header would have a type that
 * no event has before the metadata that names it. */
static bool is_header(const struct jfr_chunk *c, uint64_t at)
{
	struct bytes rest = {c->events.at + at, c->events.len - (size_t)at};

	return c->open && rest.len >= JFR_HEADER_SIZE &&
	       bytes_starts_with(rest, (struct bytes){"FLR\0\0\2", 6});
}

void jfr_chunk_walk(struct jfr_chunk *c)
{
	struct jfr_event event;
	uint64_t at = 0;

	while (at < c->events.len && !is_header(c, at) && jfr_event_next(c, &at, &event)) {
		c->end = at;
		c->count++;
		if (event.type == JFR_CHECKPOINT)
			vector_push(&c->checkpoints, event.at);
		else if (event.type == JFR_METADATA)
			vector_push(&c->metadata, event.at);
	}
	c->damaged = !c->open && c->end < c->events.len;
	if (c->end < c->events.len && is_header(c, c->end))
		c->events.len = (size_t)c->end;
}

uint64_t jfr_chunk_next(const struct jfr_chunk *c)
{
	return c->offset + JFR_HEADER_SIZE + c->events.len;
}

bool jfr_ticks_to_ns(const struct jfr_chunk *c, uint64_t ticks, uint64_t *ret_ns)
{
	uint64_t seconds = ticks / c->ticks_per_second, rest = ticks % c->ticks_per_second;

	if (seconds >= PROFILE_TIME_LIMIT / NS_PER_SECOND)
		return false;
	*ret_ns = seconds * NS_PER_SECOND + rest * NS_PER_SECOND / c->ticks_per_second;
	return true;
}

static_assert(TICK_RATE_LIMIT <= UINT64_MAX / NS_PER_SECOND, "the product above fits");

/* An event may have begun before its chunk. */
bool jfr_time(const struct jfr_chunk *c, uint64_t ticks, uint64_t *ret_ns)
{
	bool before = (int64_t)(ticks - c->start_ticks) < 0;
	uint64_t ns;

	if (!jfr_ticks_to_ns(c, before ? c->start_ticks - ticks : ticks - c->start_ticks, &ns) ||
		c->start_time > PROFILE_TIME_LIMIT || (before && ns > c->start_time))
		return false;
	*ret_ns = before ? c->start_time - ns : c->start_time + ns;
	return *ret_ns <= PROFILE_TIME_LIMIT;
}
