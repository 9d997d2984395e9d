/* kiln_columns.h: what a .kiln file consists of, shared by its writer and its reader.
 *
 * docs/kiln-format.md specifies the same for readers in other languages. All numbers are
 * little-endian; rows are the structs of profile.h as they are in memory. */
#ifndef KILN_MODEL_KILN_COLUMNS_H
#define KILN_MODEL_KILN_COLUMNS_H

#include "model/profile.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Kiln maps .kiln files as they are and runs on little-endian machines only"
#endif

#define KILN_ALIGN	   ((size_t)64)	       /* of every section and every payload, bytes */
#define KILN_PIECE	   ((size_t)256 << 10) /* bytes of a payload that are hashed at once */
#define KILN_SECTION_MAGIC 0x4345534Bu	       /* "KSEC" */

#define KILN_ROWS_UNIQUE 1u /* flags: no two strings, frames or stacks are equal */

/* The first 64 bytes of a file. */
struct kiln_header {
	char magic[8];
	uint32_t version;
	uint32_t align;
	uint64_t flags;
	uint64_t reserved[4];
	uint64_t checksum; /* XXH3-64 of the bytes before it */
};

/* In front of every payload; `offset` is its own offset in the file. */
struct kiln_section {
	uint32_t magic;
	uint16_t table, column;
	uint32_t instance; /* which samples table or stream; otherwise 0 */
	uint32_t item_size;
	uint64_t first, rows;
	uint64_t size; /* of the payload without padding, bytes: rows * item_size */
	uint64_t offset;
	uint64_t payload_checksum; /* kiln_checksum */
	uint64_t checksum;	   /* XXH3-64 of the bytes before it */
};

enum kiln_table {
	TABLE_CONTROL, /* columns: enum kiln_control */
	TABLE_STRINGS,
	TABLE_FRAMES,
	TABLE_PROCESSES,
	TABLE_MAPPINGS,
	TABLE_LOCATIONS,
	TABLE_LOCATION_FRAMES,
	TABLE_STACKS,
	TABLE_THREADS,
	TABLE_LABEL_SETS,
	TABLE_SAMPLES,
	TABLE_STREAMS,
	TABLE_LOSSES,
	TABLE_META,
	TABLES,
	/* Not tables, but bounds for values in rows: */
	BOUND_FRAME_KINDS = TABLES,
	BOUND_MAPPING_KINDS,
	BOUNDS
};

enum kiln_control {
	CONTROL_COMMIT = 1, /* no rows: everything before it is complete and consistent */
	CONTROL_INDEX = 2,  /* rows: copies of the headers of all sections before it */
	CONTROL_END =
		3, /* the last 64 bytes of a finished file; `first` is the offset of the index */
};

/* Where the vector of a column is. */
enum kiln_place { IN_PROFILE, IN_SAMPLES, IN_STREAM, IN_STREAM_ROWS };

/* What a uint32_t in a row refers to. */
struct kiln_reference {
	enum {
		REFERENCE_NONE,
		REFERENCE_BELOW,
		REFERENCE_EARLIER,
		REFERENCE_SPAN,
		REFERENCE_TIME /* not a reference: a uint64_t of at most PROFILE_TIME_LIMIT */
	} rule;
	uint16_t offset; /* in the row, bytes */
	uint16_t bound;	 /* enum kiln_table or BOUND_*: values are below its number of rows */
};
#define KILN_REFERENCES 4

struct kiln_column {
	const char *name; /* "stacks.caller" */
	uint16_t table, column;
	uint32_t item_size;
	enum kiln_place place;
	size_t vector;	/* offset of the vector in struct profile, samples or stream */
	bool rewritten; /* rows may change after they were added; then all are written again */
	struct kiln_reference references[KILN_REFERENCES];
};

/* In the order in which they are written: a column before those that refer to it. */
extern const struct kiln_column kiln_columns[];
extern const size_t kiln_column_count;
#define KILN_COLUMNS_LIMIT 32

/* The index of (table, column) in kiln_columns; SIZE_MAX: unknown. */
size_t kiln_column_find(uint16_t table, uint16_t column);

/* Any VECTOR, accessed by memcpy: the members have the same sizes for every item type. */
struct kiln_vector {
	void *items;
	size_t len, cap;
};
struct kiln_vector kiln_vector_get(const void *vector);
void kiln_vector_set(void *vector, struct kiln_vector value);

/* XXH3-64 of up to KILN_PIECE bytes; of more bytes, XXH3-64 of the little-endian checksums of
 * the pieces, so that pieces can be verified in parallel. */
uint64_t kiln_checksum(struct bytes payload);

/* Are all references of the rows [first, first + rows) at `items` below `bounds` (the rows of
 * each table, BOUNDS items)? *ret_row is the first row with one that is not. */
bool kiln_column_check(const struct kiln_column *column, const void *items, uint64_t first,
	size_t rows, const uint64_t *bounds, uint64_t *ret_row);

#endif
