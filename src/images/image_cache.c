/* image_cache.c: which binary has this path and build id, and what are its functions called? */
#include "images/image_cache.h"

#include "base/parallel.h"

#include <stdlib.h>

struct cached_image {
	char *path, *build_id;	   /* the request of image_cache_open; else NULL */
	struct image *opened;	   /* owned; NULL also if none was found */
	const struct image *image; /* `opened`, or the caller's */
	struct image_names *names; /* NULL: not requested yet */
};

static void row_release(void *context, size_t i)
{
	struct cached_image *row = &((struct image_cache *)context)->rows.items[i];

	image_names_release(row->names);
	image_release(row->opened);
	memory_free(row->path);
	memory_free(row->build_id);
}

/* Closing the last descriptor of a deleted file frees its blocks, which a disk may be slow to
 * discard. Threads close all files in parallel. */
void image_cache_release(struct image_cache *c)
{
	for (size_t i = 0; i < c->rows.len; i++)
		if (c->rows.items[i].names)
			image_names_save(c->rows.items[i].names);
	parallel_run(c->rows.len < PARALLEL_THREADS_LIMIT ? (unsigned)c->rows.len
							  : PARALLEL_THREADS_LIMIT,
		1, c->rows.len, row_release, c);
	vector_release(&c->rows);
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
	row.opened = binary_locations_open(c->binary_locations, path, build_id, NULL);
	row.image = row.opened;
	vector_push(&c->rows, row);
	return row.image;
}

struct image_names *image_cache_names(
	struct image_cache *c, const struct image *image, const char *root)
{
	struct binary_locations binary_locations =
		c->binary_locations ? *c->binary_locations : (struct binary_locations){0};
	struct cached_image *row = NULL;

	for (size_t i = 0; i < c->rows.len && !row; i++)
		if (c->rows.items[i].image == image)
			row = &c->rows.items[i];
	if (!row) {
		vector_push(&c->rows, ((struct cached_image){.image = image}));
		row = &c->rows.items[c->rows.len - 1];
	}
	binary_locations.root = root;
	if (!row->names)
		row->names = image_names_open(image, &binary_locations);
	return row->names;
}
