/* scan_avx2.c: the loops of scan.h, compiled for processors with AVX2. */
#include "readers/lines/scan_avx2.h"

#define SCAN_BLOCK 32
#define SCAN(name) scan_##name##_avx2
#include "readers/lines/scan_loops.h"
