/* replay_tee.h: what `record --tee` saved, through the recorder's own merge, decoder and unwinder.
 */
#ifndef KILN_TESTS_REPLAY_TEE_H
#define KILN_TESTS_REPLAY_TEE_H

#include "recorders/perf/ring.h"
#include "recorders/sampler.h"

struct replay {
	struct profile profile;
	struct binaries binaries;
	struct processes processes;
	struct sampler sampler;
	struct perf_merge merge;
	uint64_t records;
};

/* Replay all of `content`. With `open_files` binaries are opened by their paths and used when their
 * build ids match. False (ERR_FORMAT) at a chunk that cannot be one; what came before it has been
 * replayed. Release in either case. */
bool replay_tee(struct replay *r, struct bytes content, bool open_files, struct error *err);
void replay_release(struct replay *r);

#endif
