/* perf_file_info.h: what does a perf.data file say about itself and the machine it was made on?
 *
 * Its feature sections, described in Linux, tools/perf/Documentation/perf.data-file-format.txt;
 * in a pipe each is a record of its own. */
#ifndef KILN_PROCESS_PERF_FILE_INFO_H
#define KILN_PROCESS_PERF_FILE_INFO_H

#include "base/memory.h"
#include "process/perf_attr.h"
#include "process/perf_swap.h"

#define PERF_FILE_EVENTS_LIMIT 4096u

/* Numbers of feature sections. */
enum perf_feature {
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_DIRECTORY = 24, /* HEADER_DIR_FORMAT */
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURES = 256,
};

/* The build id of a file, in whichever process it was mapped. */
struct perf_file_build_id {
	struct bytes path;
	uint8_t build_id[PERF_BUILD_ID_LIMIT];
	uint8_t size;
};

/* An event's name and ids. */
struct perf_file_name {
	struct bytes name;
	struct perf_event_attr attr;
	uint64_t first_id; /* 0: none */
};

/* `{0}` knows nothing. Missing texts are "" (NULL). */
struct perf_file_info {
	struct arena text;
	struct bytes host, release, version, arch, command;
	bool in_folder;	     /* the file is in a folder, with others of the recording */
	bool clock_known;    /* is wall_offset set? */
	int64_t wall_offset; /* ns to add to times to get wall-clock time */
	VECTOR(struct perf_file_build_id) build_ids;
	VECTOR(struct perf_file_name) names;
	uint64_t damaged; /* sections that were not valid */
};
void perf_file_info_release(struct perf_file_info *a);

/* Read the content of a feature section; irrelevant features are ignored, invalid ones counted. */
void perf_file_info_add_feature(
	struct perf_file_info *a, uint64_t feature, struct bytes content, bool swapped);

/* Read a build id record, with its header. */
void perf_file_info_add_build_id(struct perf_file_info *a, struct bytes record, bool swapped);

#endif
