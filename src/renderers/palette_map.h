/* palette_map.h: colours of names, kept from picture to picture in the file palette.map.
 *
 * One line for each name: "NAME->rgb(R,G,B)". */
#ifndef KILN_RENDERERS_PALETTE_MAP_H
#define KILN_RENDERERS_PALETTE_MAP_H

#include "base/error.h"
#include "renderers/colour.h"

#define PALETTE_MAP_FILE  "palette.map"
#define PALETTE_MAP_LIMIT ((uint64_t)64 << 20) /* bytes of such a file */

/* `{0}` is empty. */
struct palette_map {
	VECTOR(struct palette_entry {
		struct bytes name;
		struct colour colour;
	})
	entries;
	struct id_map by_name; /* index plus 1 */
	struct arena names;
};

void palette_map_release(struct palette_map *m);
const struct colour *palette_map_find(struct palette_map *m, struct bytes name); /* or NULL */
void palette_map_add(struct palette_map *m, struct bytes name, struct colour colour);

/* Add the content of `path`; a file that does not exist is empty. */
bool palette_map_read(struct palette_map *m, const char *path, struct error *err);
/* Write everything, names in byte order. */
bool palette_map_write(const struct palette_map *m, const char *path, struct error *err);

#endif
