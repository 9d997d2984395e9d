/* image_cache.h: which binary has this path and build id, and what are its symbols?
 *
 * Each binary is opened and its symbols are loaded once, however often they are asked for. What is
 * kept is kept in memory; symbols that outlive the process belong here too, by build id. */
#ifndef KILN_IMAGES_IMAGE_CACHE_H
#define KILN_IMAGES_IMAGE_CACHE_H

#include "base/memory.h"
#include "images/symbols.h"

/* `{0}` is an empty cache. */
struct image_cache {
	VECTOR(struct cached_image) rows;
};
void image_cache_release(struct image_cache *c);

/* The binary with this build id (lower-case hexadecimal), looked for at `path` and
 * under /usr/lib/debug/.build-id; a file with another build id is no answer. With an empty build id
 * whatever is at `path`. NULL when there is none; asked once. Lives as long as the cache. */
const struct image *image_cache_open(
	struct image_cache *c, struct bytes path, struct bytes build_id);

/* The symbols of an image from the cache or the caller's, which must outlive the cache. `root` as
 * in symbols_load. */
const struct symbols *image_cache_symbols(
	struct image_cache *c, const struct image *image, const char *root);

#endif
