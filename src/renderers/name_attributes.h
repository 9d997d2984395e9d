/* name_attributes.h: the user's own attributes for boxes of a function: links, titles.
 *
 * A line is a name and, separated by tabs, attributes: "main<tab>href=https://example.org/". */
#ifndef KILN_RENDERERS_NAME_ATTRIBUTES_H
#define KILN_RENDERERS_NAME_ATTRIBUTES_H

#include "base/error.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/memory.h"

#define NAME_ATTRIBUTES_LIMIT ((uint64_t)64 << 20) /* bytes of such a file */

/* `{0}` is empty. */
struct name_attributes {
	struct input in;
	VECTOR(struct attributed_name {
		struct bytes name;
		struct bytes attributes;
	})
	names;
	struct id_map by_name; /* index plus 1 */
};

bool name_attributes_read(struct name_attributes *a, const char *path, struct error *err);
void name_attributes_release(struct name_attributes *a);

/* Iterates over attributes; made by name_attributes_find, empty if the name has none. */
struct attribute_walk {
	struct bytes fields, extra;
};
struct attribute_walk name_attributes_find(struct name_attributes *a, struct bytes name);

/* The next attribute; false at the end. The contents of `g_extra` and `a_extra`, A="B" C="D",
 * are returned like other attributes. */
bool attribute_next(struct attribute_walk *walk, struct bytes *ret_key, struct bytes *ret_value);

#endif
