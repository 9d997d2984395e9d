/* scan.c: searches text at memory speed. */
#include "readers/lines/scan.h"

static size_t scan_empty_line_narrow(struct bytes text);
static size_t scan_newlines_narrow(struct bytes text, uint32_t *ret_at, size_t limit);
static size_t scan_common_start_narrow(struct bytes a, struct bytes b);
static size_t scan_common_end_narrow(struct bytes a, struct bytes b);

#define SCAN_BLOCK 16
#define SCAN(name) scan_##name##_narrow
#include "readers/lines/scan_loops.h"

#ifdef __x86_64__
#include "readers/lines/scan_avx2.h"
#define WIDEST(name, ...)                                                                          \
	(__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define WIDEST(name, ...) name##_narrow(__VA_ARGS__)
#endif

size_t scan_empty_line(struct bytes text)
{
	return WIDEST(scan_empty_line, text);
}

size_t scan_newlines(struct bytes text, uint32_t *ret_at, size_t limit)
{
	return WIDEST(scan_newlines, text, ret_at, limit);
}

size_t scan_common_start(struct bytes a, struct bytes b)
{
	return WIDEST(scan_common_start, a, b);
}

size_t scan_common_end(struct bytes a, struct bytes b)
{
	if (!a.len || !b.len) /* there may be nothing to add to */
		return 0;
	return WIDEST(scan_common_end, a, b);
}
