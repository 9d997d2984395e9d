/* well_formed.h: is a text JSON, or XML, as any program would read it? */
#ifndef KILN_FUZZ_WELL_FORMED_H
#define KILN_FUZZ_WELL_FORMED_H

#include "base/bytes.h"

/* One value and nothing behind it. */
bool is_json(struct bytes text);

/* One element, whose tags are closed in order, with quoted attributes; comments, CDATA and
 * declarations. Entities are the five of XML and numbers. */
bool is_xml(struct bytes text);

#endif
