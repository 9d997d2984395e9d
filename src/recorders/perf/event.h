/* event.h: opening kernel events, what this kernel offers, and why it refuses. */
#ifndef KILN_RECORDERS_PERF_EVENT_H
#define KILN_RECORDERS_PERF_EVENT_H

#include "recorders/obstacle.h"
#include "recorders/perf/event_names.h"

#include <sys/types.h>

/* What the running kernel supports, found by trying. */
struct perf_features {
	bool any;	   /* this process may open an event at all */
	bool lost;	   /* PERF_FORMAT_LOST: 6.0 */
	bool build_id;	   /* build ids in MMAP2: 5.12 */
	bool ksymbol;	   /* KSYMBOL: 5.1 */
	bool cgroup;	   /* CGROUP, and in samples: 5.7, with CONFIG_CGROUP_PERF */
	bool kernel;	   /* this user may sample the kernel */
	bool system;	   /* ... and all processes */
	int paranoid;	   /* kernel.perf_event_paranoid */
	uint64_t max_rate; /* kernel.perf_event_max_sample_rate */
};
void perf_features_probe(struct perf_features *ret_features);

/* perf_event_open(2), close-on-exec; -1 with errno. `flags`: PERF_FLAG_PID_CGROUP when `pid` is the
 * descriptor of a control group, else 0. */
int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags);
/* Can events be put on this control group (an open folder)? */
bool perf_event_takes_cgroup(int fd);

/* What every event of a recording has in common: size, clock, identity, and read format. */
void perf_attr_init(struct perf_event_attr *ret_attr, const struct perf_features *features);

/* What this user may not sample, and the sysctl or capability that allows it. Returns false. */
enum perf_scope {
	PERF_OWN,    /* user code of own processes */
	PERF_KERNEL, /* ... and the kernel */
	PERF_SYSTEM, /* ... and all processes, on all CPUs */
	PERF_GROUP,  /* ... of a control group */
};
bool perf_event_obstacle(
	struct obstacle *ret, const struct perf_features *features, enum perf_scope scope);

/* Can this process sample user code of its own at all? False: *ret is what is in the way. */
bool perf_event_check(struct obstacle *ret, const struct perf_features *features);
/* Has this machine the hardware event `cycles`, for a user who may open it? */
bool perf_event_counts_cycles(void);

/* Explain why `name` could not be opened (errno of perf_event_open): which pid has ended, which
 * sysctl, capability or limit prevents it, and what helps. Returns false. */
bool perf_event_error(struct error *err, const struct perf_features *features, const char *name,
	pid_t pid, int cpu);

/* What read(2) gives for an event of perf_attr_init. */
struct perf_count {
	uint64_t value, enabled, running, id, lost; /* times in ns; lost 0 where unknown */
};
bool perf_event_read(int fd, const struct perf_features *features, struct perf_count *ret_count);

#endif
