/* recording.h: the records of a perf.data file, found in the simplest way there is: for files that
 * the tests have made themselves, one event, neither compressed nor from elsewhere. Kiln's reader
 * has no part in it. */
#ifndef KILN_TESTS_PERF_RECORDING_H
#define KILN_TESTS_PERF_RECORDING_H

#include "base/memory.h"
#include "process/perf_record.h"

struct recording {
	struct bytes content;
	struct perf_layout layout;
	uint64_t data, data_end; /* offsets of the first record and behind the last one */
	VECTOR(struct timed {
		uint64_t time;
		size_t at; /* offset of its header */
	})
	records; /* of the kernel, in the order of time */
};

/* Exits with a message when the file is not as described. */
void recording_open(struct recording *r, const char *path);
void recording_release(struct recording *r);

/* The header at an offset, which is inside of the data. */
const struct perf_event_header *recording_header(const struct recording *r, size_t at);

#endif
