/* hash_avx2.h: the same hash with wider registers; hash_bytes takes it where it can. */
#ifndef KILN_BASE_HASH_AVX2_H
#define KILN_BASE_HASH_AVX2_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes_avx2(const void *bytes, size_t len);

#endif
