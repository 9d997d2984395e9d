/* name_attributes.h: attributes that the user gives to the boxes of a function: links, titles.
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

/* The attributes of `name`, as "A=B<tab>C=D"; empty when it has none. */
struct bytes name_attributes_find(struct name_attributes *a, struct bytes name);

/* Cut the next one off; false at the end. */
bool name_attribute_next(struct bytes *attributes, struct bytes *ret_key, struct bytes *ret_value);

#endif
