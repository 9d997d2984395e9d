/* pprof_format.h: the numbers of pprof's fields, and what kinds of binaries their names tell.
 *
 * Source: github.com/google/pprof, proto/profile.proto. Beside its fields, Kiln writes a few of its
 * own, with numbers from 1001 on: what the format has no place for. Whoever does not know them
 * steps over them, as protobuf wants it, and misses nothing that a pprof file can say. */
#ifndef KILN_NAMES_PPROF_FORMAT_H
#define KILN_NAMES_PPROF_FORMAT_H

#include "base/protobuf.h"
#include "model/profile.h"

enum { /* fields of a profile */
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_DROP_FRAMES,
	PPROF_KEEP_FRAMES,
	PPROF_TIME_NANOS,
	PPROF_DURATION_NANOS,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
	PPROF_COMMENT,
	PPROF_DEFAULT_SAMPLE_TYPE,
	PPROF_DOC_URL,
	PPROF_META = 1001, /* key, value: strings */
};
enum { /* fields of a sample type */
	PPROF_TYPE_NAME = 1,
	PPROF_TYPE_UNIT,
	PPROF_TYPE_KIND = 1001, /* when the name had to be another */
	PPROF_TYPE_EVENT,
	PPROF_TYPE_SIDE,
	PPROF_TYPE_RUN,
	PPROF_TYPE_EXPECTED,
	PPROF_TYPE_DELIVERED,
	PPROF_TYPE_PERIOD,
	PPROF_TYPE_LOSS, /* reason, a string, and count */
};
enum { /* fields of a pair */ PPROF_PAIR_FIRST = 1, PPROF_PAIR_SECOND };
enum { /* fields of a sample */ PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE, PPROF_SAMPLE_LABEL };
enum { /* fields of a label */ PPROF_LABEL_KEY = 1,
	PPROF_LABEL_STR,
	PPROF_LABEL_NUM,
	PPROF_LABEL_UNIT };
enum { /* fields of a mapping */
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START,
	PPROF_MAPPING_LIMIT,
	PPROF_MAPPING_OFFSET,
	PPROF_MAPPING_FILENAME,
	PPROF_MAPPING_BUILD_ID,
	PPROF_MAPPING_HAS_FUNCTIONS,
	PPROF_MAPPING_HAS_FILENAMES,
	PPROF_MAPPING_HAS_LINES,
	PPROF_MAPPING_HAS_INLINES,
	PPROF_MAPPING_KIND = 1001, /* enum mapping_kind */
	PPROF_MAPPING_BASE,
	PPROF_MAPPING_PID, /* and one */
	PPROF_MAPPING_PROCESS,
};
enum { /* fields of a location */
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING,
	PPROF_LOCATION_ADDRESS,
	PPROF_LOCATION_LINE,
	PPROF_LOCATION_FOLDED,
};
enum { /* fields of a line */
	PPROF_LINE_FUNCTION = 1,
	PPROF_LINE_LINE,
	PPROF_LINE_COLUMN,
	PPROF_LINE_KIND = 1001, /* enum frame_kind */
	PPROF_LINE_MODULE,
};
enum { /* fields of a function */
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME,
	PPROF_FUNCTION_SYSTEM_NAME,
	PPROF_FUNCTION_FILENAME,
	PPROF_FUNCTION_START_LINE,
};

/* Labels that tell of the thread that was running: Kiln writes the first name of each. */
enum tag_role { TAG_LABEL, TAG_THREAD, TAG_TID, TAG_PID, TAG_COMM, TAG_CPU };
enum tag_role pprof_tag_role(struct bytes key);

/* "nanoseconds" are "ns" in a profile, and "By" are "bytes"; everything else is called the same. */
struct bytes pprof_unit_to_profile(struct bytes unit);
struct bytes pprof_unit_from_profile(struct bytes unit);

/* What a file of this name is: "[kernel.kallsyms]", "[vdso]", "//anon", "/usr/bin/cat". */
enum mapping_kind pprof_mapping_kind(struct bytes file);

/* Nanoseconds since 1970 and from start to end as meta "started" and "duration". 0, or
 * above PROFILE_TIME_LIMIT: unknown. */
void pprof_set_times(struct profile *p, uint64_t started, uint64_t duration);

/* A number with its unit as the text of a label: "512 bytes", "7". */
void pprof_number_text(struct buffer *b, int64_t number, struct bytes unit);
/* Is it such a text? Then the number, and the unit or "". */
bool pprof_number_of(struct bytes text, int64_t *ret_number, struct bytes *ret_unit);

#endif
