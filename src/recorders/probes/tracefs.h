/* tracefs.h: the kernel's tracepoints and their fields. */
#ifndef KILN_RECORDERS_PROBES_TRACEFS_H
#define KILN_RECORDERS_PROBES_TRACEFS_H

#include "base/buffer.h"
#include "base/error.h"
#include "recorders/obstacle.h"

#define TRACEPOINT_FILE_LIMIT ((size_t)1 << 16) /* bytes of a tracepoint's files */

/* A field of a tracepoint that is a number. */
struct trace_field {
	char name[64];
	uint32_t offset, size; /* bytes, in the event's record */
	bool is_signed;
};

/* Can this user read tracepoints? False: *ret is what is in the way. */
bool trace_check(struct obstacle *ret);

/* A group of tracepoints with that name? False also where tracefs cannot be read. */
bool trace_group_exists(struct bytes group);

/* The text of a tracepoint's file: "format". ERR_PERMISSION when tracefs cannot be read,
 * ERR_USAGE when there is no such tracepoint; the message names what is near. */
bool trace_read(struct bytes group, struct bytes name, const char *file, struct buffer *text,
	struct error *err);

/* Its number for perf_event_open(2); errors as above. */
bool trace_id(struct bytes group, struct bytes name, uint64_t *ret_id, struct error *err);

/* The field of this name in the text of a `format`. ERR_USAGE: there is none, or it is no number;
 * the message lists those that are. */
bool trace_field_find(struct bytes format, struct bytes group, struct bytes name,
	struct trace_field *ret_field, struct error *err);

#endif
