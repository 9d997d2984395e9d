/* image_cache.h: which binary has this path and build id, and what are its functions called?
 *
 * Each binary is opened once, and its symbols are loaded once. */
#ifndef KILN_IMAGES_IMAGE_CACHE_H
#define KILN_IMAGES_IMAGE_CACHE_H

#include "base/memory.h"
#include "images/binary_locations.h"
#include "images/image_names.h"

/* `{0}` is an empty cache. */
struct image_cache {
	const struct binary_locations
		*binary_locations; /* where files are looked for; NULL: the usual places */
	VECTOR(struct cached_image) rows;
};
/* Also writes names that were found to the symbol cache on disk. */
void image_cache_release(struct image_cache *c);

/* As binary_locations_open, but opens each binary only once. NULL: not found. Valid as long as the
 * cache. */
const struct image *image_cache_open(
	struct image_cache *c, struct bytes path, struct bytes build_id);

/* The names of an image, which is this cache's or the caller's; the caller's must outlive the
 * cache. `root`: the prefix of its paths (binary_locations.root), or NULL. */
struct image_names *image_cache_names(
	struct image_cache *c, const struct image *image, const char *root);

#endif
