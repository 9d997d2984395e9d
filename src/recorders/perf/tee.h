/* tee.h: saving all input of a recorder, from the kernel and /proc, as it comes (`record --tee`).
 *
 * A replay goes through the same merge, decoder and unwinder as the live input. The file is
 * for the machine and the release that wrote it: words in its byte order, no promises.
 *
 *	8 bytes		magic
 *	chunks		struct tee_chunk, then `size` bytes, then zeroes up to a whole word
 */
#ifndef KILN_RECORDERS_PERF_TEE_H
#define KILN_RECORDERS_PERF_TEE_H

#include "base/output.h"
#include "process/perf_record.h"
#include "recorders/perf/counts.h"

#define TEE_MAGIC "KILNTEE\1"

enum tee_kind {
	TEE_SETUP = 1, /* struct tee_setup */
	TEE_EVENT,     /* struct tee_event, then its name; numbered in order */
	TEE_ID,	       /* a word: the kernel's id of event a */
	TEE_RING,      /* struct tee_ring; numbered in order */
	TEE_BYTES,     /* new bytes of ring a */
	TEE_UNTIL,     /* a word: records up to this time were taken */
	TEE_MAPS,      /* /proc/PID/maps of process a */
	TEE_NAME,      /* the name of thread b of process a */
	TEE_TOTALS,    /* struct event_totals of event a */
};

struct tee_chunk {
	uint32_t kind, size; /* size in bytes, of what follows */
	uint32_t a, b;
};

struct tee_setup {
	uint64_t parts; /* enum stack_parts */
};
struct tee_event {
	uint64_t clock, counting, period;
};
struct tee_ring {
	uint64_t cpu, size;
	struct perf_layout layout;
};

struct tee {
	struct output out;
	bool open;
};

/* ERR_IO. Nothing is written through a tee that is not open. */
bool tee_open(struct tee *tee, const char *path, struct error *err);
void tee_add(struct tee *tee, enum tee_kind kind, uint32_t a, uint32_t b, struct bytes content);
/* Give the file its name. */
bool tee_close(struct tee *tee, struct error *err);

#endif
