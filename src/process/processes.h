/* processes.h: which processes and threads are there, what are they called, and what is mapped
 * where?
 *
 * Fed with records in the order of their times, it is the state of all processes at the time of the
 * last one. */
#ifndef KILN_PROCESS_PROCESSES_H
#define KILN_PROCESS_PROCESSES_H

#include "process/address_space.h"
#include "process/binaries.h"
#include "process/perf_record.h"

struct process_state {
	int32_t pid, parent;	     /* parent 0: unknown */
	process_id process;	     /* row of the profile */
	struct address_space *space; /* NULL: none (a kernel thread, or gone) */
	bool kernel;		     /* a kernel thread */
	bool replaced;	 /* it runs a new program, of which nothing is mapped yet: the space is the
			    old one's */
	bool unknown;	 /* no record told of it: it was looked up in /proc */
	uint32_t misses; /* addresses in no known mapping since the last change */
	uint64_t read_time; /* when /proc/PID/maps was last read; 0: never */
};

struct thread_state {
	int32_t tid, pid;
	string_id name;
	thread_id thread; /* row of the profile; 0: not made yet */
};

struct processes {
	struct profile *profile;
	struct binaries *binaries;
	struct address_space *kernel_space; /* what records of pid -1 tell; NULL: nothing */
	bool live;			    /* /proc may be asked about what records did not tell */
	bool closed; /* of processes that are not known, and no children of such, records are
			ignored */
	uint32_t last_space;
	/* Sees what /proc said: a thread's name, or (tid 0) the mappings of a process; or NULL. */
	void (*told)(void *context, int32_t pid, int32_t tid, struct bytes text);
	void *told_context;
	/* Learns that addresses of a process mean something else from now on; or NULL. */
	void (*remapped)(void *context, int32_t pid);
	void *remapped_context;
	VECTOR(struct loaded_symbol) loaded; /* code that was loaded into the kernel, with names */
	VECTOR(struct control_group) cgroups;
	struct id_map by_cgroup; /* to its row and one */
	uint64_t rereads;	 /* of /proc/PID/maps, for addresses in no known mapping */
	VECTOR(struct process_state) rows; /* 0 is unused */
	VECTOR(struct thread_state) threads;
	struct id_map by_pid, by_tid;
	uint32_t last_row, last_thread; /* asked for; 0: none */
};

void processes_init(struct processes *p, struct profile *profile, struct binaries *binaries);
void processes_release(struct processes *p);

/* Take in COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL and CGROUP; others are ignored. */
void processes_apply(struct processes *p, const struct perf_record *record);

/* Take in what /proc says about a process now: its threads, names and mappings. ERR_IO when it does
 * not exist or may not be looked at. */
bool processes_read(struct processes *p, int32_t pid, struct error *err);

/* Only the name of a thread; of the process too when it is its first one. */
void processes_read_name(struct processes *p, int32_t pid, int32_t tid, struct bytes name);
/* Only the mappings, from the text of /proc/PID/maps: they replace what was known, unless
 * there is no text: a kernel thread, or a process that is just exiting. Lines that cannot be read
 * are left out. */
void processes_read_maps(struct processes *p, int32_t pid, struct bytes text);

/* The state of a process; one that is not known is looked up in /proc (when live) or made up. Valid
 * until the next call. */
struct process_state *processes_get(struct processes *p, int32_t pid);

/* The profile's row for a thread under its present name. */
thread_id processes_thread(struct processes *p, int32_t pid, int32_t tid);

/* The mapping at `address` of a process, or NULL. When live, /proc/PID/maps is read again for an
 * address in no known mapping, at most ten times a second of `now` (ns). Valid until the next
 * change. */
const struct mapped *processes_find(
	struct processes *p, struct process_state *process, uint64_t address, uint64_t now);

/* Name the places in code that records have named: BPF programs and the kernel's own trampolines.
 */
void processes_name_loaded(struct processes *p);

/* A control group, as the kernel numbers it, has this path. */
void processes_add_cgroup(struct processes *p, uint64_t id, struct bytes path);
/* The path of a control group as records tell; 0: not told. */
string_id processes_cgroup(const struct processes *p, uint64_t id);

/* Has it been told of? */
bool processes_knows(const struct processes *p, int32_t pid);
/* Is it a kernel thread? Is `pid` `ancestor` or one of its descendants, as far as records tell? */
bool processes_is_kernel(const struct processes *p, int32_t pid);
bool processes_descends(const struct processes *p, int32_t pid, int32_t ancestor);

#endif
