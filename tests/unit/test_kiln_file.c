/* test_kiln_file.c: is a written file read back, and is every other file refused or read safely? */
#include "test.h"

#include "base/buffer.h"
#include "model/kiln_columns.h"
#include "model/kiln_file.h"
#include "model/view.h"
#include "support/random_profile.h"

static bool to_buffer(void *context, struct bytes bytes, struct error *err)
{
	(void)err;
	buffer_add(context, bytes.at, bytes.len);
	return true;
}

static struct kiln_writer writer_to(struct buffer *b)
{
	return (struct kiln_writer){.sink = {to_buffer, b}};
}

static void write_whole(const struct profile *p, struct buffer *b)
{
	struct kiln_writer w = writer_to(b);
	struct error err = {0};

	assert_true(kiln_writer_finish(&w, p, &err));
	assert_int_equal(w.offset, b->len);
	kiln_writer_release(&w);
}

/* Read from a copy of exactly this size, so that a sanitizer notices every access outside. */
static bool read_copy(struct bytes content, struct profile *p, char **ret_copy, struct error *err)
{
	*ret_copy = memory_resize(NULL, 1, content.len);
	memcpy(*ret_copy, content.at, content.len);
	return kiln_file_read((struct bytes){*ret_copy, content.len}, NULL, p, err);
}

static void assert_profiles_equal(const struct profile *a, const struct profile *b)
{
	const char *where = NULL;

	if (!profiles_equal(a, b, &where))
		fail_msg("%s differs", where);
}

static size_t notes(const struct profile *p)
{
	size_t count = 0;

	for (size_t i = 0; i < p->meta.len; i++)
		count += bytes_equal(profile_text(p, p->meta.items[i].key), BYTES("note"));
	return count;
}

static void a_written_profile_is_read_back(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 20; seed++) {
		struct buffer file = {0};
		struct profile p, q;
		struct error err = {0};

		random_profile(&p, seed, seed * 13);
		write_whole(&p, &file);
		assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
		assert_profiles_equal(&p, &q);
		assert_true(q.stack_caller.cap == 0 && q.samples.items[0].time.cap == 0);
		profile_release(&q);
		profile_release(&p);
		buffer_release(&file);
	}
}

static void an_empty_profile_is_read(void **state)
{
	struct buffer file = {0};
	struct profile p, q;
	struct error err = {0};

	(void)state;
	profile_init(&p);
	profile_add_samples(&p);
	write_whole(&p, &file);
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	assert_profiles_equal(&p, &q);
	profile_release(&q);
	profile_release(&p);
	buffer_release(&file);
}

/* Rows added to a profile that was read are found again: its maps are built from existing rows. */
static void a_read_profile_can_grow(void **state)
{
	struct buffer file = {0};
	struct profile p, q;
	struct error err = {0};
	uint64_t again = 99, and_again = 99;

	(void)state;
	random_profile(&p, 7, 50);
	write_whole(&p, &file);
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	random_profile_grow(&p, &again, 50);
	random_profile_grow(&q, &and_again, 50);
	assert_profiles_equal(&p, &q);
	profile_release(&q);
	profile_release(&p);
	buffer_release(&file);
}

/* A file that grew in steps; *ret_ends are the sizes after each. */
static void write_in_steps(struct profile *p, struct buffer *file, size_t *ret_ends, size_t steps)
{
	struct kiln_writer w = writer_to(file);
	struct error err = {0};
	uint64_t random = 3;

	random_profile(p, 5, 10);
	for (size_t i = 0; i < steps; i++) {
		assert_true(kiln_writer_append(&w, p, &err));
		ret_ends[i] = file->len;
		random_profile_grow(p, &random, 10);
		profile_set_meta(p, BYTES("command"), i % 2 ? BYTES("odd") : BYTES("even"));
	}
	kiln_writer_release(&w);
}

static void a_killed_recorder_leaves_what_it_wrote(void **state)
{
	struct buffer file = {0};
	struct profile p, q;
	struct error err = {0};
	size_t ends[4];
	char *copy;

	(void)state;
	write_in_steps(&p, &file, ends, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(read_copy((struct bytes){file.at, ends[i]}, &q, &copy, &err));
		assert_int_equal(q.samples.items[0].count + q.samples.items[1].count, 10 + 10 * i);
		assert_int_equal(q.streams.items[0].row.delivered, q.samples.items[0].count);
		assert_int_equal(notes(&q), 2);
		profile_release(&q);
		free(copy);
	}
	profile_release(&p);
	buffer_release(&file);
}

static void names_that_come_late_are_in_the_finished_file(void **state)
{
	struct buffer file = {0};
	struct kiln_writer w = writer_to(&file);
	struct error err = {0};
	struct profile p, q;
	location_id location;
	frame_id frame;

	(void)state;
	random_profile(&p, 5, 30);
	location = profile_location(
		&p, profile_mapping(&p, &(struct mapping){.file = 1}), 0x123456789);
	assert_true(kiln_writer_append(&w, &p, &err));
	frame = profile_frame_named(&p, BYTES("late"), FRAME_NATIVE);
	profile_name_location(&p, location, &frame, 1);
	assert_true(kiln_writer_finish(&w, &p, &err));
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	assert_profiles_equal(&p, &q);
	assert_int_equal(q.location_names.items[location].count, 1);
	profile_release(&q);
	profile_release(&p);
	kiln_writer_release(&w);
	buffer_release(&file);
}

/* What a reader that comes now finds; the caller releases it, then the copy. */
static void read_now(const struct buffer *file, struct profile *ret, char **ret_copy)
{
	struct error err = {0};

	assert_true(read_copy(buffer_bytes(file), ret, ret_copy, &err));
}

static void values_that_change_are_written_again_until_they_are_settled(void **state)
{
	struct buffer file = {0};
	struct kiln_writer w = writer_to(&file);
	struct error err = {0};
	struct profile p, q;
	struct samples *table;
	int64_t *values;
	size_t size;
	char *copy;

	(void)state;
	profile_init(&p);
	profile_add_samples(&p);
	profile_add_stream(&p, 0, BYTES("off"), BYTES("ns"), BYTES(""));
	for (int i = 0; i < 3; i++) {
		profile_add_sample(&p, 0, &(struct sample){0});
		vector_push(&p.streams.items[0].value, 1);
	}
	table = &p.samples.items[0];
	values = p.streams.items[0].value.items;
	table->changing = 2;
	assert_true(kiln_writer_append(&w, &p, &err));
	size = file.len;
	assert_true(kiln_writer_append(&w, &p, &err));
	assert_int_equal(file.len, size); /* nothing has changed */
	values[1] = 20;
	values[2] = 30;
	table->changing = 0; /* for the last time */
	assert_true(kiln_writer_append(&w, &p, &err));
	read_now(&file, &q, &copy);
	assert_int_equal(q.streams.items[0].value.items[0], 1);
	assert_int_equal(q.streams.items[0].value.items[1], 20);
	assert_int_equal(q.streams.items[0].value.items[2], 30);
	profile_release(&q);
	free(copy);
	size = file.len;
	assert_true(kiln_writer_append(&w, &p, &err));
	assert_int_equal(file.len, size);
	profile_release(&p);
	kiln_writer_release(&w);
	buffer_release(&file);
}

static void names_are_awaited_and_written_once_known(void **state)
{
	struct buffer file = {0};
	struct kiln_writer w = writer_to(&file);
	struct error err = {0};
	struct profile p, q;
	location_id location;
	frame_id frame;
	char *copy;

	(void)state;
	random_profile(&p, 5, 30);
	assert_true(kiln_writer_append(&w, &p, &err));
	location = profile_location(
		&p, profile_mapping(&p, &(struct mapping){.file = 1}), 0x123456789);
	w.unnamed = 1;
	assert_true(kiln_writer_append(&w, &p, &err));
	read_now(&file, &q, &copy);
	assert_int_equal(q.location_names.items[location].count, 0);
	profile_release(&q);
	free(copy);
	frame = profile_frame_named(&p, BYTES("soon"), FRAME_NATIVE);
	profile_name_location(&p, location, &frame, 1);
	w.unnamed = 0;
	assert_true(kiln_writer_append(&w, &p, &err));
	read_now(&file, &q, &copy);
	assert_int_equal(q.location_names.items[location].count, 1);
	profile_release(&q);
	free(copy);
	profile_release(&p);
	kiln_writer_release(&w);
	buffer_release(&file);
}

static mapping_id unidentified(struct profile *p)
{
	return profile_mapping_unidentified(
		p, &(struct mapping){.file = profile_string(p, BYTES("/bin/own"))});
}

static void mappings_that_are_identified_late_are_in_the_finished_file(void **state)
{
	struct buffer file = {0};
	struct kiln_writer w = writer_to(&file);
	struct error err = {0};
	struct profile p, q;
	mapping_id rows[3];
	location_id places[3];

	(void)state;
	random_profile(&p, 5, 30);
	for (size_t i = 0; i < 3; i++) {
		rows[i] = unidentified(&p);
		places[i] = profile_location(&p, rows[i], 0x1234);
		assert_true(!i || (rows[i] != rows[i - 1] && places[i] != places[i - 1]));
	}
	assert_true(kiln_writer_append(&w, &p, &err));
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(profile_identify_mapping(&p, rows[i],
					 profile_string(&p, i ? BYTES("two") : BYTES("one"))),
			rows[i ? 1 : 0]);
	assert_true(kiln_writer_finish(&w, &p, &err));
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	assert_profiles_equal(&p, &q);
	assert_bytes_equal(profile_text(&q, q.mappings.items[rows[0]].build_id), "one");
	assert_bytes_equal(profile_text(&q, q.mappings.items[rows[1]].build_id), "two");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(q.locations.items[places[i]].mapping, rows[i ? 1 : 0]);
	profile_release(&q);
	profile_release(&p);
	kiln_writer_release(&w);
	buffer_release(&file);
}

/* The names of an inverted location are in the opposite order. */
static void inverted_locations_are_distinct(void **state)
{
	struct buffer file = {0};
	struct kiln_writer w = writer_to(&file);
	struct error err = {0};
	struct profile p, q;
	location_id place, inverted, name;
	frame_id frames[2];

	(void)state;
	profile_init(&p);
	place = profile_location(&p,
		profile_mapping(&p, &(struct mapping){.file = profile_string(&p, BYTES("f"))}), 7);
	inverted = profile_location_inverted(&p, place);
	assert_true(inverted != place);
	assert_int_equal(inverted, profile_location_inverted(&p, place));
	assert_int_equal(inverted, profile_location_inverted(&p, inverted));
	frames[0] = profile_frame_named(&p, BYTES("outer"), FRAME_NATIVE);
	frames[1] = profile_frame_named(&p, BYTES("inlined"), FRAME_INLINED);
	profile_name_location(&p, place, frames, 2);
	profile_name_location(&p, inverted, frames, 2);
	name = profile_location_named(&p, frames[0]);
	assert_int_equal(name, profile_location_inverted(&p, name)); /* it has one name */
	assert_true(kiln_writer_finish(&w, &p, &err));
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	assert_profiles_equal(&p, &q);
	assert_int_equal(inverted, profile_location_inverted(&q, place));
	assert_int_equal(q.location_frames.items[q.location_names.items[place].first], frames[0]);
	assert_int_equal(
		q.location_frames.items[q.location_names.items[inverted].first], frames[1]);
	profile_release(&q);
	profile_release(&p);
	kiln_writer_release(&w);
	buffer_release(&file);
}

/* Every prefix is refused in one line, or read up to the last step before the cut, and says so. */
static void every_truncation_is_refused_or_noted(void **state)
{
	struct buffer file = {0};
	struct profile p, q;
	size_t ends[3];

	(void)state;
	write_in_steps(&p, &file, ends, 3);
	for (size_t len = 0; len < file.len; len++) {
		struct error err = {0};
		char *copy;

		if (read_copy((struct bytes){file.at, len}, &q, &copy, &err)) {
			size_t steps = len >= ends[1] ? 2 : 1;

			assert_true(len >= ends[0]);
			assert_int_equal(
				q.samples.items[0].count + q.samples.items[1].count, 10 * steps);
			assert_int_equal(notes(&q), 2);
			profile_release(&q);
		} else {
			assert_true(len < ends[0]);
			assert_int_equal(err.code, ERR_FORMAT);
			assert_non_null(strstr(err.text, "byte "));
		}
		free(copy);
	}
	profile_release(&p);
	buffer_release(&file);
}

/* A flipped bit is always noticed. */
static void flip_all(struct buffer *file, size_t known_notes)
{
	for (size_t bit = 0; bit < file->len * 8; bit += 1 + bit % 3) {
		struct error err = {0};
		struct profile q;
		char *copy;

		file->at[bit / 8] ^= (char)(1 << bit % 8);
		if (read_copy(buffer_bytes(file), &q, &copy, &err)) {
			if (notes(&q) <= known_notes)
				fail_msg("bit %zu flipped unnoticed", bit);
			profile_release(&q);
		} else {
			assert_int_equal(err.code, ERR_FORMAT);
		}
		free(copy);
		file->at[bit / 8] ^= (char)(1 << bit % 8);
	}
}

static void every_flipped_bit_is_noticed(void **state)
{
	struct buffer file = {0};
	struct profile p;
	size_t ends[2];

	(void)state;
	random_profile(&p, 3, 4);
	write_whole(&p, &file);
	flip_all(&file, notes(&p));
	profile_release(&p);
	file.len = 0;
	write_in_steps(&p, &file, ends, 2);
	/* The unfinished file is noted as such; a flip in it must cost samples or be refused. */
	for (size_t bit = 0; bit < file.len * 8; bit += 1 + bit % 5) {
		struct error err = {0};
		struct profile q;
		char *copy;

		file.at[bit / 8] ^= (char)(1 << bit % 8);
		if (read_copy(buffer_bytes(&file), &q, &copy, &err)) {
			assert_int_equal(q.samples.items[0].count + q.samples.items[1].count, 10);
			profile_release(&q);
		}
		free(copy);
		file.at[bit / 8] ^= (char)(1 << bit % 8);
	}
	profile_release(&p);
	buffer_release(&file);
}

static size_t file_sections(const struct buffer *file, struct kiln_section *ret, size_t room)
{
	size_t count = 0, at = sizeof(struct kiln_header);

	while (at < file->len && count < room) {
		memcpy(&ret[count], file->at + at, sizeof(*ret));
		at += sizeof(*ret) + ((ret[count].size + KILN_ALIGN - 1) & ~(KILN_ALIGN - 1));
		count++;
	}
	return count;
}

/* Recompute the checksums of a changed section header and of its payload. */
static void reseal(struct buffer *file, struct kiln_section *s)
{
	s->payload_checksum =
		kiln_checksum((struct bytes){file->at + s->offset + sizeof(*s), (size_t)s->size});
	s->checksum = hash_bytes(s, offsetof(struct kiln_section, checksum));
	memcpy(file->at + s->offset, s, sizeof(*s));
}

/* Cut a finished file behind its commit: then headers can be changed without an index. */
static struct kiln_section *without_index(struct buffer *file, size_t *ret_count)
{
	struct kiln_section *sections = memory_new(200, sizeof(*sections));
	size_t count = file_sections(file, sections, 200);

	assert_in_range(count, 10, 199);
	file->len = sections[count - 2].offset;
	*ret_count = count - 2;
	return sections;
}

static void unknown_sections_are_skipped(void **state)
{
	struct buffer file = {0};
	struct profile p, q;
	struct kiln_section *sections;
	struct error err = {0};
	size_t count, skipped = 0;

	(void)state;
	random_profile(&p, 11, 30);
	write_whole(&p, &file);
	sections = without_index(&file, &count);
	for (size_t i = 0; i < count; i++) {
		if (sections[i].table != TABLE_META && sections[i].table != TABLE_LOSSES)
			continue;
		sections[i].table = (uint16_t)(sections[i].table + 1000);
		sections[i].item_size = 3; /* an unknown section may have any size */
		reseal(&file, &sections[i]);
		skipped++;
	}
	assert_int_equal(skipped, 2);
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	assert_int_equal(q.losses.len, 0);
	assert_int_equal(q.meta.len, 1); /* that it has no index */
	assert_int_equal(q.stack_caller.len, p.stack_caller.len);
	profile_release(&q);
	profile_release(&p);
	free(sections);
	buffer_release(&file);
}

/* Set every word of every column that refers to rows to a row that does not exist: each file is
 * refused. The checksums are right, so only this check keeps a hostile file from using wild
 * indices. */
static void ids_out_of_range_are_refused(void **state)
{
	struct buffer file = {0};
	struct profile p;
	struct kiln_section *sections;
	size_t count, refused = 0;

	(void)state;
	random_profile(&p, 11, 30);
	write_whole(&p, &file);
	sections = without_index(&file, &count);
	for (size_t i = 0; i < count; i++) {
		size_t known = kiln_column_find(sections[i].table, sections[i].column);
		char *payload = file.at + sections[i].offset + sizeof(*sections);
		struct kiln_section sealed = sections[i];

		for (size_t k = 0; known != SIZE_MAX && k < KILN_REFERENCES; k++) {
			const struct kiln_reference *ref = &kiln_columns[known].references[k];
			size_t row = sections[i].rows / 2;
			char *at = payload + row * sections[i].item_size + ref->offset;
			struct error err = {0};
			struct profile q;
			uint32_t was;

			if (!ref->rule)
				continue;
			if (ref->rule == REFERENCE_TIME)
				at += sizeof(was); /* its upper half */
			memcpy(&was, at, sizeof(was));
			memcpy(at, &(uint32_t){UINT32_MAX}, sizeof(was));
			reseal(&file, &sealed);
			assert_false(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
			assert_non_null(strstr(err.text, kiln_columns[known].name));
			memcpy(at, &was, sizeof(was));
			reseal(&file, &sections[i]);
			refused++;
		}
	}
	assert_in_range(refused, 25, 40);
	profile_release(&p);
	free(sections);
	buffer_release(&file);
}

/* From each section on, make all sections unknown: a table that lacks a necessary column is
 * refused; other columns may be missing. */
static void missing_columns_are_refused_or_optional(void **state)
{
	struct buffer file = {0};
	struct profile p;
	struct kiln_section *sections;
	size_t count, optional = 0;

	(void)state;
	random_profile(&p, 11, 30);
	write_whole(&p, &file);
	sections = without_index(&file, &count);
	for (size_t from = 0; from + 1 < count; from++) {
		struct error err = {0};
		struct profile q;

		for (size_t i = from; i + 1 < count; i++) {
			struct kiln_section s = sections[i];

			s.table = 1000;
			reseal(&file, &s);
		}
		if (kiln_file_read(buffer_bytes(&file), NULL, &q, &err)) {
			assert_int_equal(q.locations.len, q.location_names.len);
			assert_int_equal(q.stack_caller.len, q.stack_location.len);
			optional++;
			profile_release(&q);
		}
		for (size_t i = from; i + 1 < count; i++)
			reseal(&file, &sections[i]);
	}
	/* All but locations without names, names without frames and stacks without locations. */
	assert_int_equal(optional, count - 1 - 3);
	profile_release(&p);
	free(sections);
	buffer_release(&file);
}

/* A file of another program may have equal strings, frames or stacks several times: they count as
 * one. */
static void repeated_rows_are_one(void **state)
{
	struct buffer file = {0};
	struct error err = {0};
	struct profile p, q;
	struct frame frame = {0};
	struct view v;

	(void)state;
	profile_init(&p);
	profile_add_samples(&p);
	profile_add_stream(&p, 0, BYTES("samples"), BYTES("count"), BYTES(""));
	for (int i = 0; i < 2; i++) {
		vector_push(&p.string_bytes, 'f');
		vector_push(&p.string_ends, p.string_bytes.len);
	}
	for (uint32_t i = 1; i <= 4; i++) { /* 1 and 2, and 3 and 4, are the same row */
		frame.function = (string_id)p.string_ends.len - 2 + (i - 1) / 2;
		vector_push(&p.frames, frame);
		vector_push(&p.location_names, ((struct span){i - 1, 1}));
		vector_push(&p.location_frames, i);
		vector_push(&p.locations, ((struct location){.address = i}));
	}
	for (uint32_t i = 1; i <= 8; i++) { /* f of every row twice, and f in them */
		vector_push(&p.stack_caller, i <= 4 ? 0 : i - 4);
		vector_push(&p.stack_location, (i - 1) % 4 + 1);
		profile_add_sample(&p, 0, &(struct sample){.stack = i});
	}
	p.may_have_duplicates = true;
	write_whole(&p, &file);
	assert_true(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	for (enum projection by = BY_FUNCTION; by <= BY_LINE; by++) {
		view_init(&v, &q, by);
		assert_int_equal(v.tree.caller.len, 3); /* the root, f, and f in f */
		assert_int_equal(v.tree.caller.items[2], 1);
		view_release(&v);
	}
	profile_release(&q);
	profile_release(&p);
	buffer_release(&file);
}

/* `count` stacks, each called by the one before, of places with `names` frames. */
static void chain(struct profile *p, uint32_t count, uint32_t names)
{
	frame_id frame;
	location_id location;

	profile_init(p);
	frame = profile_frame_named(p, BYTES("f"), FRAME_NATIVE);
	location = profile_location_named(p, frame);
	p->location_names.items[location] = (struct span){0, names};
	while (p->location_frames.len < names)
		vector_push(&p->location_frames, frame);
	for (uint32_t i = 0; i < count; i++)
		profile_add_stack(p, i, location);
	profile_add_samples(p);
	profile_add_stream(p, 0, BYTES("samples"), BYTES("count"), BYTES(""));
	profile_add_sample(p, 0, &(struct sample){.stack = count});
}

static void assert_refused(struct profile *p, enum error_code code, const char *why)
{
	struct buffer file = {0};
	struct error err = {0};
	struct profile q;

	write_whole(p, &file);
	assert_false(kiln_file_read(buffer_bytes(&file), NULL, &q, &err));
	if (err.code != code || !strstr(err.text, why))
		fail_msg("%s", err.text);
	buffer_release(&file);
	profile_release(p);
}

static void assert_taken(struct profile *p)
{
	struct buffer file = {0};
	struct error err = {0};
	struct profile q;

	write_whole(p, &file);
	if (!kiln_file_read(buffer_bytes(&file), NULL, &q, &err))
		fail_msg("%s", err.text);
	profile_release(&q);
	buffer_release(&file);
	profile_release(p);
}

/* The limit counts frames, whether locations have one name or several. A longer list of names at a
 * location that no stack has does not count. */
static void the_deepest_stack_that_is_read(void **state)
{
	struct profile p;

	(void)state;
	for (uint32_t below = 0; below < 3; below++) {
		chain(&p, PROFILE_DEPTH_LIMIT - below, 1);
		assert_taken(&p);
	}
	chain(&p, PROFILE_DEPTH_LIMIT / 256, 256);
	assert_taken(&p);
	chain(&p, PROFILE_DEPTH_LIMIT / 256 + 1, 256);
	assert_refused(&p, ERR_LIMIT, "a stack of more than 65536 frames");
	chain(&p, PROFILE_DEPTH_LIMIT, 1);
	profile_location_named(&p, profile_frame_named(&p, BYTES("g"), FRAME_NATIVE));
	p.location_names.items[p.location_names.len - 1] = (struct span){0, 2};
	vector_push(&p.location_frames, 1);
	assert_taken(&p);
}

/* A few rows can expand to a large tree: the size is computed before the memory is allocated. */
static void the_expansion_of_rows_is_limited(void **state)
{
	struct profile p;

	(void)state;
	chain(&p, PROFILE_DEPTH_LIMIT + 1, 1);
	assert_refused(&p, ERR_LIMIT, "a stack of more than 65536 frames");
	chain(&p, 300, 300);
	assert_refused(&p, ERR_LIMIT, "a stack of more than 65536 frames");
	/* Side by side: 2,000 times 20,000 nodes. */
	chain(&p, 2000, 20000);
	memset(p.stack_caller.items, 0, p.stack_caller.len * sizeof(*p.stack_caller.items));
	assert_refused(&p, ERR_LIMIT, "the tree of its stacks: more than 1024 MB");
	chain(&p, 1, 1);
	vector_reserve(&p.string_bytes, PROFILE_STRING_LIMIT + 1);
	memset(p.string_bytes.items + p.string_bytes.len, 'x', PROFILE_STRING_LIMIT + 1);
	p.string_bytes.len += PROFILE_STRING_LIMIT + 1;
	vector_push(&p.string_ends, p.string_bytes.len);
	assert_refused(&p, ERR_LIMIT, "a name of 1048577 bytes");
	chain(&p, 1, 1);
	for (label_set_id parent = 0; parent <= PROFILE_LABELS_LIMIT; parent++)
		vector_push(&p.label_sets, ((struct label_set){parent, 1, 1}));
	assert_refused(&p, ERR_LIMIT, "more than 1024 labels");
}

/* Numbers that are added up must be in a range in which no sum overflows. */
static void numbers_out_of_range_are_refused(void **state)
{
	struct profile p;

	(void)state;
	chain(&p, 1, 1);
	vector_push(&p.samples.items[0].time, UINT64_MAX);
	assert_refused(&p, ERR_FORMAT, "samples.time: row 0 is not a valid time");
	chain(&p, 1, 1);
	p.streams.items[0].row.delivered = UINT64_MAX;
	assert_refused(&p, ERR_FORMAT, "delivered is out of range");
	chain(&p, 1, 1);
	p.streams.items[0].row.wall_offset = INT64_MAX;
	assert_refused(&p, ERR_FORMAT, "wall_offset is out of range");
	chain(&p, 1, 1);
	p.streams.items[0].row.side = 3;
	assert_refused(&p, ERR_FORMAT, "side is out of range");
	chain(&p, 1, 1);
	profile_add_loss(&p, 0, BYTES("ring full"), UINT64_MAX);
	assert_refused(&p, ERR_FORMAT, "losses: row 0: count is out of range");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_written_profile_is_read_back),
		cmocka_unit_test(an_empty_profile_is_read),
		cmocka_unit_test(a_read_profile_can_grow),
		cmocka_unit_test(a_killed_recorder_leaves_what_it_wrote),
		cmocka_unit_test(names_that_come_late_are_in_the_finished_file),
		cmocka_unit_test(values_that_change_are_written_again_until_they_are_settled),
		cmocka_unit_test(names_are_awaited_and_written_once_known),
		cmocka_unit_test(mappings_that_are_identified_late_are_in_the_finished_file),
		cmocka_unit_test(inverted_locations_are_distinct),
		cmocka_unit_test(every_truncation_is_refused_or_noted),
		cmocka_unit_test(every_flipped_bit_is_noticed),
		cmocka_unit_test(unknown_sections_are_skipped),
		cmocka_unit_test(ids_out_of_range_are_refused),
		cmocka_unit_test(missing_columns_are_refused_or_optional),
		cmocka_unit_test(repeated_rows_are_one),
		cmocka_unit_test(the_deepest_stack_that_is_read),
		cmocka_unit_test(the_expansion_of_rows_is_limited),
		cmocka_unit_test(numbers_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
