/* record_builder.h: perf records, written word by word as perf_event_open(2) lists them. */
#ifndef KILN_TESTS_RECORD_BUILDER_H
#define KILN_TESTS_RECORD_BUILDER_H

#include "base/buffer.h"

#include <linux/perf_event.h>

static inline void put_u64(struct buffer *b, uint64_t value)
{
	buffer_add(b, &value, sizeof(value));
}

static inline void put_u32s(struct buffer *b, uint32_t first, uint32_t second)
{
	buffer_add(b, &first, sizeof(first));
	buffer_add(b, &second, sizeof(second));
}

/* Text and NULs up to a whole number of words. */
static inline void put_text(struct buffer *b, const char *text)
{
	static const char zeroes[8];
	size_t len = strlen(text) + 1;

	buffer_add(b, text, len);
	buffer_add(b, zeroes, (8 - len % 8) % 8);
}

/* Where the record starts, for record_end. */
static inline size_t record_begin(struct buffer *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {.type = type, .misc = misc};
	size_t start = b->len;

	buffer_add(b, &header, sizeof(header));
	return start;
}

static inline void record_end(struct buffer *b, size_t start)
{
	uint16_t size = (uint16_t)(b->len - start);

	memcpy(b->at + start + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

#endif
