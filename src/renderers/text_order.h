/* text_order.h: in which order must a tree be walked so that its paths come out sorted? */
#ifndef KILN_RENDERERS_TEXT_ORDER_H
#define KILN_RENDERERS_TEXT_ORDER_H

#include "base/bytes.h"

/* Ranks of `count` different texts (without ';') as parts of paths joined by ';'. A text that ends
 * a path and the same text with more behind it have ranks of their own, since another one can come
 * in between: "f", "f(int)", "f;g" is the order of bytes. */
struct text_order {
	uint32_t *ending;  /* rank of the text at the end of a path */
	uint32_t *leading; /* and with a ';' behind it; all ranks are below 2 * count */
};

void text_order_init(struct text_order *o, const struct bytes *texts, size_t count);
void text_order_release(struct text_order *o);

#endif
