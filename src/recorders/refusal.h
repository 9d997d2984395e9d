/* refusal.h: what besides capabilities keeps events and programs in the kernel from this process?
 */
#ifndef KILN_RECORDERS_REFUSAL_H
#define KILN_RECORDERS_REFUSAL_H

#include "recorders/obstacle.h"

/* What a container has to be given. */
#define REFUSAL_DOCKER                                                                             \
	"docker run --cap-add PERFMON --cap-add BPF --security-opt seccomp=unconfined (or with a " \
	"profile that allows perf_event_open and bpf)"

/* Is the whole kernel, its memory too, kept from root? False where nothing tells. */
bool kernel_confidential(void);

/* Is this process in a sandbox that keeps system calls from it, whatever its capabilities: does a
 * seccomp filter look at its calls, or do its capabilities belong to a user namespace? */
bool refusal_known(void);
/* Say so of `call`, "bpf(2)", or that the kernel refuses it. ERR_PERMISSION. Returns false. */
bool refusal_find(struct obstacle *ret, const char *call);

/* There is no memory for `doing`: say what limits it. ERR_IO. Returns false. */
bool refusal_memory(struct error *err, const char *doing);

#endif
