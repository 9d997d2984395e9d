/* capabilities.h: what can the page of `kiln view` do with a profile? Its menus are built from
 * this. */
#ifndef KILN_ANSWERS_CAPABILITIES_H
#define KILN_ANSWERS_CAPABILITIES_H

#include "base/buffer.h"

/* Append JSON: the formats that the page can save, the transforms that it can apply, colours and
 * widths of columns, as docs/view-protocol.md describes them. */
void capabilities_list(struct buffer *ret_json);

#endif
