/* dwarf_split.c: where is the rest of a unit whose debugging information is in a file of its own?
 */
#include "images/dwarf_split.h"

#include <dwarf.h>
#include <stdio.h>

/* The split sections (".dwo") of `image`; the other sections are those of the skeleton's file. */
static struct dwarf_file *split_of(struct image *image, const struct dwarf_file *main)
{
	struct dwarf_file *file = memory_new(1, sizeof(*file));

	memcpy(file->sections, main->sections, sizeof(file->sections));
	for (size_t i = 0; i < DWARF_SPLIT_SECTIONS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.dwo", dwarf_section_names[i]);
		file->sections[i] = dwarf_section(image, name);
	}
	file->info = file;
	file->split = true;
	return file;
}

/* Is the unit with this id in the file? */
static bool split_find(
	struct dwarf_reader *r, struct dwarf_file *file, uint64_t id, uint64_t *ret_unit)
{
	if (!dwarf_budget_spend(r, file->sections[DWARF_INFO].len))
		return false;
	dwarf_file_list_units(file);
	for (size_t i = 0; i < file->units.len; i++) {
		struct dwarf_unit unit;
		struct dwarf_entry first;

		if (dwarf_unit_peek(r, file, file->units.items[i], &unit, &first) &&
			unit.header.kind != DW_UT_split_type && unit.header.id == id) {
			*ret_unit = file->units.items[i];
			return true;
		}
	}
	return false;
}

void dwarf_split_release(struct dwarf_file *file)
{
	if (!file)
		return;
	dwarf_file_release_units(file);
	image_release(file->image);
	memory_free(file);
}

static struct dwarf_file *split_open_at(struct dwarf_reader *r, const struct dwarf_files *files,
	struct bytes directory, struct bytes name, uint64_t id, uint64_t *ret_unit)
{
	struct image *image = dwarf_files_open(files, directory, name);
	struct dwarf_file *file;

	if (!image)
		return NULL;
	file = split_of(image, &files->main);
	file->image = image;
	if (split_find(r, file, id, ret_unit))
		return file;
	dwarf_split_release(file);
	return NULL;
}

/* ---- Packages of split files ---- */

/* Columns of .debug_cu_index, by their numbers in it: DW_SECT_*. */
#define COLUMNS_LIMIT 16
static unsigned package_section(uint64_t number, uint64_t version)
{
	switch (number) {
	case 1:
		return DWARF_INFO;
	case 3:
		return DWARF_ABBREV;
	case 6:
		return DWARF_STR_OFFSETS;
	case 8:
		return version == 5 ? DWARF_RNGLISTS : DWARF_SECTIONS;
	default:
		return DWARF_SECTIONS;
	}
}

/* .debug_cu_index: a header, a hash table of ids, their row numbers, and two tables with a
 * column for each section: offsets and sizes. */
struct package_index {
	struct bytes content;
	uint64_t version, columns, rows, slots;
	uint64_t row_at,
		column_at; /* offsets of the second half of the hash table, and of the columns */
};

static bool package_index_read(const struct image *package, struct package_index *ret)
{
	struct cursor c;

	ret->content = dwarf_section(package, ".debug_cu_index");
	c = cursor_of(ret->content);
	ret->version = cursor_fixed(&c, 4) & 0xffff;
	ret->columns = cursor_fixed(&c, 4);
	ret->rows = cursor_fixed(&c, 4);
	ret->slots = cursor_fixed(&c, 4);
	ret->row_at = 16 + ret->slots * 8;
	ret->column_at = ret->row_at + ret->slots * 4;
	return !c.bad && ret->slots && !(ret->slots & (ret->slots - 1)) &&
	       ret->columns <= COLUMNS_LIMIT && (ret->version == 2 || ret->version == 5) &&
	       ret->column_at + (1 + 2 * ret->rows) * ret->columns * 4 <= ret->content.len;
}

/* Rows count from 1; 0: not found. */
static uint64_t package_row(const struct package_index *index, uint64_t id)
{
	uint64_t mask = index->slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;

	for (uint64_t tried = 0; tried < index->slots; tried++, at = (at + step) & mask) {
		uint64_t found = 0, row = 0;

		dwarf_table_number(index->content, 16, at, 8, &found);
		dwarf_table_number(index->content, index->row_at, at, 4, &row);
		if (!row || found == id)
			return row <= index->rows ? row : 0;
	}
	return 0;
}

/* Reduce the sections of a package to what belongs to one row. */
static bool package_cut(
	const struct package_index *index, uint64_t row, struct bytes sections[DWARF_SECTIONS])
{
	for (uint64_t i = 0; i < index->columns; i++) {
		uint64_t number = 0, offset = 0, size = 0;
		unsigned section;

		dwarf_table_number(index->content, index->column_at, i, 4, &number);
		dwarf_table_number(
			index->content, index->column_at, row * index->columns + i, 4, &offset);
		dwarf_table_number(index->content, index->column_at,
			(index->rows + row) * index->columns + i, 4, &size);
		section = package_section(number, index->version);
		if (section == DWARF_SECTIONS)
			continue;
		if (offset > sections[section].len || size > sections[section].len - offset)
			return false;
		sections[section].at += offset;
		sections[section].len = (size_t)size;
	}
	return true;
}

static struct dwarf_file *package_find(
	struct dwarf_reader *r, const struct dwarf_files *files, uint64_t id, uint64_t *ret_unit)
{
	struct package_index index;
	struct dwarf_file *file;
	uint64_t row;

	if (!files->package || !package_index_read(files->package, &index))
		return NULL;
	row = package_row(&index, id);
	if (!row)
		return NULL;
	file = split_of(files->package, &files->main);
	if (package_cut(&index, row, file->sections) && split_find(r, file, id, ret_unit))
		return file;
	dwarf_split_release(file);
	return NULL;
}

struct dwarf_file *dwarf_split_open(struct dwarf_reader *r, const struct dwarf_files *files,
	const struct dwarf_unit *skeleton, uint64_t *ret_unit)
{
	struct bytes name = skeleton->split_name, directory = skeleton->directory, base = name;
	uint64_t id = skeleton->header.id;
	struct dwarf_file *file = package_find(r, files, id, ret_unit);

	if (!name.len)
		return file;
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == '/')
			base = (struct bytes){name.at + i + 1, name.len - i - 1};
	if (!file)
		file = split_open_at(r, files, directory, name, id, ret_unit);
	if (!file)
		file = split_open_at(
			r, files, dwarf_files_directory(files->program), name, id, ret_unit);
	if (!file)
		file = split_open_at(
			r, files, dwarf_files_directory(files->program), base, id, ret_unit);
	return file;
}
