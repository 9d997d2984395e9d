/* hash_avx2.h: the same hash, compiled for AVX2; hash_bytes uses it if the CPU can. */
#ifndef KILN_BASE_HASH_AVX2_H
#define KILN_BASE_HASH_AVX2_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes_avx2(const void *bytes, size_t len);

#endif
