/* perf_swap.h: records from a machine with the other byte order. */
#ifndef KILN_PROCESS_PERF_SWAP_H
#define KILN_PROCESS_PERF_SWAP_H

#include "process/perf_record.h"

/* Reads numbers and text in order; after the first one that does not fit, all reads fail. */
struct perf_fields {
	struct bytes left;
	bool swapped, failed;
};
uint32_t perf_fields_u32(struct perf_fields *f);
uint64_t perf_fields_u64(struct perf_fields *f);
struct bytes perf_fields_bytes(struct perf_fields *f, uint64_t size);
/* A perf_header_string: its length, then text padded with NULs. */
struct bytes perf_fields_text(struct perf_fields *f);

/* The header, swapped if necessary; `bytes` has at least its size. */
struct perf_event_header perf_header_of(struct bytes bytes, bool swapped);

/* Convert a kernel record to our byte order, in place: `record` is 8-byte aligned and has `size`
 * bytes, as its header says. Raw data and stack copies are not converted: their layout is
 * unknown. Fields that do not fit are left for the decoder to report. */
void perf_swap_record(char *record, size_t size, const struct perf_layout *layout);

/* The same for the header only, while the layout is unknown. */
void perf_swap_header(char *record);

#endif
