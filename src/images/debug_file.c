/* debug_file.c: where are the symbols that were stripped from a binary? */
#include "images/debug_file.h"

#include "base/broker.h"
#include "base/buffer.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/scope.h"
#include "images/image_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

/* Decompressed size of .gnu_debugdata, in bytes: at most RATIO times the compressed size, or MIN if
 * that is more; and at most LIMIT for all that are open together. */
#define DEBUG_DATA_RATIO 256u
#define DEBUG_DATA_MIN	 ((uint64_t)16 << 20)
#define DEBUG_DATA_LIMIT ((uint64_t)512 << 20)

static const char debug_directory[] = "/usr/lib/debug";

/* ---- Files that may be the one ---- */

/* A file of another user may have to be copied, and its checksum computed, only to find that it
 * belongs to another binary; any number of binaries can name it. After this many bytes in such
 * files, no more files of other users are opened. */
#define REJECTED_LIMIT ((uint64_t)1 << 30) /* bytes */

static _Atomic uint64_t rejected;

static bool may_try(int fd)
{
	struct stat status;

	return rejected < REJECTED_LIMIT ||
	       (!fstat(fd, &status) && !image_file_others_can_change(&status));
}

static struct image *open_candidate(const char *path)
{
	int fd = scope_fd(broker_open(BROKER_BINARY, path));
	struct error ignored = {0};
	struct image *file;

	if (fd < 0)
		return NULL;
	file = may_try(fd) ? image_open_fd(fd, path, &ignored) : NULL;
	scope_close(fd);
	return file;
}

static void reject(struct image *file)
{
	if (image_others_can_change(file))
		rejected += image_content(file).len;
	image_release(file);
}

/* ---- By build id ---- */

static bool same_build_id(const struct image *a, const struct image *b)
{
	return bytes_equal(image_build_id(a), image_build_id(b));
}

struct search {
	const struct image *image;
	struct image *found;
};

static bool open_verified(void *context, const char *path)
{
	struct search *s = context;

	s->found = open_candidate(path);
	if (s->found && !same_build_id(s->found, s->image)) {
		reject(s->found);
		s->found = NULL;
	}
	return s->found;
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

	/* A name must not contain directories. */
	if (!end || end == content.at || at + 4 > content.len ||
		memchr(content.at, '/', (size_t)(end - content.at)))
		return false;
	ret->name = content.at;
	memcpy(&ret->checksum, content.at + at, sizeof(ret->checksum));
	return true;
}

/* If both files have a build id, comparing these saves reading the whole file for its checksum. */
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
	struct image *file;

	while (name.len && name.at[name.len - 1] != '/')
		name.len--;
	buffer_printf(
		&path, "%s%s%.*s%s%s", root, before, (int)name.len, name.at, between, link->name);
	file = open_candidate(path.at);
	if (file && !link_fits(link, image, file)) {
		reject(file);
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

static struct image *open_linked_anywhere(
	const struct image *image, const struct binary_locations *binary_locations)
{
	struct image *file = NULL;

	if (binary_locations && binary_locations->root && *binary_locations->root)
		file = open_linked(image, binary_locations->root);
	if (!file && binary_locations && binary_locations->symfs)
		file = open_linked(image, binary_locations->symfs);
	return file ? file : open_linked(image, "");
}

struct image *debug_file_open(
	const struct image *image, const struct binary_locations *binary_locations)
{
	struct binary_query query = {.kind = QUERY_DEBUG_FILE, .path = bytes_of(image_name(image))};
	struct search s = {.image = image};
	char id[65], *fetched;

	image_build_id_text(image, id);
	query.build_id = bytes_of(id);
	if (binary_locations_visit(binary_locations, &query, open_verified, &s))
		return s.found;
	s.found = open_linked_anywhere(image, binary_locations);
	if (!s.found && (fetched = binary_locations_fetch(binary_locations, &query))) {
		open_verified(&s, fetched);
		memory_free(fetched);
	}
	return s.found;
}

/* ---- .gnu_debugdata ---- */

static _Atomic uint64_t held; /* bytes of all decompressed .gnu_debugdata */

/* How many bytes may be decompressed. 0: none, because those that are open use up the limit. */
static uint64_t debug_data_room(size_t packed)
{
	uint64_t limit = packed * (uint64_t)DEBUG_DATA_RATIO, open = held;
	uint64_t room = open < DEBUG_DATA_LIMIT ? DEBUG_DATA_LIMIT - open : 0;

	if (limit < DEBUG_DATA_MIN)
		limit = DEBUG_DATA_MIN;
	return limit < room ? limit : room;
}

void debug_data_release(struct bytes *memory)
{
	held -= memory->len;
	memory_free((void *)(uintptr_t)memory->at);
	*memory = (struct bytes){0};
}

struct image *debug_data_open(const struct image *image, struct bytes *ret_memory)
{
	const struct image_section *section = image_section(image, ".gnu_debugdata");
	struct image *inner = NULL;
	struct error ignored = {0};
	struct bytes content;
	struct input in;

	if (!section || !section->content.len ||
		!input_open_bytes(&in, section->content, image_name(image), &ignored))
		return NULL;
	if (input_whole(&in, debug_data_room(section->content.len), &content, &ignored)) {
		*ret_memory =
			(struct bytes){memory_copy_text(content.at, content.len), content.len};
		held += content.len;
		inner = image_open_bytes(*ret_memory, image_name(image), &ignored);
		if (!inner)
			debug_data_release(ret_memory);
	}
	input_release(&in);
	return inner;
}
