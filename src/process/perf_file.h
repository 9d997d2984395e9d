/* perf_file.h: which records are in a perf.data file, and of which events?
 *
 * Reads files and what `perf record -o -` writes into a pipe, from machines of either byte order,
 * with compressed records or not. The format is described in Linux,
 * tools/perf/Documentation/perf.data-file-format.txt. A recorder that was killed leaves a file
 * without sizes and feature sections; its complete records are read.
 *
 * By hand: the only other reader is perf itself, which offers no library. `perf script` takes 8 to
 * 17 times as long as folding with Kiln: `bench/perf_data.sh`. */
#ifndef KILN_PROCESS_PERF_FILE_H
#define KILN_PROCESS_PERF_FILE_H

#include "base/hash.h"
#include "base/input.h"
#include "process/perf_file_info.h"
#include "process/perf_unpack.h"

#define PERF_FILE_MAGIC	    "PERFILE2" /* first bytes, of a little-endian machine */
#define PERF_FILE_MAGIC_BIG "2ELIFREP"

/* Record types of perf itself; the kernel's types are smaller. */
enum perf_user_record {
	PERF_USER_FIRST = 64,
	PERF_USER_ATTR = 64,
	PERF_USER_EVENT_TYPE = 65,
	PERF_USER_TRACING_DATA = 66,
	PERF_USER_BUILD_ID = 67,
	PERF_USER_FINISHED_ROUND = 68,
	PERF_USER_AUXTRACE = 71,
	PERF_USER_EVENT_UPDATE = 78,
	PERF_USER_FEATURE = 80,
	PERF_USER_COMPRESSED = 81,
	PERF_USER_COMPRESSED2 = 83,
	PERF_USER_LAST = 85, /* the last known one */
};

struct perf_file_event {
	struct perf_event_attr attr;
	struct perf_layout layout;
	struct buffer name; /* see perf_file_name_events */
	uint64_t first_id;
};

struct perf_file {
	struct bytes content;		 /* all of it, with the parts behind the file */
	VECTOR(struct input_part) parts; /* of a recording in a folder: only records */
	size_t parts_read;
	bool pipe, swapped;
	uint64_t at, end; /* offsets: of the next record, and of the end of records */
	VECTOR(struct perf_file_event *) events;
	VECTOR(struct perf_file_id {
		uint64_t id;
		uint32_t event;
	})
	ids; /* 0 is unused */
	struct id_map by_id;
	struct perf_file_info about;
	struct perf_blocks blocks;
	struct perf_unpack unpack;

	char damage[ERROR_ROOM]; /* why reading ended early: a phrase with an offset; "": it did not
				  */
	bool killed;		 /* the recorder did not finish the file */
	uint64_t cut;		 /* bytes of records that the header promises but the file lacks */
	uint64_t cut_sections;	 /* the same of sections behind the records */
	uint64_t auxtrace;	 /* bytes of hardware traces that were skipped... */
	uint64_t auxtraces;	 /* ... in this many records */
	uint64_t unknown;	 /* records of unknown types */
	uint64_t misplaced;	 /* records that cannot be decoded where they are */
};

/* Read the header of `content`, which outlives the file. ERR_FORMAT when it is not valid or ends
 * before the first record; ERR_UNSUPPORTED for the format before 2010. */
bool perf_file_open(struct perf_file *f, struct bytes content, struct error *err);
void perf_file_release(struct perf_file *f);

/* The records of other threads follow those of the file (perf record --threads). `content` begins
 * with the file's; it and the parts outlive the file. Damage ends only the part that it is in. */
void perf_file_add_parts(
	struct perf_file *f, struct bytes content, const struct input_part *parts, size_t count);

/* A kernel record or PERF_USER_FINISHED_ROUND, in our byte order, 8-byte aligned. */
struct perf_file_record {
	struct bytes bytes;
	const struct perf_file_event *event; /* NULL: unknown id */
	uint32_t
		block; /* the block that holds it until perf_file_drop_blocks; 0: the file itself */
};

/* The next record in file order; records for the reader itself are processed here. False at the
 * end and where the file is damaged. */
bool perf_file_next(struct perf_file *f, struct perf_file_record *ret_record);

/* The event with an id; NULL: none. */
const struct perf_file_event *perf_file_event_of(const struct perf_file *f, uint64_t id);

/* Records of blocks before `block` are no longer needed. */
void perf_file_drop_blocks(struct perf_file *f, uint32_t block);

/* Name all events: as in the file, or from their attr. Call before the first sample, and again
 * when events were added. */
void perf_file_name_events(struct perf_file *f);

#endif
