/* jfr_chunk.h: the chunks of a Flight Recorder file: their headers, events and numbers.
 *
 * A file is one or more chunks, each complete in itself:
 *
 *	header		68 bytes, big-endian: "FLR\0", version, sizes, clocks, flags
 *	events		size, type, content; the types 0 and 1 are the two below
 *	checkpoints	constants (stacks, methods, names, threads) that events refer to by number
 *	metadata	the layout of every type of event and constant
 *
 * Checkpoints and metadata stand between the events. The header says where the last of them are,
 * and each checkpoint where the one before it is. This reader follows neither: it walks over the
 * sizes of all events, which finds the same ones, and also those of a chunk whose end is missing.
 *
 * Source: OpenJDK, src/hotspot/share/jfr/recorder/repository/jfrChunkWriter.cpp,
 * src/hotspot/share/jfr/writers/jfrEncoders.hpp, and jdk.jfr.internal.consumer.ChunkHeader. */
#ifndef KILN_READERS_JAVA_JFR_CHUNK_H
#define KILN_READERS_JAVA_JFR_CHUNK_H

#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"

#define JFR_MAGIC	((struct bytes){"FLR\0", 4})
#define JFR_HEADER_SIZE 68u

enum { JFR_METADATA = 0, JFR_CHECKPOINT = 1 }; /* types of events */

struct jfr_chunk {
	uint64_t offset;     /* of the header in the content */
	struct bytes events; /* behind the header */
	/* Ticks are converted to ns since 1970 with these: */
	uint64_t start_time, start_ticks, ticks_per_second;
	uint64_t duration; /* ns; 0: unknown */
	bool compressed;   /* integers are LEB128 */
	bool open;	   /* its size is not known: its recorder did not end it, or it is cut */
	/* Found by jfr_chunk_walk: */
	uint64_t count;		      /* of events */
	uint64_t end;		      /* in `events`, of the last complete event */
	bool damaged;		      /* not open, but what is behind the end is no event */
	VECTOR(uint64_t) checkpoints; /* in `events` */
	VECTOR(uint64_t) metadata;
};

/* The chunk whose header is at `offset` of the content. ERR_FORMAT: it is none, of another version,
 * or its clock does not run. */
bool jfr_chunk_open(
	struct bytes content, uint64_t offset, struct jfr_chunk *ret_chunk, struct error *err);
void jfr_chunk_release(struct jfr_chunk *c);
/* Find its end, its checkpoints and its metadata. */
void jfr_chunk_walk(struct jfr_chunk *c);

/* The offset of the next chunk in the content, or the content's length. */
uint64_t jfr_chunk_next(const struct jfr_chunk *c);

/* Ticks of the chunk's clock in ns. False: more than 2^62. */
bool jfr_ticks_to_ns(const struct jfr_chunk *c, uint64_t ticks, uint64_t *ret_ns);
/* A time of the chunk's clock in ns since 1970. False: before 1970, or after 2^62 ns. */
bool jfr_time(const struct jfr_chunk *c, uint64_t ticks, uint64_t *ret_ns);

/* ---- Numbers ---- */

/* An integer in LEB128, of at most 9 bytes: the ninth is not cut to 7 bits. */
static inline uint64_t jfr_leb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift == 56)
			return value | (uint64_t)byte << 56;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->bad = true;
	return 0;
}

/* An integer of `size` bytes, big-endian. */
static inline uint64_t jfr_fixed(struct cursor *c, unsigned size)
{
	return size ? be64toh(cursor_fixed(c, size)) >> (64 - 8 * size) : 0;
}

/* An integer of `size` bytes, which are fewer if it is compressed. */
static inline uint64_t jfr_number(struct cursor *c, unsigned size, bool compressed)
{
	return compressed && size > 1 ? jfr_leb(c) : jfr_fixed(c, size);
}

/* ---- Events ---- */

struct jfr_event {
	uint64_t at; /* in chunk->events */
	uint64_t type;
	struct cursor content; /* behind the type */
};

/* The event at *at, which is moved behind it. False: there is no complete one. */
static inline bool jfr_event_next(
	const struct jfr_chunk *c, uint64_t *at, struct jfr_event *ret_event)
{
	struct cursor content = cursor_of(c->events);
	const uint8_t *start = content.at + *at;
	uint64_t size;

	content.at = start;
	size = jfr_number(&content, 4, c->compressed);
	if (content.bad || size > (uint64_t)(content.end - start) ||
		size <= (uint64_t)(content.at - start))
		return false;
	content.end = start + size;
	*ret_event = (struct jfr_event){.at = *at, .type = jfr_number(&content, 8, c->compressed)};
	ret_event->content = content;
	*at += size;
	return !content.bad;
}

/* The offset of a place in the chunk in the content, for messages. */
static inline uint64_t jfr_offset(const struct jfr_chunk *c, uint64_t at)
{
	return c->offset + JFR_HEADER_SIZE + at;
}

#endif
