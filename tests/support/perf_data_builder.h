/* perf_data_builder.h: perf.data files, written field by field, as any machine and any perf would.
 */
#ifndef KILN_TEST_PERF_DATA_BUILDER_H
#define KILN_TEST_PERF_DATA_BUILDER_H

#include "base/buffer.h"

#include <linux/perf_event.h>

enum pack { PACK_NONE, PACK_COMPRESSED, PACK_COMPRESSED2 };

struct perf_data_builder {
	bool swapped;	  /* the other byte order than ours */
	bool pipe;	  /* as `perf record -o -` writes it */
	enum pack pack;	  /* how records are kept */
	bool plain;	  /* the event has no ids and records that are no samples have no trailer */
	size_t attr_size; /* bytes */
	struct buffer records, features;
	uint64_t feature_bits;
	struct buffer attrs, ids;
	size_t events;
	struct buffer out; /* the file, once it is finished */
};
void builder_release(struct perf_data_builder *b);

/* Numbers in the file's byte order. */
void put16(const struct perf_data_builder *b, struct buffer *to, uint16_t value);
void put32(const struct perf_data_builder *b, struct buffer *to, uint32_t value);
void put64(const struct perf_data_builder *b, struct buffer *to, uint64_t value);

/* An event: its attr, and one id. Before any record. */
void builder_event(struct perf_data_builder *b, const struct perf_event_attr *attr, uint64_t id);

/* A record is begun, filled by put..() into b->records, and ended. */
size_t builder_begin(struct perf_data_builder *b, uint32_t type, uint16_t misc);
void builder_end(struct perf_data_builder *b, size_t start);
/* The trailer of a record that is no sample: thread, time, CPU, id. */
void builder_identity(
	struct perf_data_builder *b, uint32_t pid, uint64_t time, uint32_t cpu, uint64_t id);
/* Text with its NUL, padded to whole words. */
void builder_text(struct perf_data_builder *b, const char *text);
void builder_round(struct perf_data_builder *b); /* FINISHED_ROUND */

/* A feature section that holds one text (host, release, arch). In the order of their numbers. */
void builder_feature_text(struct perf_data_builder *b, unsigned feature, const char *text);
/* The same with other content. */
void builder_feature(struct perf_data_builder *b, unsigned feature, struct bytes content);

/* Put the file together. *ret_data: where records start in b->out. */
void builder_finish(struct perf_data_builder *b, size_t *ret_data);

#endif
