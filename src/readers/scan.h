/* scan.h: questions to text that are asked at memory speed. */
#ifndef KILN_READERS_SCAN_H
#define KILN_READERS_SCAN_H

#include "base/bytes.h"

/* Where the newline is that an empty line follows ("\n\n" or "\n\r\n"); text.len: nowhere. */
size_t scan_empty_line(struct bytes text);

/* How many bytes `a` and `b` have in common at the start, and at the end. */
size_t scan_common_start(struct bytes a, struct bytes b);
size_t scan_common_end(struct bytes a, struct bytes b);

#endif
