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
	const struct places *places; /* where files are looked for; NULL: the usual ones */
	VECTOR(struct cached_image) rows;
};
void image_cache_release(struct image_cache *c);

/* As places_open_binary, once: NULL when there is none. Lives as long as the cache. */
const struct image *image_cache_open(
	struct image_cache *c, struct bytes path, struct bytes build_id);

/* The symbols of an image from the cache or the caller's, which must outlive the cache. `root`:
 * that of its places, or NULL. */
const struct symbols *image_cache_symbols(
	struct image_cache *c, const struct image *image, const char *root);

#endif
