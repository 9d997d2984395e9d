/* perf_swap.h: records and numbers of a machine with the other byte order. */
#ifndef KILN_PROCESS_PERF_SWAP_H
#define KILN_PROCESS_PERF_SWAP_H

#include "process/perf_record.h"

/* Reads numbers and text front to back; after the first one that does not fit it only says so. */
struct perf_fields {
	struct bytes left;
	bool swapped, failed;
};
uint32_t perf_fields_u32(struct perf_fields *f);
uint64_t perf_fields_u64(struct perf_fields *f);
struct bytes perf_fields_bytes(struct perf_fields *f, uint64_t size);
/* A perf_header_string: its length, then text that is padded with NULs. */
struct bytes perf_fields_text(struct perf_fields *f);

/* The header, swapped or not; `bytes` are at least as long as one. */
struct perf_event_header perf_header_of(struct bytes bytes, bool swapped);

/* Bring a record of the kernel's into our byte order, in place: `record` is 8-byte aligned and has
 * `size` bytes, as its header says. Raw data and stack copies stay as they were: what they mean is
 * the other machine's business. Fields that do not fit are left; the decoder finds that out. */
void perf_swap_record(char *record, size_t size, const struct perf_layout *layout);

/* The same for its header only, when the layout is not known yet. */
void perf_swap_header(char *record);

#endif
