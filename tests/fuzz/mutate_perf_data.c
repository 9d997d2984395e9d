/* mutate_perf_data.c: how is a perf.data file changed so that its records can still be found? */
#include "mutate_perf_data.h"

#include "process/perf_file.h"
#include "support/perf_data_builder.h"

#include <stdlib.h>

#define HEADER	      104u /* bytes of a file's header */
#define RECORDS_LIMIT 2000u
#define ATTR_SIZE     136u

struct event {
	struct buffer attr, ids;
};
struct record {
	struct buffer bytes; /* with its header */
};

/* A file taken apart; all parts are in its byte order. */
struct draft {
	bool swapped, pipe;
	enum pack pack;
	VECTOR(struct event) events;
	VECTOR(struct record) records;
	struct buffer features[64];
	uint64_t feature_bits;
};

static void draft_release(struct draft *d)
{
	for (size_t i = 0; i < d->events.len; i++) {
		buffer_release(&d->events.items[i].attr);
		buffer_release(&d->events.items[i].ids);
	}
	for (size_t i = 0; i < d->records.len; i++)
		buffer_release(&d->records.items[i].bytes);
	for (unsigned i = 0; i < 64; i++)
		buffer_release(&d->features[i]);
	vector_release(&d->events);
	vector_release(&d->records);
}

/* ---- Taking apart ---- */

bool is_perf_data(struct bytes file)
{
	return bytes_starts_with(file, BYTES(PERF_FILE_MAGIC)) ||
	       bytes_starts_with(file, BYTES(PERF_FILE_MAGIC_BIG));
}

static struct bytes piece(struct bytes file, uint64_t offset, uint64_t size)
{
	if (offset > file.len)
		return (struct bytes){0};
	return (struct bytes){file.at + offset,
		size < file.len - offset ? (size_t)size : file.len - (size_t)offset};
}

static uint64_t u64_at(const struct draft *d, struct bytes bytes, uint64_t offset)
{
	struct perf_fields fields = {.left = piece(bytes, offset, 8), .swapped = d->swapped};

	return perf_fields_u64(&fields);
}

static void add_event(struct draft *d, struct bytes attr, struct bytes ids)
{
	vector_push(&d->events, (struct event){0});
	buffer_set(&d->events.items[d->events.len - 1].attr, attr);
	buffer_set(&d->events.items[d->events.len - 1].ids, ids);
}

static void add_feature(struct draft *d, uint64_t bit, struct bytes content)
{
	if (bit >= 64)
		return;
	d->feature_bits |= (uint64_t)1 << bit;
	buffer_set(&d->features[bit], content);
}

static void take_unpacked(struct draft *d, struct perf_unpack *unpack, struct perf_blocks *blocks)
{
	struct error ignored = {0};
	struct bytes record;

	while (d->records.len < RECORDS_LIMIT &&
		perf_unpack_next(unpack, blocks, d->swapped, &record, &ignored) && record.len) {
		vector_push(&d->records, (struct record){0});
		buffer_set(&d->records.items[d->records.len - 1].bytes, record);
	}
}

static void take_record(struct draft *d, const struct perf_event_header *header,
	struct bytes record, struct perf_unpack *unpack, struct perf_blocks *blocks)
{
	struct bytes content = {record.at + sizeof(*header), record.len - sizeof(*header)};
	struct perf_fields fields = {.left = content, .swapped = d->swapped};
	uint64_t size;

	switch (header->type) {
	case PERF_USER_ATTR:
		perf_fields_u32(&fields);
		size = perf_fields_u32(&fields);
		add_event(d, piece(content, 0, size), piece(content, size, UINT64_MAX));
		break;
	case PERF_USER_FEATURE:
		add_feature(d, u64_at(d, content, 0), piece(content, 8, UINT64_MAX));
		break;
	case PERF_USER_COMPRESSED:
	case PERF_USER_COMPRESSED2:
		d->pack = header->type == PERF_USER_COMPRESSED ? PACK_COMPRESSED : PACK_COMPRESSED2;
		if (header->type == PERF_USER_COMPRESSED2)
			content = piece(content, 8, u64_at(d, content, 0));
		perf_unpack_feed(unpack, content);
		take_unpacked(d, unpack, blocks);
		break;
	default:
		vector_push(&d->records, (struct record){0});
		buffer_set(&d->records.items[d->records.len - 1].bytes, record);
	}
}

static void take_records(struct draft *d, struct bytes records)
{
	struct perf_unpack unpack = {0};
	struct perf_blocks blocks = {0};

	while (records.len >= sizeof(struct perf_event_header) && d->records.len < RECORDS_LIMIT) {
		struct perf_event_header header = perf_header_of(records, d->swapped);

		if (header.size < sizeof(header) || header.size > records.len)
			break;
		take_record(d, &header, piece(records, 0, header.size), &unpack, &blocks);
		records = piece(records, header.size, UINT64_MAX);
	}
	perf_unpack_release(&unpack);
	perf_blocks_release(&blocks);
}

static void take_file(struct draft *d, struct bytes file)
{
	uint64_t attr_size = u64_at(d, file, 16), end = u64_at(d, file, 40) + u64_at(d, file, 48);
	struct bytes attrs = piece(file, u64_at(d, file, 24), u64_at(d, file, 32));
	uint64_t bits = u64_at(d, file, 72), size = u64_at(d, file, 48);

	for (; attr_size > 16 && attrs.len >= attr_size && d->events.len < 50;
		attrs = piece(attrs, attr_size, UINT64_MAX))
		add_event(d, piece(attrs, 0, attr_size - 16),
			piece(file, u64_at(d, attrs, attr_size - 16),
				u64_at(d, attrs, attr_size - 8)));
	take_records(d, piece(file, u64_at(d, file, 40), size ? size : UINT64_MAX));
	for (unsigned bit = 0; size && bit < 64; bit++)
		if (bits >> bit & 1) {
			add_feature(d, bit,
				piece(file, u64_at(d, file, end), u64_at(d, file, end + 8)));
			end += 16;
		}
}

static void draft_read(struct draft *d, struct bytes file)
{
	d->swapped = bytes_starts_with(file, BYTES(PERF_FILE_MAGIC_BIG));
	d->pipe = u64_at(d, file, 8) == 16;
	if (d->pipe)
		take_records(d, piece(file, 16, UINT64_MAX));
	else
		take_file(d, file);
}

/* ---- Putting together ---- */

static size_t attr_size(const struct draft *d)
{
	size_t size = d->events.len ? d->events.items[0].attr.len : ATTR_SIZE;

	return size < PERF_ATTR_SIZE_MIN ? PERF_ATTR_SIZE_MIN : size < 1000 ? size : 1000;
}

static void put_event(struct perf_data_builder *b, const struct event *event)
{
	size_t start;

	if (b->pipe) {
		put32(b, &b->attrs, PERF_USER_ATTR);
		put16(b, &b->attrs, 0);
		put16(b, &b->attrs, (uint16_t)(8 + b->attr_size + event->ids.len));
	}
	start = b->attrs.len;
	buffer_add(&b->attrs, event->attr.at,
		event->attr.len < b->attr_size ? event->attr.len : b->attr_size);
	while (b->attrs.len - start < b->attr_size)
		buffer_char(&b->attrs, 0);
	if (b->pipe) {
		buffer_add(&b->attrs, event->ids.at, event->ids.len);
		return;
	}
	put64(b, &b->attrs, HEADER + b->ids.len);
	put64(b, &b->attrs, event->ids.len);
	buffer_add(&b->ids, event->ids.at, event->ids.len);
}

static void put_feature(struct perf_data_builder *b, unsigned bit, const struct buffer *content)
{
	struct buffer padded = {0};

	buffer_add(&padded, content->at, content->len);
	while (padded.len % 8)
		buffer_char(&padded, 0);
	builder_feature(b, bit, buffer_bytes(&padded));
	buffer_release(&padded);
}

static void draft_write(const struct draft *d, struct buffer *out)
{
	struct perf_data_builder b = {
		.swapped = d->swapped, .pipe = d->pipe, .pack = d->pack, .attr_size = attr_size(d)};
	size_t ignored;

	for (size_t i = 0; i < d->events.len; i++)
		put_event(&b, &d->events.items[i]);
	for (size_t i = 0; i < d->records.len; i++)
		buffer_add(&b.records, d->records.items[i].bytes.at, d->records.items[i].bytes.len);
	for (unsigned bit = 0; bit < 64; bit++)
		if (d->feature_bits >> bit & 1)
			put_feature(&b, bit, &d->features[bit]);
	builder_finish(&b, &ignored);
	buffer_add(out, b.out.at, b.out.len);
	builder_release(&b);
}

/* ---- Generating ---- */

/* Output goes through a builder, which knows the byte order. */
static struct perf_data_builder order_of(const struct draft *d)
{
	return (struct perf_data_builder){.swapped = d->swapped};
}

static uint64_t some_word(uint64_t *state)
{
	switch (random_below(state, 8)) {
	case 0:
	case 1:
		return 0x400000 + random_below(state, 0x3000);
	case 2:
		return 0xffffffff81000000 + random_below(state, 0x3000);
	case 3: /* PERF_CONTEXT_* */
		return (uint64_t)-128 * (1 + random_below(state, 40));
	case 4:
		return mutation_extreme(state);
	default:
		return random_below(state, 40);
	}
}

static uint64_t attr_word(const struct draft *d, const struct event *e, size_t offset)
{
	return u64_at(d, (struct bytes){e->attr.at, e->attr.len}, offset);
}

static uint64_t some_id(const struct draft *d, const struct event *e, uint64_t *state)
{
	return mutation_chance(state, 10) ? some_word(state)
					  : u64_at(d, (struct bytes){e->ids.at, e->ids.len}, 0);
}

static void put_words(
	const struct perf_data_builder *b, struct buffer *to, uint64_t *state, uint32_t count)
{
	for (; count; count--)
		put64(b, to, some_word(state));
}

static void put_counted(
	const struct perf_data_builder *b, struct buffer *to, uint64_t *state, uint32_t width)
{
	uint32_t count = random_below(state, 12);

	put64(b, to, mutation_chance(state, 20) ? mutation_extreme(state) : count);
	put_words(b, to, state, count * width);
}

static void put_pair(const struct perf_data_builder *b, struct buffer *to, uint64_t *state)
{
	put32(b, to, mutation_chance(state, 10) ? (uint32_t)mutation_extreme(state) : 10);
	put32(b, to, 10 + random_below(state, 3));
}

static void put_read(
	const struct perf_data_builder *b, struct buffer *to, uint64_t format, uint64_t *state)
{
	uint32_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint32_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint32_t count = 1;

	if (format & PERF_FORMAT_GROUP) {
		count = random_below(state, 4);
		put64(b, to, count);
	}
	put_words(b, to, state, times + count * each);
}

static void put_raw(const struct perf_data_builder *b, struct buffer *to, uint64_t *state)
{
	uint32_t words = random_below(state, 8);

	put32(b, to, 4 + 8 * words);
	put32(b, to, random_below(state, 400)); /* the tracepoint's number, and more */
	put_words(b, to, state, words);
}

static void put_registers(
	const struct perf_data_builder *b, struct buffer *to, uint64_t mask, uint64_t *state)
{
	uint64_t abi = random_below(state, 4);

	put64(b, to, abi);
	if (abi)
		put_words(b, to, state, (uint32_t)__builtin_popcountll(mask));
}

static void put_stack(const struct perf_data_builder *b, struct buffer *to, uint64_t *state)
{
	uint32_t words = random_below(state, 30);

	put64(b, to, 8 * (uint64_t)words);
	if (!words)
		return;
	put_words(b, to, state, words);
	put64(b, to, 8 * (uint64_t)random_below(state, words + 1));
}

static void put_sample(
	const struct draft *d, const struct event *e, struct buffer *to, uint64_t *state)
{
	static const uint64_t single[] = {PERF_SAMPLE_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT,
		PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION};
	static const uint64_t last[] = {PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_CGROUP,
		PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE};
	struct perf_data_builder b = order_of(d);
	uint64_t type = attr_word(d, e, 24);

	if (type & PERF_SAMPLE_IDENTIFIER)
		put64(&b, to, some_id(d, e, state));
	if (type & PERF_SAMPLE_IP)
		put64(&b, to, some_word(state));
	if (type & PERF_SAMPLE_TID)
		put_pair(&b, to, state);
	if (type & PERF_SAMPLE_TIME)
		put64(&b, to,
			mutation_chance(state, 8) ? mutation_extreme(state)
						  : 1000 + random_below(state, 9999999));
	if (type & PERF_SAMPLE_ADDR)
		put64(&b, to, some_word(state));
	if (type & PERF_SAMPLE_ID)
		put64(&b, to, some_id(d, e, state));
	if (type & PERF_SAMPLE_STREAM_ID)
		put64(&b, to, some_id(d, e, state));
	if (type & PERF_SAMPLE_CPU)
		put_pair(&b, to, state);
	if (type & PERF_SAMPLE_PERIOD)
		put64(&b, to, mutation_chance(state, 50) ? some_word(state) : 1000);
	if (type & PERF_SAMPLE_READ)
		put_read(&b, to, attr_word(d, e, 32), state);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_counted(&b, to, state, 1);
	if (type & PERF_SAMPLE_RAW)
		put_raw(&b, to, state);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_counted(&b, to, state, 3);
	if (type & PERF_SAMPLE_REGS_USER)
		put_registers(&b, to, attr_word(d, e, 80), state);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(&b, to, state);
	for (size_t i = 0; i < 4; i++)
		if (type & single[i])
			put64(&b, to, some_word(state));
	if (type & PERF_SAMPLE_REGS_INTR)
		put_registers(&b, to, attr_word(d, e, 96), state);
	for (size_t i = 0; i < 4; i++)
		if (type & last[i])
			put64(&b, to, some_word(state));
	if (type & PERF_SAMPLE_AUX)
		put_counted(&b, to, state, 0);
}

static void put_text(struct buffer *to, uint64_t *state)
{
	struct bytes text = mutation_text(state);

	buffer_add(to, text.at, text.len);
	do
		buffer_char(to, 0);
	while (to->len % 8);
}

/* Fields of the records that are no samples: numbers of so many bytes, 't' for text. */
static const struct {
	uint32_t type;
	const char *fields;
} kinds[] = {{PERF_RECORD_MMAP, "44888t"}, {PERF_RECORD_LOST, "88"}, {PERF_RECORD_COMM, "44t"},
	{PERF_RECORD_EXIT, "44448"}, {PERF_RECORD_FORK, "44448"}, {PERF_RECORD_THROTTLE, "888"},
	{PERF_RECORD_UNTHROTTLE, "888"}, {PERF_RECORD_READ, "448"},
	{PERF_RECORD_MMAP2, "44888448844t"}, {PERF_RECORD_MMAP2, "44888448844t"},
	{PERF_RECORD_AUX, "888"}, {PERF_RECORD_ITRACE_START, "44"}, {PERF_RECORD_LOST_SAMPLES, "8"},
	{PERF_RECORD_SWITCH, ""}, {PERF_RECORD_SWITCH_CPU_WIDE, "44"},
	{PERF_RECORD_NAMESPACES, "44888"}, {PERF_RECORD_KSYMBOL, "8422t"},
	{PERF_RECORD_BPF_EVENT, "2248"}, {PERF_RECORD_CGROUP, "8t"},
	{PERF_RECORD_TEXT_POKE, "8224"}, {PERF_USER_FINISHED_ROUND, ""},
	{PERF_USER_EVENT_TYPE, "8t"}, {PERF_USER_TRACING_DATA, "44"},
	{PERF_USER_BUILD_ID, "488822t"}, {PERF_USER_AUXTRACE, "8884444"},
	{PERF_USER_EVENT_UPDATE, "88t"}, {PERF_USER_FEATURE, "8448t"}, {79, "888"}, {84, "88"}};

static void put_fields(
	const struct draft *d, const char *fields, struct buffer *to, uint64_t *state)
{
	struct perf_data_builder b = order_of(d);

	for (; *fields; fields++) {
		if (*fields == 't')
			put_text(to, state);
		else if (*fields == '8')
			put64(&b, to, some_word(state));
		else if (*fields == '4')
			put32(&b, to,
				(uint32_t)(mutation_chance(state, 6) ? mutation_extreme(state)
								     : 10));
		else
			put16(&b, to, (uint16_t)mutation_extreme(state));
	}
	while (to->len % 8)
		buffer_char(to, 0);
}

/* The fields that sample_id_all appends to the kernel's records. */
static void put_trailer(
	const struct draft *d, const struct event *e, struct buffer *to, uint64_t *state)
{
	struct perf_data_builder b = order_of(d);
	uint64_t type = attr_word(d, e, 24);

	if (type & PERF_SAMPLE_TID)
		put_pair(&b, to, state);
	if (type & PERF_SAMPLE_TIME)
		put64(&b, to, 1000 + random_below(state, 9999999));
	if (type & PERF_SAMPLE_ID)
		put64(&b, to, some_id(d, e, state));
	if (type & PERF_SAMPLE_STREAM_ID)
		put64(&b, to, some_id(d, e, state));
	if (type & PERF_SAMPLE_CPU)
		put_pair(&b, to, state);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put64(&b, to, some_id(d, e, state));
}

static void set_header(const struct draft *d, struct buffer *record, uint32_t type, uint16_t misc)
{
	struct perf_data_builder b = order_of(d);
	struct buffer header = {0};

	put32(&b, &header, type);
	put16(&b, &header, misc);
	put16(&b, &header, (uint16_t)record->len);
	memcpy(record->at, header.at, 8);
	buffer_release(&header);
}

static void record_new(const struct draft *d, uint64_t *state, struct buffer *ret)
{
	static const uint16_t modes[] = {PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_USER,
		PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC,
		PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
		PERF_RECORD_MISC_GUEST_USER};
	const struct event *e =
		d->events.len ? &d->events.items[random_below(state, (uint32_t)d->events.len)]
			      : NULL;
	size_t kind = random_below(state, sizeof(kinds) / sizeof(*kinds));
	uint32_t type = kinds[kind].type;
	uint16_t misc = modes[random_below(state, sizeof(modes) / sizeof(*modes))];

	buffer_add(ret, "\0\0\0\0\0\0\0", 8);
	if (e && mutation_chance(state, 2)) {
		type = PERF_RECORD_SAMPLE;
		put_sample(d, e, ret, state);
	} else {
		put_fields(d, kinds[kind].fields, ret, state);
		if (e && type < PERF_USER_FIRST && !mutation_chance(state, 10))
			put_trailer(d, e, ret, state);
	}
	set_header(d, ret, type, mutation_chance(state, 20) ? (uint16_t)random_next(state) : misc);
}

static void event_new(struct draft *d, uint64_t *state)
{
	static const uint64_t usual[] = {PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
		PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD, PERF_SAMPLE_CALLCHAIN};
	uint64_t type = PERF_SAMPLE_IDENTIFIER;
	struct perf_data_builder b = order_of(d);
	struct event event = {0};

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		type |= mutation_chance(state, 8) ? 0 : usual[i];
	for (unsigned bit = 0; bit < 25; bit++)
		type |= mutation_chance(state, 8) ? (uint64_t)1 << bit : 0;
	put32(&b, &event.attr, random_below(state, 6));
	put32(&b, &event.attr, ATTR_SIZE);
	put64(&b, &event.attr, random_below(state, 10));
	put64(&b, &event.attr, some_word(state));
	put64(&b, &event.attr, type);
	put64(&b, &event.attr, random_below(state, 32));
	put64(&b, &event.attr, random_next(state) | (uint64_t)(d->swapped ? 1 << 13 : 1 << 18));
	put_words(&b, &event.attr, state, 3);
	put64(&b, &event.attr, random_next(state) & 0xfffff);
	put64(&b, &event.attr, random_next(state) & 0xff0fff);
	put64(&b, &event.attr, 0);
	put64(&b, &event.attr, random_next(state) & 0xff0fff);
	while (event.attr.len < ATTR_SIZE)
		buffer_char(&event.attr, 0);
	put64(&b, &event.ids, 100 + d->events.len);
	vector_push(&d->events, event);
}

void perf_data_generate(uint64_t *state, struct buffer *out)
{
	struct draft d = {.swapped = mutation_chance(state, 4),
		.pipe = mutation_chance(state, 2),
		.pack = random_below(state, 3)};

	for (uint32_t left = 1 + random_below(state, 3); left; left--)
		event_new(&d, state);
	for (uint32_t left = random_below(state, 20); left; left--) {
		vector_push(&d.records, (struct record){0});
		record_new(&d, state, &d.records.items[d.records.len - 1].bytes);
	}
	for (uint32_t left = random_below(state, 4); left; left--) {
		uint32_t bit = random_below(state, 32);

		d.feature_bits |= (uint64_t)1 << bit;
		put_fields(&d, "44t", &d.features[bit], state);
	}
	draft_write(&d, out);
	draft_release(&d);
}

/* ---- Mutating ---- */

/* A number of 4 or 8 bytes, where one would be. */
static void change_field(const struct draft *d, struct buffer *b, size_t from, uint64_t *state)
{
	size_t width = mutation_chance(state, 3) ? 4 : 8, at;
	struct perf_data_builder order = order_of(d);
	struct buffer word = {0};

	if (b->len < from + width)
		return;
	at = from + width * random_below(state, (uint32_t)((b->len - from) / width));
	put64(&order, &word,
		mutation_chance(state, 2) ? some_word(state) : mutation_extreme(state));
	memcpy(b->at + at, word.at + (d->swapped ? 8 - width : 0), width);
	buffer_release(&word);
}

static struct buffer *some_record(struct draft *d, uint64_t *state)
{
	return d->records.len
		       ? &d->records.items[random_below(state, (uint32_t)d->records.len)].bytes
		       : NULL;
}

static void change_record(struct draft *d, uint64_t *state)
{
	struct buffer *record = some_record(d, state);

	if (record)
		change_field(d, record, 8, state);
}

static void add_record(struct draft *d, uint64_t *state)
{
	struct record record = {0}, *place;

	record_new(d, state, &record.bytes);
	vector_push(&d->records, record);
	place = &d->records.items[random_below(state, (uint32_t)d->records.len)];
	d->records.items[d->records.len - 1] = *place;
	*place = record;
}

static void repeat_record(struct draft *d, uint64_t *state)
{
	struct buffer *of = some_record(d, state);
	struct record record = {0};

	if (!of)
		return;
	buffer_add(&record.bytes, of->at, of->len);
	vector_push(&d->records, record);
}

static void remove_record(struct draft *d, uint64_t *state)
{
	struct buffer *record = some_record(d, state);

	if (!record)
		return;
	buffer_release(record);
	*record = d->records.items[--d->records.len].bytes;
}

/* Longer or shorter, and its header says so. */
static void resize_record(struct draft *d, uint64_t *state)
{
	struct buffer *record = some_record(d, state);
	struct perf_event_header header;

	if (!record || record->len < 8)
		return;
	header = perf_header_of(buffer_bytes(record), d->swapped);
	if (mutation_chance(state, 2) && record->len >= 16)
		record->len -=
			8 * (size_t)(1 + random_below(state, (uint32_t)(record->len / 8 - 1)));
	else
		for (uint32_t left = 8 * (1 + random_below(state, 8)); left; left--)
			buffer_char(record, (char)random_next(state));
	set_header(d, record, header.type, header.misc);
}

static void change_header(struct draft *d, uint64_t *state)
{
	struct buffer *record = some_record(d, state);
	struct perf_event_header header;

	if (!record || record->len < 8)
		return;
	header = perf_header_of(buffer_bytes(record), d->swapped);
	set_header(d, record, mutation_chance(state, 2) ? random_below(state, 90) : header.type,
		mutation_chance(state, 2) ? (uint16_t)mutation_extreme(state) : header.misc);
}

static void change_event(struct draft *d, uint64_t *state)
{
	struct event *e;

	if (!d->events.len || mutation_chance(state, 10)) {
		if (d->events.len < 20)
			event_new(d, state);
		return;
	}
	e = &d->events.items[random_below(state, (uint32_t)d->events.len)];
	if (mutation_chance(state, 3) && e->attr.len >= 32) /* a bit of its sample_type */
		e->attr.at[24 + random_below(state, 8)] ^= (char)(1 << random_below(state, 8));
	else
		change_field(d, mutation_chance(state, 4) ? &e->ids : &e->attr, 0, state);
}

static void change_feature(struct draft *d, uint64_t *state)
{
	unsigned bit = random_below(state, 32);

	while (bit < 63 && d->feature_bits && !(d->feature_bits >> bit & 1))
		bit++;
	if (mutation_chance(state, 4))
		d->feature_bits ^= (uint64_t)1 << bit;
	if (d->feature_bits >> bit & 1)
		change_field(d, &d->features[bit], 0, state);
	if (d->feature_bits >> bit & 1 && mutation_chance(state, 4))
		put_text(&d->features[bit], state);
}

static void change_storage(struct draft *d, uint64_t *state)
{
	if (mutation_chance(state, 2))
		d->pipe = !d->pipe;
	else
		d->pack = random_below(state, 3);
}

size_t mutate_perf_data(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
	static void (*const ways[])(struct draft *, uint64_t *) = {change_record, change_record,
		change_record, change_record, add_record, add_record, repeat_record, remove_record,
		resize_record, change_header, change_event, change_event, change_feature,
		change_storage};
	struct bytes file = {(const char *)data, size};
	struct buffer out = {0};
	struct draft d = {0};

	if (!is_perf_data(file) || mutation_chance(&seed, 100)) {
		perf_data_generate(&seed, &out);
		return mutation_done(&out, data, size, max_size);
	}
	draft_read(&d, file);
	for (uint32_t left = 1 + random_below(&seed, 4); left; left--)
		ways[random_below(&seed, sizeof(ways) / sizeof(*ways))](&d, &seed);
	draft_write(&d, &out);
	draft_release(&d);
	if (mutation_chance(&seed, 30)) /* killed: cut short */
		out.len -= random_below(&seed, (uint32_t)out.len);
	return mutation_done(&out, data, size, max_size);
}
