/* prepare.c: which binaries will a command map when it starts?
 *
 * The dynamic linker's cache, /etc/ld.so.cache, has since glibc 2.2 a header of 48 bytes that
 * begins with a magic text and the number of entries, then entries of 24 bytes: flags, the offsets
 * of a library's name and of its path, and for which machines. */
#include "recorders/unwind/prepare.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/proc.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE_PATH  "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_64BIT 0x0303 /* a library for x86-64 */

struct cache_header {
	char magic[20];
	uint32_t count, strings;
	uint32_t reserved[5];
};
struct cache_entry {
	int32_t flags;
	uint32_t name, path, os;
	uint64_t machine;
};

struct preparation {
	void (*each)(void *context, const struct image *image);
	void *context;
	struct buffer cache;
	VECTOR(char *) seen; /* paths */
};

static void prepare_file(struct preparation *p, const char *path);

/* A text in the cache, or NULL. */
static const char *cache_text(const struct buffer *cache, uint32_t offset)
{
	return offset < cache->len && memchr(cache->at + offset, '\0', cache->len - offset)
		       ? cache->at + offset
		       : NULL;
}

static const char *find_library(const struct preparation *p, const char *name)
{
	struct cache_header header;
	struct cache_entry entry;

	if (p->cache.len < sizeof(header))
		return NULL;
	memcpy(&header, p->cache.at, sizeof(header));
	if (memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) ||
		header.count > (p->cache.len - sizeof(header)) / sizeof(entry))
		return NULL;
	for (uint32_t i = 0; i < header.count; i++) {
		const char *known;

		memcpy(&entry, p->cache.at + sizeof(header) + i * sizeof(entry), sizeof(entry));
		known = cache_text(&p->cache, entry.name);
		if (entry.flags == CACHE_64BIT && known && !strcmp(known, name))
			return cache_text(&p->cache, entry.path);
	}
	return NULL;
}

/* The NUL-terminated text at an address of an image, or NULL. */
static const char *text_at(const struct image *image, uint64_t address)
{
	struct bytes text = image_at(image, address);

	return text.len && memchr(text.at, '\0', text.len) ? text.at : NULL;
}

/* What DT_NEEDED entries name. */
static void prepare_needed(struct preparation *p, const struct image *image)
{
	uint64_t address, strings = 0;
	struct bytes dynamic = image_segment(image, PT_DYNAMIC, &address);
	size_t count = dynamic.len / sizeof(Elf64_Dyn);
	Elf64_Dyn entry;

	for (size_t i = 0; i < count; i++) {
		memcpy(&entry, dynamic.at + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag == DT_STRTAB)
			strings = entry.d_un.d_ptr;
	}
	for (size_t i = 0; strings && i < count; i++) {
		const char *name, *path;

		memcpy(&entry, dynamic.at + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag != DT_NEEDED)
			continue;
		name = text_at(image, strings + entry.d_un.d_val);
		path = name ? find_library(p, name) : NULL;
		if (path)
			prepare_file(p, path);
	}
}

/* "#!/usr/bin/python3 -u": the first word. */
static void prepare_script(struct preparation *p, const char *path)
{
	char line[PATH_MAX] = "", *start, *end;
	FILE *f = fopen(path, "re");

	if (!f)
		return;
	if (fgets(line, sizeof(line), f) && !strncmp(line, "#!", 2)) {
		start = line + 2 + strspn(line + 2, " \t");
		end = start + strcspn(start, " \t\n");
		*end = '\0';
		prepare_file(p, start);
	}
	fclose(f);
}

static bool is_new(struct preparation *p, const char *path)
{
	char *real = realpath(path, NULL);

	for (size_t i = 0; real && i < p->seen.len; i++) {
		if (!strcmp(p->seen.items[i], real)) {
			free(real);
			return false;
		}
	}
	if (!real || p->seen.len == PREPARED_LIMIT) {
		free(real);
		return false;
	}
	vector_push(&p->seen, real);
	return true;
}

/* Recursion ends because each file is looked at once. */
static void prepare_file(struct preparation *p, const char *path)
{
	struct error ignored = {0};
	struct image *image;
	uint64_t address;

	if (!is_new(p, path))
		return;
	image = image_open(path, &ignored);
	if (!image) {
		prepare_script(p, path);
		return;
	}
	p->each(p->context, image);
	if (image_segment(image, PT_INTERP, &address).len && text_at(image, address))
		prepare_file(p, text_at(image, address));
	prepare_needed(p, image);
	image_release(image);
}

/* As execvp looks for it. */
static void prepare_command(struct preparation *p, const char *command)
{
	const char *folders = getenv("PATH");
	struct bytes rest = bytes_of(folders ? folders : "/bin:/usr/bin"), folder;
	struct buffer path = {0};

	if (strchr(command, '/')) {
		prepare_file(p, command);
		return;
	}
	while (rest.len) {
		if (!bytes_cut(&rest, ':', &folder)) {
			folder = rest;
			rest.len = 0;
		}
		path.len = 0;
		buffer_printf(&path, "%.*s/%s", folder.len ? (int)folder.len : 1,
			folder.len ? folder.at : ".", command);
		if (access(path.at, X_OK))
			continue;
		prepare_file(p, path.at);
		break;
	}
	buffer_release(&path);
}

void unwind_prepare(
	const char *command, void (*each)(void *context, const struct image *image), void *context)
{
	struct preparation p = {.each = each, .context = context};

	struct error ignored = {0};
	struct image *vdso = image_open_vdso(&ignored);

	if (vdso)
		each(context, vdso);
	image_release(vdso);
	proc_text(&p.cache, CACHE_PATH);
	prepare_command(&p, command);
	for (size_t i = 0; i < p.seen.len; i++)
		free(p.seen.items[i]);
	vector_release(&p.seen);
	buffer_release(&p.cache);
}
