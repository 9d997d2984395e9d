/* profile.c: how do contents become rows of tables, each once?
 *
 * Each table has a map from the hash of a row to its id (base/hash.h). A profile that is mapped
 * from a file has no maps; the first row that is added to a table makes its map, so that opening
 * a file costs nothing for them (profile_internal.h). */
#include "model/profile.h"

#include "base/buffer.h"
#include "base/expansion.h"
#include "model/profile_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(sizeof(struct frame) == 20, "rows are written to files as they are");
static_assert(sizeof(struct mapping) == 24, "rows are written to files as they are");
static_assert(sizeof(struct location) == 16, "rows are written to files as they are");
static_assert(sizeof(struct span) == 8, "rows are written to files as they are");
static_assert(sizeof(struct process) == 8, "rows are written to files as they are");
static_assert(sizeof(struct thread) == 12, "rows are written to files as they are");
static_assert(sizeof(struct label_set) == 12, "rows are written to files as they are");
static_assert(sizeof(struct stream_row) == 64, "rows are written to files as they are");
static_assert(sizeof(struct loss) == 16, "rows are written to files as they are");

void profile_init(struct profile *p)
{
	*p = (struct profile){0};
	vector_push(&p->string_ends, 0);
	vector_push(&p->frames, (struct frame){0});
	vector_push(&p->mappings, (struct mapping){0});
	vector_push(&p->locations, (struct location){0});
	vector_push(&p->location_names, (struct span){0});
	vector_push(&p->stack_caller, 0);
	vector_push(&p->stack_location, 0);
	vector_push(&p->processes, ((struct process){.pid = -1}));
	vector_push(&p->threads, ((struct thread){.tid = -1}));
	vector_push(&p->label_sets, (struct label_set){0});
}

static void samples_release(struct samples *s)
{
	vector_release(&s->stack);
	vector_release(&s->thread);
	vector_release(&s->time);
	vector_release(&s->duration);
	vector_release(&s->cpu);
	vector_release(&s->labels);
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->samples.len; i++)
		samples_release(&p->samples.items[i]);
	for (size_t i = 0; i < p->streams.len; i++)
		vector_release(&p->streams.items[i].value);
	vector_release(&p->samples);
	vector_release(&p->streams);
	vector_release(&p->string_bytes);
	vector_release(&p->string_ends);
	vector_release(&p->frames);
	vector_release(&p->mappings);
	vector_release(&p->locations);
	vector_release(&p->location_names);
	vector_release(&p->location_frames);
	vector_release(&p->stack_caller);
	vector_release(&p->stack_location);
	vector_release(&p->processes);
	vector_release(&p->threads);
	vector_release(&p->label_sets);
	vector_release(&p->meta);
	vector_release(&p->losses);
	id_map_release(&p->by_string);
	id_map_release(&p->by_frame);
	id_map_release(&p->by_mapping);
	id_map_release(&p->by_location);
	vector_release(&p->frame_of_name);
	vector_release(&p->location_of_frame);
	callees_release(&p->callees);
	id_map_release(&p->by_process);
	id_map_release(&p->by_thread);
	id_map_release(&p->by_label_set);
	if (p->release_borrowed)
		p->release_borrowed(p->borrowed);
	*p = (struct profile){0};
}

void profile_borrow(struct profile *p, void *from, void (*release)(void *from))
{
	if (p->borrowed) {
		release(from);
		return;
	}
	p->borrowed = from;
	p->release_borrowed = release;
}

static void rows_enter(struct id_map *m, const void *rows, size_t count, size_t size)
{
	const char *items = rows;

	if (rows_unindexed(m, count))
		for (uint32_t id = 1; id < count; id++)
			id_map_insert(m, hash_bytes(items + id * size, size), id);
}

/* The id of `row` in a table whose rows are compared bytewise, or 0. Then *ret_hash and *ret_at
 * say where it belongs in the map. */
static uint32_t row_find(struct id_map *m, const void *rows, const void *row, size_t size,
	uint64_t *ret_hash, size_t *ret_at)
{
	const char *items = rows;
	uint32_t id;

	*ret_hash = hash_bytes(row, size);
	*ret_at = id_map_first(m, *ret_hash);
	while ((id = id_map_candidate(m, *ret_hash, ret_at)))
		if (!memcmp(items + id * size, row, size))
			return id;
	return 0;
}

/* Set `id` to the id of *row in a table of the profile whose rows are all in the map. A new row
 * is added; 0: no room for it. */
#define FIND_OR_ADD_ENTERED(id, p, table, map, row)                                                \
	do {                                                                                       \
		uint64_t hash;                                                                     \
		size_t at;                                                                         \
                                                                                                   \
		(id) = row_find(&(p)->map, (p)->table.items, (row), sizeof(*(row)), &hash, &at);   \
		if (!(id) && rows_have_room((p), (p)->table.len)) {                                \
			(id) = (uint32_t)(p)->table.len;                                           \
			vector_push(&(p)->table, *(row));                                          \
			id_map_insert_at(&(p)->map, hash, at, (id));                               \
		}                                                                                  \
	} while (0)

#define FIND_OR_ADD(id, p, table, map, row)                                                        \
	do {                                                                                       \
		rows_enter(&(p)->map, (p)->table.items, (p)->table.len, sizeof(*(row)));           \
		FIND_OR_ADD_ENTERED(id, p, table, map, row);                                       \
	} while (0)

/* ---- Frames, mappings, locations ---- */

/* Arrays of ids, indexed by the ids of another table. */
static uint32_t id_table_at(const uint32_t *ids, size_t len, uint32_t key)
{
	return key < len ? ids[key] : 0;
}

#define ID_AT(table, key) id_table_at((table)->items, (table)->len, (key))

#define ID_SET(table, key, id)                                                                     \
	do {                                                                                       \
		if ((key) >= (table)->len) {                                                       \
			size_t more = (size_t)(key) + 1 - (table)->len;                            \
                                                                                                   \
			vector_reserve((table), more);                                             \
			memset((table)->items + (table)->len, 0, more * sizeof(uint32_t));         \
			(table)->len += more;                                                      \
		}                                                                                  \
		(table)->items[key] = (id);                                                        \
	} while (0)

static void frames_enter(struct profile *p)
{
	if (p->by_frame.slots || p->frame_of_name.len)
		return;
	for (uint32_t id = 1; id < p->frames.len; id++) {
		const struct frame *f = &p->frames.items[id];

		if (!frame_is_name(f))
			id_map_insert(&p->by_frame, hash_bytes(f, sizeof(*f)), id);
		else if (!ID_AT(&p->frame_of_name, f->function))
			ID_SET(&p->frame_of_name, f->function, id);
	}
}

frame_id profile_frame(struct profile *p, const struct frame *frame)
{
	frame_id id;

	frames_enter(p);
	if (!frame_is_name(frame)) {
		FIND_OR_ADD_ENTERED(id, p, frames, by_frame, frame);
		return id;
	}
	id = ID_AT(&p->frame_of_name, frame->function);
	if (id || !rows_have_room(p, p->frames.len))
		return id;
	id = (frame_id)p->frames.len;
	vector_push(&p->frames, *frame);
	ID_SET(&p->frame_of_name, frame->function, id);
	return id;
}

frame_id profile_frame_named(struct profile *p, struct bytes function, enum frame_kind kind)
{
	struct frame frame = {.function = profile_string(p, function), .kind = kind};

	return profile_frame(p, &frame);
}

mapping_id profile_mapping(struct profile *p, const struct mapping *mapping)
{
	mapping_id id;

	FIND_OR_ADD(id, p, mappings, by_mapping, mapping);
	return id;
}

mapping_id profile_mapping_unidentified(struct profile *p, const struct mapping *mapping)
{
	/* Make the map before the new row is added: the row must not be found. */
	rows_enter(&p->by_mapping, p->mappings.items, p->mappings.len, sizeof(*mapping));
	if (!p->by_mapping.slots)
		id_map_grow(&p->by_mapping);
	if (!rows_have_room(p, p->mappings.len))
		return 0;
	vector_push(&p->mappings, *mapping);
	return (mapping_id)p->mappings.len - 1;
}

mapping_id profile_identify_mapping(struct profile *p, mapping_id mapping, string_id build_id)
{
	struct mapping *row = &p->mappings.items[mapping];
	mapping_id same;
	uint64_t hash;
	size_t at;

	p->rows_changed = true;
	row->build_id = build_id;
	rows_enter(&p->by_mapping, p->mappings.items, p->mappings.len, sizeof(*row));
	same = row_find(&p->by_mapping, p->mappings.items, row, sizeof(*row), &hash, &at);
	if (!same) {
		id_map_insert_at(&p->by_mapping, hash, at, mapping);
		return mapping;
	}
	for (size_t i = 0; i < p->locations.len; i++)
		if (p->locations.items[i].mapping == mapping)
			p->locations.items[i].mapping = same;
	return same;
}

/* A location that has only a name has no mapping. Its address is the frame's id, which makes
 * such locations different from one another and is never shown. */
static bool is_named_only(const struct location *l)
{
	return l->mapping == 0;
}

static location_id location_push(
	struct profile *p, const struct location *location, struct span names)
{
	location_id id = (location_id)p->locations.len;

	vector_push(&p->locations, *location);
	vector_push(&p->location_names, names);
	return id;
}

static uint64_t hash_location(const struct location *l)
{
	return hash_pair(l->mapping | (uint64_t)l->inverted << 32, l->address);
}

static void locations_enter(struct profile *p)
{
	if (p->by_location.slots || p->location_of_frame.len)
		return;
	for (uint32_t id = 1; id < p->locations.len; id++) {
		const struct location *l = &p->locations.items[id];
		frame_id frame = (frame_id)l->address;

		if (!is_named_only(l))
			id_map_insert(&p->by_location, hash_location(l), id);
		else if (l->address < p->frames.len && !ID_AT(&p->location_of_frame, frame))
			ID_SET(&p->location_of_frame, frame, id);
	}
}

static location_id location_of(struct profile *p, const struct location *key)
{
	uint64_t hash = hash_location(key);
	size_t at;
	location_id id;

	locations_enter(p);
	at = id_map_first(&p->by_location, hash);
	while ((id = id_map_candidate(&p->by_location, hash, &at)))
		if (p->locations.items[id].address == key->address &&
			p->locations.items[id].mapping == key->mapping &&
			p->locations.items[id].inverted == key->inverted)
			return id;
	if (!rows_have_room(p, p->locations.len))
		return 0;
	id = location_push(p, key, (struct span){0});
	id_map_insert_at(&p->by_location, hash, at, id);
	return id;
}

location_id profile_location(struct profile *p, mapping_id mapping, uint64_t address)
{
	assert(mapping);
	return location_of(p, &(struct location){.address = address, .mapping = mapping});
}

location_id profile_location_inverted(struct profile *p, location_id location)
{
	struct location inverted = p->locations.items[location];

	inverted.inverted = 1;
	return is_named_only(&inverted) ? location : location_of(p, &inverted);
}

location_id profile_location_named(struct profile *p, frame_id frame)
{
	const struct location named = {.address = frame};
	location_id id;

	locations_enter(p);
	id = ID_AT(&p->location_of_frame, frame);
	if (id || !rows_have_room(p, p->locations.len) ||
		!rows_have_room(p, p->location_frames.len))
		return id;
	id = location_push(p, &named, (struct span){(uint32_t)p->location_frames.len, 1});
	vector_push(&p->location_frames, frame);
	ID_SET(&p->location_of_frame, frame, id);
	return id;
}

void profile_name_location(
	struct profile *p, location_id location, const frame_id *frames, size_t count)
{
	struct span names = {(uint32_t)p->location_frames.len, (uint32_t)count};

	if (!rows_have_room(p, p->location_frames.len + count))
		return;
	for (size_t i = 0; i < count; i++)
		vector_push(&p->location_frames,
			frames[p->locations.items[location].inverted ? count - 1 - i : i]);
	vector_reserve(&p->location_names, 0);
	if (!p->location_names.cap) /* borrowed: copy before writing */
		p->location_names.items =
			vector_grow(p->location_names.items, p->location_names.len,
				&p->location_names.cap, 1, sizeof(*p->location_names.items));
	p->location_names.items[location] = names;
}

/* ---- Stacks ---- */

void profile_reserve_stacks(struct profile *p, size_t count)
{
	vector_reserve(&p->stack_caller, count);
	vector_reserve(&p->stack_location, count);
	vector_reserve(&p->callees.links, count);
}

stack_id profile_add_stack(struct profile *p, stack_id caller, location_id location)
{
	stack_id id = (stack_id)p->stack_caller.len;

	if (!rows_have_room(p, id))
		return 0;
	vector_push(&p->stack_caller, caller);
	vector_push(&p->stack_location, location);
	return id;
}

/* Stacks that were added since the last search are indexed first. The stack added last cannot have
 * callees yet, so no search is needed below it; this saves most searches in trees that are listed
 * line by line. */
stack_id profile_stack(struct profile *p, stack_id caller, location_id location)
{
	stack_id id;

	if (caller + 1 == p->stack_caller.len)
		return profile_add_stack(p, caller, location);
	profile_index_stacks(p);
	id = profile_find_stack(p, caller, location);
	return id ? id : profile_add_stack(p, caller, location);
}

/* ---- Processes, threads, labels ---- */

process_id profile_process(struct profile *p, int32_t pid, string_id name)
{
	struct process row = {pid, name};
	process_id id;

	FIND_OR_ADD(id, p, processes, by_process, &row);
	return id;
}

thread_id profile_thread(struct profile *p, process_id process, int32_t tid, string_id name)
{
	struct thread row = {process, tid, name};
	thread_id id;

	FIND_OR_ADD(id, p, threads, by_thread, &row);
	return id;
}

label_set_id profile_label(struct profile *p, label_set_id parent, string_id key, string_id value)
{
	struct label_set row = {parent, key, value};
	label_set_id id;

	FIND_OR_ADD(id, p, label_sets, by_label_set, &row);
	return id;
}

/* ---- Samples and streams ---- */

uint32_t profile_add_samples(struct profile *p)
{
	vector_push(&p->samples, (struct samples){0});
	return (uint32_t)(p->samples.len - 1);
}

uint32_t profile_add_stream(struct profile *p, uint32_t samples, struct bytes kind,
	struct bytes unit, struct bytes event)
{
	struct stream stream = {
		.row =
			{
				.kind = profile_string(p, kind),
				.unit = profile_string(p, unit),
				.event = profile_string(p, event),
				.samples = samples,
				.fixed_value = 1,
				.wall_offset = INT64_MIN,
			},
	};

	vector_push(&p->streams, stream);
	return (uint32_t)(p->streams.len - 1);
}

size_t profile_add_sample(struct profile *p, uint32_t samples, const struct sample *sample)
{
	struct samples *s = &p->samples.items[samples];

	vector_push(&s->stack, sample->stack);
	if (sample->has & SAMPLE_THREAD)
		vector_push(&s->thread, sample->thread);
	if (sample->has & SAMPLE_TIME)
		vector_push(&s->time, sample->time);
	if (sample->has & SAMPLE_DURATION)
		vector_push(&s->duration, sample->duration);
	if (sample->has & SAMPLE_CPU)
		vector_push(&s->cpu, sample->cpu);
	if (sample->has & SAMPLE_LABELS)
		vector_push(&s->labels, sample->labels);
	return s->count++;
}

void profile_reserve_rows(struct profile *p, uint32_t samples, unsigned has, size_t count)
{
	struct samples *s = &p->samples.items[samples];

	vector_reserve(&s->stack, count);
	if (has & SAMPLE_THREAD)
		vector_reserve(&s->thread, count);
	if (has & SAMPLE_TIME)
		vector_reserve(&s->time, count);
	if (has & SAMPLE_DURATION)
		vector_reserve(&s->duration, count);
	if (has & SAMPLE_CPU)
		vector_reserve(&s->cpu, count);
	if (has & SAMPLE_LABELS)
		vector_reserve(&s->labels, count);
}

#define COLUMN_ADD(column, rows, field, count)                                                     \
	do {                                                                                       \
		for (size_t i = 0; i < (count); i++)                                               \
			(column)->items[(column)->len + i] = (rows)[i].field;                      \
		(column)->len += (count);                                                          \
	} while (0)

void profile_add_rows(struct profile *p, uint32_t samples, const struct sample *rows, size_t count)
{
	struct samples *s = &p->samples.items[samples];
	unsigned has = count ? rows->has : 0;

	profile_reserve_rows(p, samples, has, count);
	COLUMN_ADD(&s->stack, rows, stack, count);
	if (has & SAMPLE_THREAD)
		COLUMN_ADD(&s->thread, rows, thread, count);
	if (has & SAMPLE_TIME)
		COLUMN_ADD(&s->time, rows, time, count);
	if (has & SAMPLE_DURATION)
		COLUMN_ADD(&s->duration, rows, duration, count);
	if (has & SAMPLE_CPU)
		COLUMN_ADD(&s->cpu, rows, cpu, count);
	if (has & SAMPLE_LABELS)
		COLUMN_ADD(&s->labels, rows, labels, count);
	s->count += count;
}

void profile_add_loss(struct profile *p, uint32_t stream, struct bytes reason, uint64_t count)
{
	string_id name = profile_string(p, reason);

	for (size_t i = 0; i < p->losses.len; i++) {
		struct loss *l = &p->losses.items[i];

		if (l->stream == stream && l->reason == name && p->losses.cap) {
			l->count += count;
			return;
		}
	}
	if (count)
		vector_push(&p->losses, ((struct loss){stream, name, count}));
}

bool profile_check_rows(const struct profile *p, struct error *err)
{
	if (!p->full)
		return true;
	if (p->limit && p->limit / PROFILE_ROW_COST < PROFILE_ROWS_LIMIT)
		return expansion_error("its tables in memory", p->limit, err);
	return error_set(
		err, ERR_LIMIT, "more than %u different rows in one table", PROFILE_ROWS_LIMIT);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Add the magnitudes of a stream's values to *sum; false beyond INT64_MAX. */
static bool values_add(const struct stream *s, size_t samples, uint64_t *sum)
{
	uint64_t all;

	if (!s->value.len)
		return !__builtin_mul_overflow(magnitude(s->row.fixed_value), samples, &all) &&
		       !__builtin_add_overflow(*sum, all, sum) && *sum <= INT64_MAX;
	for (size_t i = 0; i < s->value.len; i++) {
		*sum += magnitude(s->value.items[i]); /* at most 2^63 - 1 + 2^63 */
		if (*sum > INT64_MAX)
			return false;
	}
	return true;
}

bool profile_check_samples(const struct profile *p, struct error *err)
{
	bool *counted = memory_new(p->samples.len, sizeof(*counted));
	size_t table = 0;

	for (size_t i = 0; i < p->streams.len; i++)
		counted[p->streams.items[i].row.samples] = true;
	while (table < p->samples.len && (counted[table] || !p->samples.items[table].count))
		table++;
	memory_free(counted);
	return table == p->samples.len ||
	       error_set(err, ERR_FORMAT, "samples table %zu: no stream has values for its samples",
		       table);
}

bool profile_check_values(const struct profile *p, struct error *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->streams.len; i++) {
		const struct stream *s = &p->streams.items[i];

		if (!values_add(s, p->samples.items[s->row.samples].count, &sum))
			return error_set(err, ERR_LIMIT,
				"the values of stream %zu add up to more than %lld", i,
				(long long)INT64_MAX);
	}
	return true;
}

uint64_t profile_lost(const struct profile *p, uint32_t stream)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->losses.len; i++)
		if (p->losses.items[i].stream == stream)
			sum += p->losses.items[i].count;
	return sum;
}

/* ---- Meta ---- */

struct bytes profile_meta(const struct profile *p, struct bytes key)
{
	for (size_t i = 0; i < p->meta.len; i++)
		if (bytes_equal(profile_text(p, p->meta.items[i].key), key))
			return profile_text(p, p->meta.items[i].value);
	return (struct bytes){"", 0};
}

void profile_set_meta(struct profile *p, struct bytes key, struct bytes value)
{
	struct meta row = {profile_string(p, key), profile_string(p, value)};

	for (size_t i = 0; i < p->meta.len; i++) {
		if (p->meta.items[i].key != row.key)
			continue;
		vector_push(&p->meta, row); /* a borrowed vector becomes the profile's own here */
		p->meta.items[i] = row;
		p->meta.len--;
		return;
	}
	vector_push(&p->meta, row);
}

void profile_note(struct profile *p, const char *fmt, ...)
{
	struct buffer text = {0};
	va_list args;

	va_start(args, fmt);
	buffer_format(&text, fmt, args);
	va_end(args);
	vector_push(&p->meta, ((struct meta){profile_string(p, BYTES("note")),
				      profile_string(p, buffer_bytes(&text))}));
	buffer_release(&text);
}

const char *frame_kind_name(enum frame_kind kind)
{
	static const char *const names[] = {"native", "kernel", "jit", "interpreted", "inlined",
		"idle", "guest", "meta", "baseline", "waiting"};

	return kind < FRAME_KINDS ? names[kind] : "unknown";
}

struct bytes mapping_module(const struct profile *p, const struct mapping *mapping)
{
	switch (mapping->kind) {
	case MAPPING_KERNEL:
		return BYTES("[kernel]");
	case MAPPING_JIT:
		return BYTES("[jit]");
	default:
		return bytes_base_name(profile_text(p, mapping->file));
	}
}

string_id mapping_module_string(struct profile *p, const struct mapping *mapping)
{
	struct bytes module = mapping_module(p, mapping);
	char *copy =
		memory_copy_text(module.at, module.len); /* the text moves when the table grows */
	string_id id = profile_string(p, (struct bytes){copy, module.len});

	memory_free(copy);
	return id;
}

enum frame_kind mapping_frame_kind(const struct mapping *mapping)
{
	switch (mapping->kind) {
	case MAPPING_KERNEL:
	case MAPPING_MODULE:
		return FRAME_KERNEL;
	case MAPPING_JIT:
		return FRAME_JIT;
	default:
		return FRAME_NATIVE;
	}
}
