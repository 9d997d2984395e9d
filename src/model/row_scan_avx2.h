/* row_scan_avx2.h: row_scan.h compiled for AVX2; row_scan.c calls it if the CPU can. */
#ifndef KILN_MODEL_ROW_SCAN_AVX2_H
#define KILN_MODEL_ROW_SCAN_AVX2_H

#include <stddef.h>
#include <stdint.h>

size_t row_scan_ids_avx2(const uint32_t *ids, size_t count, uint32_t bound);
size_t row_scan_earlier_avx2(const uint32_t *ids, size_t count, uint32_t first);
size_t row_scan_times_avx2(const uint64_t *times, size_t count, uint64_t limit);

#endif
