/* dwarf_file.c: where are the parts of the debugging information of a binary? */
#include "images/dwarf_file.h"

#include "base/buffer.h"
#include "base/search.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

const char *const dwarf_section_names[DWARF_SECTIONS] = {
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

struct bytes dwarf_section(const struct image *image, const char *name)
{
	const struct image_section *section = image_section(image, name);

	return section && section->content.len ? section->content : BYTES("");
}

bool dwarf_file_exists(const struct image *image)
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

bool dwarf_file_header(
	const struct dwarf_file *file, uint64_t offset, struct dwarf_header *ret_header)
{
	return dwarf_header_read(file->sections[DWARF_INFO], file->types, offset, ret_header);
}

/* Units of unknown versions are skipped; after a wrong length, no further unit can be found. */
void dwarf_file_list_units(struct dwarf_file *file)
{
	VECTOR(struct dwarf_type_unit) types = {0};
	uint64_t offset = 0;

	while (offset < file->sections[DWARF_INFO].len) {
		struct dwarf_header header;

		if (dwarf_file_header(file, offset, &header)) {
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

void dwarf_file_release_units(struct dwarf_file *file)
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

/* Open a file at a path that a binary or its recording names: below symfs, or else below root
 * (struct binary_locations), then at the path itself. */
struct image *dwarf_files_open(
	const struct dwarf_files *files, struct bytes directory, struct bytes name)
{
	const struct binary_locations *binary_locations = files->binary_locations;
	const char *prefixes[] = {
		binary_locations && binary_locations->symfs  ? binary_locations->symfs
		: binary_locations && binary_locations->root ? binary_locations->root
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

struct bytes dwarf_files_directory(const struct image *image)
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
	struct binary_query query = {.kind = QUERY_DEBUG_FILE};
	char id[65], *fetched;

	if (!search->build_id.len || 2 * search->build_id.len >= sizeof(id))
		return false;
	build_id_text(search->build_id, id);
	query.build_id = bytes_of(id);
	if (binary_locations_visit(files->binary_locations, &query, shared_visit, search))
		return true;
	fetched = binary_locations_fetch(files->binary_locations, &query);
	if (fetched)
		shared_visit(search, fetched);
	memory_free(fetched);
	return search->found;
}

static struct image *open_shared(const struct dwarf_files *files, bool *ret_missing)
{
	struct bytes link = dwarf_section(files->image, ".gnu_debugaltlink");
	const char *nul = link.len ? memchr(link.at, 0, link.len) : NULL;
	struct shared_search search = {0};
	struct bytes name;

	*ret_missing = false;
	if (!nul || nul == link.at)
		return NULL;
	name = (struct bytes){link.at, (size_t)(nul - link.at)};
	search.build_id = (struct bytes){nul + 1, link.len - name.len - 1};
	*ret_missing = !shared_fits(&search, dwarf_files_open(files,
						     dwarf_files_directory(files->image), name)) &&
		       !shared_by_id(files, &search);
	return search.found;
}

/* ---- Loading ---- */

static void file_load(struct dwarf_file *file, const struct image *image)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		if (i != DWARF_LINE)
			file->sections[i] = dwarf_section(image, dwarf_section_names[i]);
	file->info = file;
	dwarf_file_list_units(file);
}

static void types_load(struct dwarf_files *files)
{
	struct bytes types = dwarf_section(files->image, ".debug_types");
	struct dwarf_file *file = &files->main_types;

	if (!types.len)
		return;
	memcpy(file->sections, files->main.sections, sizeof(file->sections));
	file->sections[DWARF_INFO] = types;
	file->info = &files->main;
	file->shared = files->main.shared;
	file->types = true;
	dwarf_file_list_units(file);
	files->main.types_file = file;
}

static struct image *package_open(const struct dwarf_files *files, const struct image *image)
{
	struct buffer path = {0};
	struct image *package;

	buffer_printf(&path, "%s.dwp", image_name(image));
	package = dwarf_files_open(files, (struct bytes){0}, buffer_bytes(&path));
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
	files->main.sections[DWARF_LINE] =
		dwarf_section(files->image, dwarf_section_names[DWARF_LINE]);
}

void dwarf_files_release(struct dwarf_files *files)
{
	dwarf_file_release_units(&files->main);
	dwarf_file_release_units(&files->main_types);
	dwarf_file_release_units(&files->shared);
	image_release(files->shared.image);
	image_release(files->package);
}
