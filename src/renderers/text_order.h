/* text_order.h: in which order must a tree be walked so that its paths come out sorted? */
#ifndef KILN_RENDERERS_TEXT_ORDER_H
#define KILN_RENDERERS_TEXT_ORDER_H

#include "base/bytes.h"

/* Ranks of `count` distinct texts (without ';') as parts of paths joined by ';'. A text at the
 * end of a path and the same text followed by ';' have separate ranks, because another text can
 * be between them: "f", "f(int)", "f;g" is the order of bytes. */
struct text_order {
	uint32_t *ending;  /* rank of the text at the end of a path */
	uint32_t *leading; /* followed by ';'; all ranks are below 2 * count */
};

void text_order_init(struct text_order *o, const struct bytes *texts, size_t count);
void text_order_release(struct text_order *o);

#endif
