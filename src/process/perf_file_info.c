/* perf_file_info.c: what does a perf.data file say about itself and the machine it was made on? */
#include "process/perf_file_info.h"

#include <stdlib.h>

#define ARGUMENTS_LIMIT	 65536u	    /* of the command */
#define BUILD_ID_IN_FILE 24u	    /* bytes reserved for a build id: 20, its size, padding */
#define BUILD_ID_SIZED	 (1u << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE: the size is given */
#define BUILD_ID_MD5	 16u

void perf_file_info_release(struct perf_file_info *a)
{
	vector_release(&a->build_ids);
	vector_release(&a->names);
	arena_release(&a->text);
	*a = (struct perf_file_info){0};
}

static struct bytes keep(struct perf_file_info *a, struct bytes text)
{
	return (struct bytes){arena_copy(&a->text, text.at, text.len), text.len};
}

static void read_text(struct perf_file_info *a, struct perf_fields *f, struct bytes *ret)
{
	struct bytes text = perf_fields_text(f);

	if (!f->failed)
		*ret = keep(a, text);
}

/* ---- The command ---- */

static bool needs_quotes(struct bytes word)
{
	for (size_t i = 0; i < word.len; i++)
		if (strchr(" \t\n'\"\\$`;&|<>()*?[]#~", word.at[i]))
			return true;
	return !word.len;
}

/* Append a word, quoted for a shell if necessary. */
static void add_word(struct buffer *command, struct bytes word)
{
	if (command->len)
		buffer_char(command, ' ');
	if (!needs_quotes(word)) {
		buffer_add(command, word.at, word.len);
		return;
	}
	buffer_char(command, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.at[i] == '\'')
			buffer_text(command, "'\\'");
		buffer_char(command, word.at[i]);
	}
	buffer_char(command, '\'');
}

static void read_command(struct perf_file_info *a, struct perf_fields *f)
{
	uint32_t count = perf_fields_u32(f);
	struct buffer command = {0};

	for (uint32_t i = 0; i < count && i < ARGUMENTS_LIMIT && !f->failed; i++) {
		struct bytes word = perf_fields_text(f);

		if (!f->failed)
			add_word(&command, word);
	}
	if (count > ARGUMENTS_LIMIT)
		buffer_text(&command, " ...");
	if (command.len)
		a->command = keep(a, buffer_bytes(&command));
	buffer_release(&command);
}

/* ---- Events ---- */

static void read_event(struct perf_file_info *a, struct perf_fields *f, uint32_t attr_size)
{
	struct bytes attr = perf_fields_bytes(f, attr_size);
	uint32_t ids = perf_fields_u32(f);
	struct perf_file_name row = {.name = perf_fields_text(f)};

	for (uint32_t i = 0; i < ids && !f->failed; i++) {
		uint64_t id = perf_fields_u64(f);

		if (!i)
			row.first_id = id;
	}
	if (f->failed || !perf_attr_read(attr, f->swapped, &row.attr)) {
		f->failed = true;
		return;
	}
	row.name = keep(a, row.name);
	vector_push(&a->names, row);
}

static void read_events(struct perf_file_info *a, struct perf_fields *f)
{
	uint32_t count = perf_fields_u32(f), attr_size = perf_fields_u32(f);

	for (uint32_t i = 0; i < count && i < PERF_FILE_EVENTS_LIMIT && !f->failed; i++)
		read_event(a, f, attr_size);
}

/* ---- The rest ---- */

/* Read two times of the same moment: on the wall clock, and on the samples' clock. */
static void read_clock(struct perf_file_info *a, struct perf_fields *f)
{
	uint64_t wall, clock;

	perf_fields_u32(f); /* version */
	perf_fields_u32(f); /* which clock */
	wall = perf_fields_u64(f);
	clock = perf_fields_u64(f);
	if (f->failed || (int64_t)(wall - clock) <= 0)
		return;
	a->clock_known = true;
	a->wall_offset = (int64_t)(wall - clock);
}

/* If the size is not given, an id that ends in zeroes is taken for an MD5 sum. */
static uint8_t build_id_size(const uint8_t *id, uint16_t misc)
{
	static const uint8_t zeroes[PERF_BUILD_ID_LIMIT - BUILD_ID_MD5];

	if (misc & BUILD_ID_SIZED)
		return id[PERF_BUILD_ID_LIMIT] < PERF_BUILD_ID_LIMIT ? id[PERF_BUILD_ID_LIMIT]
								     : PERF_BUILD_ID_LIMIT;
	return memcmp(id + BUILD_ID_MD5, zeroes, sizeof(zeroes)) ? PERF_BUILD_ID_LIMIT
								 : BUILD_ID_MD5;
}

void perf_file_info_add_build_id(struct perf_file_info *a, struct bytes record, bool swapped)
{
	struct perf_file_build_id row = {0};
	struct perf_event_header header;
	size_t start = sizeof(header) + 4 + BUILD_ID_IN_FILE; /* behind a pid */
	struct bytes path;

	if (record.len < start) {
		a->damaged++;
		return;
	}
	header = perf_header_of(record, swapped);
	memcpy(row.build_id, record.at + sizeof(header) + 4, PERF_BUILD_ID_LIMIT);
	row.size = build_id_size((const uint8_t *)record.at + sizeof(header) + 4, header.misc);
	path = (struct bytes){record.at + start, strnlen(record.at + start, record.len - start)};
	if (!path.len || !row.size)
		return;
	row.path = keep(a, path);
	vector_push(&a->build_ids, row);
}

static void read_build_ids(struct perf_file_info *a, struct perf_fields *f)
{
	while (f->left.len && !f->failed) {
		struct perf_event_header header;

		if (f->left.len < sizeof(header)) {
			f->failed = true;
			return;
		}
		header = perf_header_of(f->left, f->swapped);
		if (header.size < sizeof(header) || header.size > f->left.len) {
			f->failed = true;
			return;
		}
		perf_file_info_add_build_id(a, perf_fields_bytes(f, header.size), f->swapped);
	}
}

void perf_file_info_add_feature(
	struct perf_file_info *a, uint64_t feature, struct bytes content, bool swapped)
{
	struct perf_fields f = {.left = content, .swapped = swapped};

	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		read_build_ids(a, &f);
		break;
	case PERF_FEATURE_HOSTNAME:
		read_text(a, &f, &a->host);
		break;
	case PERF_FEATURE_OSRELEASE:
		read_text(a, &f, &a->release);
		break;
	case PERF_FEATURE_VERSION:
		read_text(a, &f, &a->version);
		break;
	case PERF_FEATURE_ARCH:
		read_text(a, &f, &a->arch);
		break;
	case PERF_FEATURE_CMDLINE:
		read_command(a, &f);
		break;
	case PERF_FEATURE_EVENT_DESC:
		read_events(a, &f);
		break;
	case PERF_FEATURE_DIRECTORY:
		a->in_folder = true;
		break;
	case PERF_FEATURE_CLOCK_DATA:
		read_clock(a, &f);
		break;
	}
	a->damaged += f.failed;
}
