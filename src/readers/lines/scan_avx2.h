/* scan_avx2.h: scan.h with wider registers; scan.c takes it where it can. */
#ifndef KILN_READERS_LINES_SCAN_AVX2_H
#define KILN_READERS_LINES_SCAN_AVX2_H

#include "base/bytes.h"

size_t scan_empty_line_avx2(struct bytes text);
size_t scan_newlines_avx2(struct bytes text, uint32_t *ret_at, size_t limit);
size_t scan_common_start_avx2(struct bytes a, struct bytes b);
size_t scan_common_end_avx2(struct bytes a, struct bytes b);

#endif
