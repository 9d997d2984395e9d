/* perf_data_builder.c: perf.data files, written field by field, as any machine and any perf would.
 */
#include "support/perf_data_builder.h"

#include "base/memory.h"
#include "process/perf_file.h"

#include <assert.h>
#include <byteswap.h>
#include <stdlib.h>
#include <zstd.h>

#define HEADER 104u /* bytes */

void builder_release(struct perf_data_builder *b)
{
	buffer_release(&b->records);
	buffer_release(&b->features);
	buffer_release(&b->attrs);
	buffer_release(&b->ids);
	buffer_release(&b->out);
}

void put16(const struct perf_data_builder *b, struct buffer *to, uint16_t value)
{
	value = b->swapped ? bswap_16(value) : value;
	buffer_add(to, &value, sizeof(value));
}

void put32(const struct perf_data_builder *b, struct buffer *to, uint32_t value)
{
	value = b->swapped ? bswap_32(value) : value;
	buffer_add(to, &value, sizeof(value));
}

void put64(const struct perf_data_builder *b, struct buffer *to, uint64_t value)
{
	value = b->swapped ? bswap_64(value) : value;
	buffer_add(to, &value, sizeof(value));
}

/* ---- Events ---- */

/* The flags as the other compiler lays them out: the first one in the highest bit. */
static uint64_t mirrored(uint64_t flags)
{
	uint64_t result = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		result |= (flags >> bit & 1) << (63 - bit);
	return result;
}

static void put_attr(
	struct perf_data_builder *b, struct buffer *to, const struct perf_event_attr *attr)
{
	size_t start = to->len;
	uint64_t flags;

	memcpy(&flags, (const char *)attr + 40, sizeof(flags));
	assert(!attr->precise_ip); /* which has two bits that stay in their order */
	put32(b, to, attr->type);
	put32(b, to, (uint32_t)b->attr_size);
	put64(b, to, attr->config);
	put64(b, to, attr->sample_period);
	put64(b, to, attr->sample_type);
	put64(b, to, attr->read_format);
	put64(b, to, b->swapped ? mirrored(flags) : flags);
	put32(b, to, attr->wakeup_events);
	put32(b, to, attr->bp_type);
	put64(b, to, attr->config1);
	put64(b, to, attr->config2);
	put64(b, to, attr->branch_sample_type);
	put64(b, to, attr->sample_regs_user);
	put32(b, to, attr->sample_stack_user);
	put32(b, to, 0);
	put64(b, to, attr->sample_regs_intr);
	if (to->len - start > b->attr_size)
		to->len = start + b->attr_size;
	while (to->len - start < b->attr_size)
		buffer_char(to, 0);
}

static void put_header(const struct perf_data_builder *b, struct buffer *to, uint32_t type,
	uint16_t misc, size_t size)
{
	put32(b, to, type);
	put16(b, to, misc);
	put16(b, to, (uint16_t)size);
}

void builder_event(struct perf_data_builder *b, const struct perf_event_attr *attr, uint64_t id)
{
	size_t ids = b->plain ? 0 : 8;

	if (b->pipe)
		put_header(b, &b->attrs, PERF_USER_ATTR, 0, 8 + b->attr_size + ids);
	put_attr(b, &b->attrs, attr);
	b->events++;
	if (b->pipe && ids) {
		put64(b, &b->attrs, id);
	} else if (!b->pipe) {
		put64(b, &b->attrs, HEADER + b->ids.len);
		put64(b, &b->attrs, ids);
	}
	if (!b->pipe && ids)
		put64(b, &b->ids, id);
}

/* ---- Records ---- */

size_t builder_begin(struct perf_data_builder *b, uint32_t type, uint16_t misc)
{
	size_t start = b->records.len;

	put_header(b, &b->records, type, misc, 0);
	return start;
}

void builder_end(struct perf_data_builder *b, size_t start)
{
	struct buffer size = {0};

	put16(b, &size, (uint16_t)(b->records.len - start));
	memcpy(b->records.at + start + 6, size.at, 2);
	buffer_release(&size);
}

void builder_identity(
	struct perf_data_builder *b, uint32_t pid, uint64_t time, uint32_t cpu, uint64_t id)
{
	if (b->plain)
		return;
	put32(b, &b->records, pid);
	put32(b, &b->records, pid);
	put64(b, &b->records, time);
	put32(b, &b->records, cpu);
	put32(b, &b->records, 0);
	put64(b, &b->records, id);
}

void builder_text(struct perf_data_builder *b, const char *text)
{
	static const char zeroes[8];
	size_t len = strlen(text) + 1;

	buffer_add(&b->records, text, len);
	buffer_add(&b->records, zeroes, (8 - len % 8) % 8);
}

void builder_round(struct perf_data_builder *b)
{
	put_header(b, &b->records, PERF_USER_FINISHED_ROUND, 0, 8);
}

/* ---- Features ---- */

/* In a pipe a record; in a file the content now, and where it is when the file is put together. */
void builder_feature(struct perf_data_builder *b, unsigned feature, struct bytes content)
{
	assert(content.len % 8 == 0);
	b->feature_bits |= (uint64_t)1 << feature;
	if (b->pipe)
		put_header(b, &b->features, PERF_USER_FEATURE, 0, 16 + content.len);
	put64(b, &b->features, b->pipe ? feature : content.len);
	buffer_add(&b->features, content.at, content.len);
}

void builder_feature_text(struct perf_data_builder *b, unsigned feature, const char *text)
{
	struct buffer content = {0};
	size_t len = strlen(text) + 1, padded = (len + 4 + 7) / 8 * 8;

	put32(b, &content, (uint32_t)(padded - 4));
	buffer_add(&content, text, len);
	while (content.len < padded)
		buffer_char(&content, 0);
	builder_feature(b, feature, buffer_bytes(&content));
	buffer_release(&content);
}

/* ---- The file ---- */

/* Records as perf compresses them: one stream, cut anywhere. */
static void put_packed(struct perf_data_builder *b)
{
	size_t bound = ZSTD_compressBound(b->records.len), size, piece = 1001;
	char *packed = memory_new(bound, 1);

	size = ZSTD_compress(packed, bound, b->records.at, b->records.len, 1);
	assert(!ZSTD_isError(size));
	for (size_t at = 0; at < size; at += piece) {
		size_t len = size - at < piece ? size - at : piece;

		if (b->pack == PACK_COMPRESSED2) {
			size_t padded = (len + 7) / 8 * 8;

			put_header(b, &b->out, PERF_USER_COMPRESSED2, 0, 16 + padded);
			put64(b, &b->out, len);
			buffer_add(&b->out, packed + at, len);
			for (; len < padded; len++)
				buffer_char(&b->out, 0);
		} else {
			put_header(b, &b->out, PERF_USER_COMPRESSED, 0, 8 + len);
			buffer_add(&b->out, packed + at, len);
		}
	}
	free(packed);
}

static void put_sections(struct perf_data_builder *b)
{
	size_t count = (size_t)__builtin_popcountll(b->feature_bits);
	uint64_t content = b->out.len + 16 * count;
	struct perf_fields fields = {.left = buffer_bytes(&b->features), .swapped = b->swapped};
	struct buffer contents = {0};

	while (fields.left.len) {
		uint64_t size = perf_fields_u64(&fields);
		struct bytes bytes = perf_fields_bytes(&fields, size);

		put64(b, &b->out, content + contents.len);
		put64(b, &b->out, size);
		buffer_add(&contents, bytes.at, bytes.len);
	}
	buffer_add(&b->out, contents.at, contents.len);
	buffer_release(&contents);
}

static void put_file_header(struct perf_data_builder *b, uint64_t data_size)
{
	put64(b, &b->out, HEADER);
	put64(b, &b->out, b->attr_size + 16);
	put64(b, &b->out, HEADER + b->ids.len);
	put64(b, &b->out, b->attrs.len);
	put64(b, &b->out, HEADER + b->ids.len + b->attrs.len);
	put64(b, &b->out, data_size);
	put64(b, &b->out, 0);
	put64(b, &b->out, 0);
	put64(b, &b->out, b->feature_bits);
	for (unsigned i = 0; i < 3; i++)
		put64(b, &b->out, 0);
	buffer_add(&b->out, b->ids.at, b->ids.len);
	buffer_add(&b->out, b->attrs.at, b->attrs.len);
}

void builder_finish(struct perf_data_builder *b, size_t *ret_data)
{
	size_t size_at = 8 + 5 * 8;
	struct buffer size = {0};

	put64(b, &b->out, 0x32454c4946524550); /* "PERFILE2" where the lowest byte comes first */
	if (b->pipe) {
		put64(b, &b->out, 16);
		buffer_add(&b->out, b->attrs.at, b->attrs.len);
		buffer_add(&b->out, b->features.at, b->features.len);
	} else {
		put_file_header(b, 0);
	}
	*ret_data = b->out.len;
	if (b->pack == PACK_NONE)
		buffer_add(&b->out, b->records.at, b->records.len);
	else
		put_packed(b);
	if (b->pipe)
		return;
	put64(b, &size, b->out.len - *ret_data);
	memcpy(b->out.at + size_at, size.at, 8);
	buffer_release(&size);
	put_sections(b);
}
