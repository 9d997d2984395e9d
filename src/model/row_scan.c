/* row_scan.c: which is the first row of a column that is out of its bounds? */
#include "model/row_scan.h"

static size_t row_scan_ids_narrow(const uint32_t *ids, size_t count, uint32_t bound);
static size_t row_scan_earlier_narrow(const uint32_t *ids, size_t count, uint32_t first);
static size_t row_scan_times_narrow(const uint64_t *times, size_t count, uint64_t limit);

#define ROW_SCAN(name) row_scan_##name##_narrow
#include "model/row_scan_loops.h"

#ifdef __x86_64__
#include "model/row_scan_avx2.h"
#define WIDEST(name, ...)                                                                          \
	(__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define WIDEST(name, ...) name##_narrow(__VA_ARGS__)
#endif

size_t row_scan_ids(const uint32_t *ids, size_t count, uint32_t bound)
{
	return WIDEST(row_scan_ids, ids, count, bound);
}

size_t row_scan_earlier(const uint32_t *ids, size_t count, uint32_t first)
{
	return WIDEST(row_scan_earlier, ids, count, first);
}

size_t row_scan_times(const uint64_t *times, size_t count, uint64_t limit)
{
	return WIDEST(row_scan_times, times, count, limit);
}
