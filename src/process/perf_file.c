/* perf_file.c: which records are in a perf.data file, and of which events? */
#include "process/perf_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PIPE_HEADER	16u /* bytes */
#define FILE_HEADER	72u /* bytes, up to the bitmap of feature sections */
#define SECTION		16u /* bytes: offset and size */
#define EVENT_NAME_SIZE 64u /* bytes, in PERF_USER_EVENT_TYPE */

enum event_update { UPDATE_NAME = 2 };

void perf_file_release(struct perf_file *f)
{
	for (size_t i = 0; i < f->events.len; i++) {
		buffer_release(&f->events.items[i]->name);
		memory_free(f->events.items[i]);
	}
	vector_release(&f->events);
	vector_release(&f->ids);
	vector_release(&f->parts);
	id_map_release(&f->by_id);
	perf_file_info_release(&f->about);
	perf_unpack_release(&f->unpack);
	perf_blocks_release(&f->blocks);
	*f = (struct perf_file){0};
}

__attribute__((format(printf, 3, 4))) static bool damaged(
	struct perf_file *f, uint64_t offset, const char *fmt, ...)
{
	va_list args;
	int used =
		snprintf(f->damage, sizeof(f->damage), "byte %llu: ", (unsigned long long)offset);

	va_start(args, fmt);
	vsnprintf(f->damage + used, sizeof(f->damage) - (size_t)used, fmt, args);
	va_end(args);
	f->at = f->end;
	return false;
}

/* The bytes at an offset; empty if not all of them exist. */
static struct bytes piece(const struct perf_file *f, uint64_t offset, uint64_t size)
{
	if (offset > f->content.len || size > f->content.len - offset)
		return (struct bytes){0};
	return (struct bytes){f->content.at + offset, (size_t)size};
}

/* ---- Events ---- */

static bool add_event(struct perf_file *f, struct bytes stored)
{
	struct perf_file_event *event;

	if (f->events.len == PERF_FILE_EVENTS_LIMIT)
		return false;
	event = memory_new(1, sizeof(*event));
	if (!perf_attr_read(stored, f->swapped, &event->attr)) {
		memory_free(event);
		return false;
	}
	event->layout = perf_layout_of(&event->attr);
	vector_push(&f->events, event);
	return true;
}

static const struct perf_file_id *find_id(const struct perf_file *f, uint64_t id)
{
	uint64_t hash = hash_pair(id, 0);
	size_t at = id_map_start(&f->by_id, hash);

	if (f->by_id.slots)
		for (uint32_t row; (row = id_map_candidate(&f->by_id, hash, &at));)
			if (f->ids.items[row].id == id)
				return &f->ids.items[row];
	return NULL;
}

const struct perf_file_event *perf_file_event_of(const struct perf_file *f, uint64_t id)
{
	const struct perf_file_id *row = find_id(f, id);

	return row ? f->events.items[row->event] : NULL;
}

/* Ids of the event added last. */
static void add_ids(struct perf_file *f, struct bytes ids)
{
	struct perf_fields fields = {.left = ids, .swapped = f->swapped};
	uint32_t event = (uint32_t)f->events.len - 1;

	if (!f->ids.len)
		vector_push(&f->ids, ((struct perf_file_id){0}));
	while (fields.left.len >= 8) {
		uint64_t id = perf_fields_u64(&fields);

		if (!f->events.items[event]->first_id)
			f->events.items[event]->first_id = id;
		if (find_id(f, id))
			continue;
		id_map_insert(&f->by_id, hash_pair(id, 0), (uint32_t)f->ids.len);
		vector_push(&f->ids, ((struct perf_file_id){id, event}));
	}
}

/* Records that perf itself generates have id 0 and belong to the first event. */
static const struct perf_file_event *event_of(const struct perf_file *f, struct bytes record)
{
	uint64_t id;

	if (!f->events.len)
		return NULL;
	if (f->events.len == 1 || !perf_record_id(record, &f->events.items[0]->layout, &id) || !id)
		return f->events.items[0];
	return perf_file_event_of(f, id);
}

static void set_name(struct perf_file_event *event, struct bytes name)
{
	buffer_set(&event->name, name);
}

static const struct perf_file_name *name_of(
	const struct perf_file *f, size_t index, const struct perf_file_event *event)
{
	const struct perf_file_info *about = &f->about;

	for (size_t i = 0; event->first_id && i < about->names.len; i++)
		if (about->names.items[i].first_id == event->first_id)
			return &about->names.items[i];
	if (about->names.len == f->events.len && !about->names.items[index].first_id)
		return &about->names.items[index];
	return NULL;
}

void perf_file_name_events(struct perf_file *f)
{
	for (size_t i = 0; i < f->events.len; i++) {
		struct perf_file_event *event = f->events.items[i];
		const struct perf_file_name *named = name_of(f, i, event);

		if (event->name.len)
			continue;
		if (named && named->name.len)
			set_name(event, named->name);
		else
			perf_attr_name(&event->attr, &event->name);
	}
}

/* ---- The header ---- */

static bool read_attrs(
	struct perf_file *f, uint64_t offset, uint64_t size, uint64_t attr_size, struct error *err)
{
	struct bytes attrs = piece(f, offset, size);

	if (attr_size < PERF_ATTR_SIZE_MIN + SECTION || attr_size > PERF_ATTR_SIZE_LIMIT + SECTION)
		return error_set(err, ERR_FORMAT,
			"byte 16: event attributes of %llu bytes; expected %u to %u",
			(unsigned long long)attr_size, PERF_ATTR_SIZE_MIN + SECTION,
			PERF_ATTR_SIZE_LIMIT + SECTION);
	for (; attrs.len >= attr_size; attrs.at += attr_size, attrs.len -= attr_size) {
		struct perf_fields ids = {
			.swapped = f->swapped, .left = {attrs.at + attr_size - SECTION, SECTION}};
		uint64_t ids_offset = perf_fields_u64(&ids), ids_size = perf_fields_u64(&ids);

		if (!add_event(f, (struct bytes){attrs.at, attr_size - SECTION}))
			break;
		add_ids(f, piece(f, ids_offset, ids_size));
	}
	if (!f->events.len && size && !piece(f, offset, size).len)
		return error_set(err, ERR_FORMAT,
			"truncated: event attributes are at byte %llu of %zu",
			(unsigned long long)offset, f->content.len);
	return f->events.len || error_set(err, ERR_FORMAT, "byte %llu: expected event attributes",
					(unsigned long long)offset);
}

/* The sections behind the data, one for each bit in the header. */
static void read_features(struct perf_file *f, struct bytes bits)
{
	uint64_t at = f->end;

	for (unsigned word = 0; word < PERF_FEATURES / 64; word++) {
		struct perf_fields fields = {
			.left = {bits.at + 8 * (size_t)word, 8}, .swapped = f->swapped};
		uint64_t set = perf_fields_u64(&fields);

		for (unsigned bit = 0; bit < 64; bit++) {
			struct perf_fields section = {
				.left = piece(f, at, SECTION), .swapped = f->swapped};
			uint64_t offset, size;

			if (!(set >> bit & 1))
				continue;
			at += SECTION;
			offset = perf_fields_u64(&section);
			size = perf_fields_u64(&section);
			if (section.failed || (size && !piece(f, offset, size).len)) {
				f->cut_sections++;
				continue;
			}
			perf_file_info_add_feature(&f->about, 64 * (uint64_t)word + bit,
				piece(f, offset, size), f->swapped);
		}
	}
}

static bool open_file(struct perf_file *f, uint64_t header_size, struct error *err)
{
	struct perf_fields fields = {.left = f->content, .swapped = f->swapped};
	uint64_t attr_size, attrs, attrs_size, data, data_size;
	struct bytes bits;

	perf_fields_bytes(&fields, 16);
	attr_size = perf_fields_u64(&fields);
	attrs = perf_fields_u64(&fields);
	attrs_size = perf_fields_u64(&fields);
	data = perf_fields_u64(&fields);
	data_size = perf_fields_u64(&fields);
	bits = piece(f, FILE_HEADER, PERF_FEATURES / 8);
	if (header_size < FILE_HEADER + PERF_FEATURES / 8)
		return error_set(err, ERR_FORMAT,
			"byte 8: a header of %llu bytes; expected at least %u",
			(unsigned long long)header_size, FILE_HEADER + PERF_FEATURES / 8);
	if (!bits.len)
		return error_set(err, ERR_FORMAT,
			"truncated: the header has %llu bytes, the file %zu",
			(unsigned long long)header_size, f->content.len);
	if (!read_attrs(f, attrs, attrs_size, attr_size, err))
		return false;
	if (data > f->content.len)
		return error_set(err, ERR_FORMAT, "truncated: records start at byte %llu of %zu",
			(unsigned long long)data, f->content.len);
	f->at = data;
	f->end = f->content.len;
	f->killed = !data_size;
	if (data_size > f->content.len - data)
		f->cut = data_size - (f->content.len - data);
	if (f->killed || f->cut)
		return true;
	f->end = data + data_size;
	read_features(f, bits);
	return true;
}

bool perf_file_open(struct perf_file *f, struct bytes content, struct error *err)
{
	const bool big = bytes_starts_with(content, BYTES(PERF_FILE_MAGIC_BIG));
	const uint16_t one = 1;
	struct perf_fields size = {0};
	uint64_t header_size;
	bool done;

	*f = (struct perf_file){.content = content};
	if (bytes_starts_with(content, BYTES("PERFFILE")))
		return error_set(err, ERR_UNSUPPORTED,
			"written by a perf older than Linux 2.6.35; use that perf's script "
			"command");
	if (!big && !bytes_starts_with(content, BYTES(PERF_FILE_MAGIC)))
		return error_set(err, ERR_FORMAT, "byte 0: expected " PERF_FILE_MAGIC);
	f->swapped = big == (*(const char *)&one == 1);
	size = (struct perf_fields){.left = content, .swapped = f->swapped};
	perf_fields_bytes(&size, 8);
	header_size = perf_fields_u64(&size);
	f->pipe = header_size == PIPE_HEADER;
	if (f->pipe) {
		f->at = PIPE_HEADER;
		f->end = content.len;
		done = true;
	} else {
		done = open_file(f, header_size, err);
	}
	if (!done)
		perf_file_release(f);
	return done;
}

/* ---- Records for the reader itself ---- */

/* The attr contains its own size; ids follow it. */
static void parse_attr(struct perf_file *f, struct bytes content)
{
	struct perf_fields fields = {.left = content, .swapped = f->swapped};
	uint32_t size;

	perf_fields_u32(&fields);
	size = perf_fields_u32(&fields);
	if (fields.failed || size < PERF_ATTR_SIZE_MIN || size > content.len ||
		!add_event(f, (struct bytes){content.at, size})) {
		f->misplaced++;
		return;
	}
	add_ids(f, (struct bytes){content.at + size, content.len - size});
}

/* Names of tracepoints, written by perf before 3.12. */
static void parse_event_type(struct perf_file *f, struct bytes content)
{
	struct perf_fields fields = {.left = content, .swapped = f->swapped};
	uint64_t config = perf_fields_u64(&fields);
	struct bytes name = perf_fields_bytes(&fields, EVENT_NAME_SIZE);

	if (fields.failed)
		return;
	name.len = strnlen(name.at, name.len);
	for (size_t i = 0; i < f->events.len; i++) {
		struct perf_file_event *event = f->events.items[i];

		if (event->attr.type == PERF_TYPE_TRACEPOINT && event->attr.config == config &&
			!event->name.len)
			set_name(event, name);
	}
}

static void parse_update(struct perf_file *f, struct bytes content)
{
	struct perf_fields fields = {.left = content, .swapped = f->swapped};
	uint64_t type = perf_fields_u64(&fields), id = perf_fields_u64(&fields);
	const struct perf_file_id *row = find_id(f, id);

	if (!fields.failed && type == UPDATE_NAME && row)
		set_name(f->events.items[row->event],
			(struct bytes){fields.left.at, strnlen(fields.left.at, fields.left.len)});
}

static void parse_feature(struct perf_file *f, struct bytes content)
{
	struct perf_fields fields = {.left = content, .swapped = f->swapped};
	uint64_t feature = perf_fields_u64(&fields);

	if (!fields.failed)
		perf_file_info_add_feature(&f->about, feature, fields.left, f->swapped);
}

static void skip_behind(struct perf_file *f, uint64_t size)
{
	f->at = size < f->end - f->at ? f->at + size : f->end;
}

static void parse_compressed(struct perf_file *f, uint32_t type, struct bytes content)
{
	struct perf_fields fields = {.left = content, .swapped = f->swapped};

	if (type == PERF_USER_COMPRESSED2)
		content = perf_fields_bytes(&fields, perf_fields_u64(&fields));
	if (fields.failed)
		f->misplaced++;
	else
		perf_unpack_feed(&f->unpack, content);
}

/* Process a record that is not returned, and data behind it that is not a record. */
static void take(struct perf_file *f, const struct perf_event_header *header, struct bytes record)
{
	struct bytes content = {record.at + sizeof(*header), record.len - sizeof(*header)};
	struct perf_fields fields = {.left = content, .swapped = f->swapped};

	switch (header->type) {
	case PERF_USER_ATTR:
		parse_attr(f, content);
		break;
	case PERF_USER_EVENT_TYPE:
		parse_event_type(f, content);
		break;
	case PERF_USER_BUILD_ID:
		perf_file_info_add_build_id(&f->about, record, f->swapped);
		break;
	case PERF_USER_EVENT_UPDATE:
		parse_update(f, content);
		break;
	case PERF_USER_FEATURE:
		parse_feature(f, content);
		break;
	case PERF_USER_COMPRESSED:
	case PERF_USER_COMPRESSED2:
		parse_compressed(f, header->type, content);
		break;
	case PERF_USER_TRACING_DATA:
		skip_behind(f, ((uint64_t)perf_fields_u32(&fields) + 7) & ~(uint64_t)7);
		break;
	case PERF_USER_AUXTRACE: {
		uint64_t size = perf_fields_u64(&fields);

		f->auxtraces++;
		f->auxtrace += size < f->end - f->at ? size : f->end - f->at;
		skip_behind(f, size);
		break;
	}
	default:
		f->unknown += header->type > PERF_USER_LAST;
	}
}

/* ---- Records to hand out ---- */

static bool is_for_caller(uint32_t type)
{
	return type < PERF_USER_FIRST || type == PERF_USER_FINISHED_ROUND;
}

/* Return a record that may be modified, in block `block`. */
static void hand_out(struct perf_file *f, char *record, size_t size, uint32_t block,
	struct perf_file_record *ret)
{
	const struct perf_layout none = {0};

	ret->bytes = (struct bytes){record, size};
	ret->block = block;
	if (!f->swapped) {
		ret->event = event_of(f, ret->bytes);
		return;
	}
	/* The position of the id must be known before other fields are decoded. */
	ret->event = f->events.len ? f->events.items[0] : NULL;
	if (f->events.len > 1) {
		uint64_t id = 0;

		perf_swap_header(record);
		if (perf_record_id(ret->bytes, &ret->event->layout, &id) && id)
			ret->event = perf_file_event_of(f, __builtin_bswap64(id));
		perf_swap_header(record);
	}
	perf_swap_record(record, size, ret->event ? &ret->event->layout : &none);
}

/* Return a record of the file itself: in place if it can be used there. */
static void hand_out_in_place(
	struct perf_file *f, struct bytes record, struct perf_file_record *ret)
{
	uint32_t block;
	char *copy;

	if (!f->swapped && (uintptr_t)record.at % 8 == 0) {
		*ret = (struct perf_file_record){record, event_of(f, record), 0};
		return;
	}
	copy = perf_blocks_reserve(&f->blocks, record.len, &block);
	memcpy(copy, record.at, record.len);
	hand_out(f, copy, record.len, block, ret);
}

/* Return one of the decompressed records. *ret_found: there was one. False: damaged. */
static bool next_unpacked(struct perf_file *f, struct perf_file_record *ret, bool *ret_found)
{
	struct error err; /* not cleared: this is called for every record of the file */
	struct bytes record;

	err.code = ERR_NONE;
	*ret_found = false;
	for (;;) {
		struct perf_event_header header;

		if (!perf_unpack_next(&f->unpack, &f->blocks, f->swapped, &record, &err))
			return damaged(f, f->at, "%s", err.text);
		if (!record.len)
			return true;
		header = perf_header_of(record, f->swapped);
		if (is_for_caller(header.type))
			break;
		if (header.type == PERF_USER_COMPRESSED || header.type == PERF_USER_COMPRESSED2 ||
			header.type == PERF_USER_AUXTRACE || header.type == PERF_USER_TRACING_DATA)
			return damaged(f, f->at, "a record of type %u inside of compressed records",
				header.type);
		take(f, &header, record);
	}
	hand_out(f, (char *)(uintptr_t)record.at, record.len, f->unpack.block, ret);
	*ret_found = true;
	return true;
}

static bool next_of_part(struct perf_file *f, struct perf_file_record *ret)
{
	for (;;) {
		struct perf_event_header header;
		struct bytes left;
		uint64_t start;
		bool found;

		if (!next_unpacked(f, ret, &found))
			return false;
		if (found)
			return true;
		start = f->at;
		left = (struct bytes){f->content.at + start, (size_t)(f->end - start)};
		if (!left.len)
			return f->unpack.len
				       ? damaged(f, start, "truncated inside a compressed record")
				       : false;
		if (left.len < sizeof(header))
			return damaged(f, start, "truncated inside a record");
		header = perf_header_of(left, f->swapped);
		if (header.size < sizeof(header) ||
			(header.type < PERF_USER_FIRST && header.size % 8))
			return damaged(
				f, start, "expected a record, got one of %u bytes", header.size);
		if (header.size > left.len)
			return damaged(f, start, "truncated inside a record");
		f->at += header.size;
		left.len = header.size;
		if (is_for_caller(header.type)) {
			hand_out_in_place(f, left, ret);
			return true;
		}
		take(f, &header, left);
	}
}

/* Each part is compressed by itself. */
static bool begin_part(struct perf_file *f)
{
	if (f->parts_read == f->parts.len)
		return false;
	f->at = f->parts.items[f->parts_read].start;
	f->end = f->parts.items[f->parts_read++].end;
	perf_unpack_release(&f->unpack);
	return true;
}

bool perf_file_next(struct perf_file *f, struct perf_file_record *ret)
{
	while (!next_of_part(f, ret))
		if (!begin_part(f))
			return false;
	return true;
}

void perf_file_add_parts(
	struct perf_file *f, struct bytes content, const struct input_part *parts, size_t count)
{
	f->content = content;
	for (size_t i = 0; i < count; i++)
		vector_push(&f->parts, parts[i]);
}

void perf_file_drop_blocks(struct perf_file *f, uint32_t block)
{
	if (f->unpack.block && f->unpack.block < block)
		block = f->unpack.block;
	perf_blocks_drop(&f->blocks, block);
}
