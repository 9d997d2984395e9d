/* dwarf_file.c: where are the parts of the debugging information of a binary? */
#include "images/dwarf_file.h"

#include "base/buffer.h"
#include "base/search.h"
#include "images/dwarf_unit.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const section_names[DWARF_SECTIONS] = {
	[DWARF_INFO] = ".debug_info",
	[DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_STR] = ".debug_str",
	[DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_RNGLISTS] = ".debug_rnglists",
	[DWARF_LINE] = ".debug_line",
	[DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_ADDR] = ".debug_addr",
	[DWARF_RANGES] = ".debug_ranges",
	[DWARF_ARANGES] = ".debug_aranges",
};

static struct bytes section_content(const struct image *image, const char *name)
{
	const struct image_section *section = image_section(image, name);

	return section && section->content.len ? section->content : BYTES("");
}

bool dwarf_file_there(const struct image *image)
{
	const struct image_section *section;

	for (size_t i = 1; (section = image_section_header(image, i)); i++)
		if ((!strcmp(section->name, ".debug_info") ||
			    !strcmp(section->name, ".zdebug_info")) &&
			section->content.len)
			return true;
	return false;
}

/* ---- Units ---- */

static int compare_types(const void *a, const void *b)
{
	const struct dwarf_type_unit *x = a, *y = b;

	return x->signature < y->signature ? -1 : x->signature > y->signature;
}

/* A unit of an unknown version can be stepped over; behind a length that is wrong nothing can be
 * found. */
static void list_units(struct dwarf_file *file)
{
	VECTOR(struct dwarf_type_unit) types = {0};
	uint64_t offset = 0;

	while (offset < file->sections[DWARF_INFO].len) {
		struct dwarf_header header;

		if (dwarf_header_read(file, offset, &header)) {
			vector_push(&file->units, offset);
			if (header.kind == DW_UT_type || header.kind == DW_UT_split_type)
				vector_push(&types,
					((struct dwarf_type_unit){header.id, offset, header.type}));
		} else {
			file->cut = true;
		}
		if (header.end <= offset)
			break;
		offset = header.end;
	}
	if (types.len)
		qsort(types.items, types.len, sizeof(*types.items), compare_types);
	file->type_units = types.items;
	file->type_unit_count = types.len;
}

static void list_release(struct dwarf_file *file)
{
	vector_release(&file->units);
	memory_free(file->type_units);
}

bool dwarf_file_unit_at(const struct dwarf_file *file, uint64_t offset, uint64_t *ret_unit)
{
	size_t behind = search_rows(
		file->units.items, file->units.len, sizeof(*file->units.items), 0, offset);

	if (!behind)
		return false;
	*ret_unit = file->units.items[behind - 1];
	return true;
}

bool dwarf_file_type(const struct dwarf_file *file, uint64_t signature,
	const struct dwarf_file **ret_file, uint64_t *ret_offset)
{
	struct dwarf_type_unit key = {.signature = signature}, *found = NULL;

	if (file->type_unit_count)
		found = bsearch(&key, file->type_units, file->type_unit_count,
			sizeof(*file->type_units), compare_types);
	if (!found)
		return file->types_file &&
		       dwarf_file_type(file->types_file, signature, ret_file, ret_offset);
	*ret_file = file;
	*ret_offset = found->entry;
	return true;
}

/* ---- Paths ---- */

/* A file at a path that a binary or its recording names, as places say. */
static struct image *open_path(
	const struct dwarf_files *files, struct bytes directory, struct bytes name)
{
	const struct places *places = files->places;
	const char *prefixes[] = {places && places->symfs  ? places->symfs
				  : places && places->root ? places->root
							   : "",
		""};
	struct image *image = NULL;

	for (size_t i = 0; i < 2 && !image; i++) {
		struct buffer path = {0};
		struct error ignored = {0};

		if (*name.at == '/')
			directory.len = 0;
		if (i && !*prefixes[0])
			break;
		buffer_text(&path, prefixes[i]);
		buffer_add(&path, directory.at, directory.len);
		if (directory.len && directory.at[directory.len - 1] != '/')
			buffer_char(&path, '/');
		buffer_add(&path, name.at, name.len);
		image = image_open(path.at, &ignored);
		buffer_release(&path);
	}
	return image;
}

static struct bytes directory_of(const struct image *image)
{
	struct bytes path = bytes_of(image_name(image));

	while (path.len && path.at[path.len - 1] != '/')
		path.len--;
	return path;
}

/* ---- The shared file: a path and a build id ---- */

struct shared_search {
	struct bytes build_id;
	struct image *found;
};

static bool shared_fits(struct shared_search *search, struct image *image)
{
	if (image && !bytes_equal(image_build_id(image), search->build_id)) {
		image_release(image);
		image = NULL;
	}
	search->found = image;
	return image;
}

static bool shared_visit(void *context, const char *path)
{
	struct error ignored = {0};

	return shared_fits(context, image_open(path, &ignored));
}

static bool shared_by_id(const struct dwarf_files *files, struct shared_search *search)
{
	struct place_wanted wanted = {.kind = PLACE_DEBUG_FILE};
	char id[65], *fetched;

	if (!search->build_id.len || 2 * search->build_id.len >= sizeof(id))
		return false;
	build_id_text(search->build_id, id);
	wanted.build_id = bytes_of(id);
	if (places_visit(files->places, &wanted, shared_visit, search))
		return true;
	fetched = places_fetch(files->places, &wanted);
	if (fetched)
		shared_visit(search, fetched);
	memory_free(fetched);
	return search->found;
}

static struct image *open_shared(const struct dwarf_files *files, bool *ret_missing)
{
	struct bytes link = section_content(files->image, ".gnu_debugaltlink");
	const char *nul = link.len ? memchr(link.at, 0, link.len) : NULL;
	struct shared_search search = {0};
	struct bytes name;

	*ret_missing = false;
	if (!nul || nul == link.at)
		return NULL;
	name = (struct bytes){link.at, (size_t)(nul - link.at)};
	search.build_id = (struct bytes){nul + 1, link.len - name.len - 1};
	*ret_missing = !shared_fits(&search, open_path(files, directory_of(files->image), name)) &&
		       !shared_by_id(files, &search);
	return search.found;
}

/* ---- Loading ---- */

static void file_load(struct dwarf_file *file, const struct image *image)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		if (i != DWARF_LINE)
			file->sections[i] = section_content(image, section_names[i]);
	file->info = file;
	list_units(file);
}

static void types_load(struct dwarf_files *files)
{
	struct bytes types = section_content(files->image, ".debug_types");
	struct dwarf_file *file = &files->main_types;

	if (!types.len)
		return;
	memcpy(file->sections, files->main.sections, sizeof(file->sections));
	file->sections[DWARF_INFO] = types;
	file->info = &files->main;
	file->shared = files->main.shared;
	file->types = true;
	list_units(file);
	files->main.types_file = file;
}

static struct image *package_open(const struct dwarf_files *files, const struct image *image)
{
	struct buffer path = {0};
	struct image *package;

	buffer_printf(&path, "%s.dwp", image_name(image));
	package = open_path(files, (struct bytes){0}, buffer_bytes(&path));
	buffer_release(&path);
	return package;
}

void dwarf_files_load(struct dwarf_files *files)
{
	file_load(&files->main, files->image);
	files->shared.image = open_shared(files, &files->shared_missing);
	if (files->shared.image) {
		file_load(&files->shared, files->shared.image);
		files->main.shared = &files->shared;
	}
	types_load(files);
	files->package = package_open(files, files->program);
	if (!files->package && files->image != files->program)
		files->package = package_open(files, files->image);
}

void dwarf_files_load_lines(struct dwarf_files *files)
{
	files->main.sections[DWARF_LINE] = section_content(files->image, section_names[DWARF_LINE]);
}

void dwarf_files_release(struct dwarf_files *files)
{
	list_release(&files->main);
	list_release(&files->main_types);
	list_release(&files->shared);
	image_release(files->shared.image);
	image_release(files->package);
}

/* ---- Split files ---- */

/* The sections of `image` that have a namesake; the others are the skeleton's. */
static struct dwarf_file *split_of(struct image *image, const struct dwarf_file *main)
{
	struct dwarf_file *file = memory_new(1, sizeof(*file));

	memcpy(file->sections, main->sections, sizeof(file->sections));
	for (size_t i = 0; i < DWARF_SPLIT_SECTIONS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.dwo", section_names[i]);
		file->sections[i] = section_content(image, name);
	}
	file->info = file;
	file->split = true;
	return file;
}

/* Is the unit with this id in the file? */
static bool split_find(
	struct dwarf_reader *r, struct dwarf_file *file, uint64_t id, uint64_t *ret_unit)
{
	if (!dwarf_spend(r, file->sections[DWARF_INFO].len))
		return false;
	list_units(file);
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
	list_release(file);
	image_release(file->image);
	memory_free(file);
}

static struct dwarf_file *split_open_at(struct dwarf_reader *r, const struct dwarf_files *files,
	struct bytes directory, struct bytes name, uint64_t id, uint64_t *ret_unit)
{
	struct image *image = open_path(files, directory, name);
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

/* Columns of .debug_cu_index, by the numbers that stand in it: DW_SECT_*. */
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

/* .debug_cu_index: a header, a hash table of ids, the rows that they have, and two tables with a
 * column for each section: offsets and sizes. */
struct package_index {
	struct bytes content;
	uint64_t version, columns, rows, slots;
	uint64_t row_at, column_at; /* offsets of the hash table's second half, of the columns */
};

static bool package_index_read(const struct image *package, struct package_index *ret)
{
	struct cursor c;

	ret->content = section_content(package, ".debug_cu_index");
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

/* Rows count from 1; 0: not there. */
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

/* Cut the sections of a package down to what belongs to one row. */
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
		file = split_open_at(r, files, directory_of(files->program), name, id, ret_unit);
	if (!file)
		file = split_open_at(r, files, directory_of(files->program), base, id, ret_unit);
	return file;
}
