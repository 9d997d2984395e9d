/* row_scan_avx2.c: the loops of row_scan.h, compiled for CPUs with AVX2. */
#include "model/row_scan_avx2.h"

#define ROW_SCAN(name) row_scan_##name##_avx2
#include "model/row_scan_loops.h"
