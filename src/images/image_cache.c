/* image_cache.c: which binary has this path and build id, and what are its symbols? */
#include "images/image_cache.h"

#include <stdlib.h>

struct cached_image {
	char *path, *build_id;	   /* of what image_cache_open was asked for; else NULL */
	struct image *opened;	   /* ours; NULL also when there was none */
	const struct image *image; /* opened, or the caller's */
	struct symbols *symbols;   /* NULL: not loaded yet */
};

void image_cache_release(struct image_cache *c)
{
	for (size_t i = 0; i < c->rows.len; i++) {
		struct cached_image *row = &c->rows.items[i];

		symbols_release(row->symbols);
		image_release(row->opened);
		free(row->path);
		free(row->build_id);
	}
	vector_release(&c->rows);
}

static struct image *open_if_same(const char *path, struct bytes build_id)
{
	struct error ignored = {0};
	bool vdso = !strcmp(path, "[vdso]");
	struct image *image = vdso ? image_open_vdso(&ignored) : image_open(path, &ignored);
	char found[65];

	if (!image || !build_id.len)
		return image;
	image_build_id_text(image, found);
	if (bytes_equal(bytes_of(found), build_id))
		return image;
	image_release(image);
	return NULL;
}

static struct image *open_anywhere(const char *path, struct bytes build_id)
{
	bool may_open = path[0] == '/' || !strcmp(path, "[vdso]");
	struct image *image = may_open ? open_if_same(path, build_id) : NULL;
	struct buffer other = {0};

	if (!image && build_id.len > 2) {
		buffer_printf(&other, "/usr/lib/debug/.build-id/%.2s/%.*s", build_id.at,
			(int)build_id.len - 2, build_id.at + 2);
		image = open_if_same(other.at, build_id);
	}
	buffer_release(&other);
	return image;
}

const struct image *image_cache_open(
	struct image_cache *c, struct bytes path, struct bytes build_id)
{
	struct cached_image row = {0};

	for (size_t i = 0; i < c->rows.len; i++) {
		const struct cached_image *known = &c->rows.items[i];

		if (known->path && bytes_equal(bytes_of(known->build_id), build_id) &&
			bytes_equal(bytes_of(known->path), path))
			return known->image;
	}
	row.path = memory_copy_text(path.at, path.len);
	row.build_id = memory_copy_text(build_id.at, build_id.len);
	row.opened = open_anywhere(row.path, build_id);
	row.image = row.opened;
	vector_push(&c->rows, row);
	return row.image;
}

const struct symbols *image_cache_symbols(
	struct image_cache *c, const struct image *image, const char *root)
{
	struct cached_image *row = NULL;

	for (size_t i = 0; i < c->rows.len && !row; i++)
		if (c->rows.items[i].image == image)
			row = &c->rows.items[i];
	if (!row) {
		vector_push(&c->rows, ((struct cached_image){.image = image}));
		row = &c->rows.items[c->rows.len - 1];
	}
	if (!row->symbols)
		row->symbols = symbols_load(image, root);
	return row->symbols;
}
