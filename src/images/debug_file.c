/* debug_file.c: where are the symbols that were stripped from a binary? */
#include "images/debug_file.h"

#include "base/buffer.h"
#include "base/input.h"
#include "base/memory.h"

#include <stdlib.h>
#include <zlib.h>

#define DEBUG_DATA_LIMIT ((size_t)512 << 20) /* bytes of a decompressed .gnu_debugdata */

static const char debug_directory[] = "/usr/lib/debug";

/* ---- By build id ---- */

static bool same_build_id(const struct image *a, const struct image *b)
{
	return bytes_equal(image_build_id(a), image_build_id(b));
}

static struct image *open_verified(const char *path, const struct image *image)
{
	struct error ignored = {0};
	struct image *file = image_open(path, &ignored);

	if (file && !same_build_id(file, image)) {
		image_release(file);
		file = NULL;
	}
	return file;
}

static struct image *open_in_directory(const struct image *image, const char *root, const char *id)
{
	struct buffer path = {0};
	struct image *file;

	buffer_printf(&path, "%s%s/.build-id/%.2s/%s.debug", root, debug_directory, id, id + 2);
	file = open_verified(path.at, image);
	buffer_release(&path);
	return file;
}

/* The cache of debuginfod's clients, see debuginfod_find_debuginfo(3). */
static struct image *open_in_cache(const struct image *image, const char *id)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *xdg = getenv("XDG_CACHE_HOME");
	struct buffer path = {0};
	struct image *file = NULL;

	if (cache && *cache)
		buffer_printf(&path, "%s/%s/debuginfo", cache, id);
	else if (xdg && *xdg)
		buffer_printf(&path, "%s/debuginfod_client/%s/debuginfo", xdg, id);
	else if (home && *home)
		buffer_printf(&path, "%s/.cache/debuginfod_client/%s/debuginfo", home, id);
	if (path.len)
		file = open_verified(path.at, image);
	buffer_release(&path);
	return file;
}

/* ---- By .gnu_debuglink: a file name, padding to 4 bytes, the CRC-32 of the file ---- */

struct link {
	const char *name;
	uint32_t checksum;
};

static bool link_read(const struct image *image, struct link *ret)
{
	const struct image_section *section = image_section(image, ".gnu_debuglink");
	struct bytes content = section ? section->content : (struct bytes){0};
	const char *end = content.len ? memchr(content.at, 0, content.len) : NULL;
	size_t at = end ? ((size_t)(end - content.at) + 4) & ~(size_t)3 : 0;

	/* A name with directories in it would lead anywhere. */
	if (!end || end == content.at || at + 4 > content.len ||
		memchr(content.at, '/', (size_t)(end - content.at)))
		return false;
	ret->name = content.at;
	memcpy(&ret->checksum, content.at + at, sizeof ret->checksum);
	return true;
}

/* Build ids, where both have one, say the same as the checksum without reading all of the file. */
static bool link_fits(const struct link *link, const struct image *image, const struct image *file)
{
	struct bytes all = image_content(file);
	uLong checksum = 0;

	if (image_build_id(image).len && image_build_id(file).len)
		return same_build_id(image, file);
	return (uint32_t)crc32_z(checksum, (const Bytef *)all.at, all.len) == link->checksum;
}

static struct image *open_linked_at(const struct link *link, const struct image *image,
	const char *root, const char *before, const char *between)
{
	struct bytes name = bytes_of(image_name(image));
	struct buffer path = {0};
	struct error ignored = {0};
	struct image *file;

	while (name.len && name.at[name.len - 1] != '/')
		name.len--;
	buffer_printf(
		&path, "%s%s%.*s%s%s", root, before, (int)name.len, name.at, between, link->name);
	file = image_open(path.at, &ignored);
	if (file && !link_fits(link, image, file)) {
		image_release(file);
		file = NULL;
	}
	buffer_release(&path);
	return file;
}

static struct image *open_linked(const struct image *image, const char *root)
{
	struct image *file;
	struct link link;

	if (!link_read(image, &link))
		return NULL;
	file = open_linked_at(&link, image, root, "", "");
	if (!file)
		file = open_linked_at(&link, image, root, "", ".debug/");
	if (!file)
		file = open_linked_at(&link, image, root, debug_directory, "");
	return file;
}

struct image *debug_file_open(const struct image *image, const char *root)
{
	struct image *file = NULL;
	char id[65];

	image_build_id_text(image, id);
	if (!root)
		root = "";
	if (strlen(id) > 2) {
		file = open_in_directory(image, root, id);
		if (!file && *root)
			file = open_in_directory(image, "", id);
		if (!file)
			file = open_in_cache(image, id);
	}
	if (!file)
		file = open_linked(image, root);
	if (!file && *root)
		file = open_linked(image, "");
	return file;
}

/* ---- .gnu_debugdata ---- */

struct image *debug_data_open(const struct image *image, char **ret_memory)
{
	const struct image_section *section = image_section(image, ".gnu_debugdata");
	struct image *inner = NULL;
	struct error ignored = {0};
	struct bytes content;
	struct input in;

	if (!section || !section->content.len ||
		!input_open_bytes(&in, section->content, image_name(image), &ignored))
		return NULL;
	if (input_whole(&in, DEBUG_DATA_LIMIT, &content, &ignored)) {
		char *memory = memory_copy_text(content.at, content.len);

		inner = image_open_bytes(
			(struct bytes){memory, content.len}, image_name(image), &ignored);
		if (inner)
			*ret_memory = memory;
		else
			free(memory);
	}
	input_release(&in);
	return inner;
}
