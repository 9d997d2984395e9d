/* columns.h: binary tables that a page uses in place: docs/view-protocol.md, "Columns". */
#ifndef KILN_RENDERERS_COLUMNS_H
#define KILN_RENDERERS_COLUMNS_H

#include "base/buffer.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/view.h"

/* `count` numbers, owned by the caller until columns_write. */
struct column {
	const char *name, *type; /* "u8", "u16", "u32", "f64" */
	const void *items;
	size_t count;
};

/* Does one column of values suffice? ERR_UNSUPPORTED: a difference has two. */
bool columns_fit(const struct view *v, struct error *err);

/* `{0}` is empty. */
struct columns {
	struct buffer header; /* members of a JSON object, each after a comma: `,"unit":"ns"` */
	VECTOR(struct column) columns;
};

void columns_number(struct columns *c, const char *name, int64_t value);
void columns_text(struct columns *c, const char *name, struct bytes value);
void columns_add(
	struct columns *c, const char *name, const char *type, const void *items, size_t count);

/* Write everything and release it. */
void columns_write(struct columns *c, struct output *out);

#endif
