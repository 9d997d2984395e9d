/* processes.h: which processes and threads exist, what are they called, and what is mapped where?
 *
 * Feed it with records in the order of their times (perf_order.h); it then has the state of all
 * processes at the time of the last record. So a sample's addresses are resolved to mappings at
 * once, while it is known what was mapped, and only their names are found later. While recording,
 * /proc tells about processes that were running before.
 *
 * The floor in short, in the order in which a sample passes it: perf_file.h and perf_order.h give
 * the records of a file, perf_record.h decodes them, processes.h keeps the state, unwinder.h finds
 * the addresses of a stack copy (walks.h: in several threads), stacks.h turns addresses into a
 * stack of locations, and symbolize.h names the locations later. jit_code.h follows generated code.
 */
#ifndef KILN_PROCESS_PROCESSES_H
#define KILN_PROCESS_PROCESSES_H

#include "process/address_space.h"
#include "process/binaries.h"
#include "process/perf_record.h"

struct process_state {
	int32_t pid, parent;	     /* parent 0: unknown */
	process_id process;	     /* row of the profile */
	struct address_space *space; /* NULL: none (a kernel thread, or ended) */
	bool kernel;		     /* a kernel thread */
	bool replaced; /* it executes a new program of which nothing has been mapped yet: `space` is
		      the old program's */
	uint64_t read_time; /* when /proc/PID/maps was last read; 0: never */
};

struct thread_state {
	int32_t tid, pid;
	string_id name;
	thread_id thread; /* row of the profile; 0: not added yet */
};

struct processes {
	struct profile *profile;
	struct binaries *binaries;
	struct address_space *kernel_space; /* mappings of pid -1 in records; NULL: none */
	struct patience patience;	    /* limits the time for reading mappings from /proc */
	bool live;			    /* /proc may be read for what records did not say */
	bool closed; /* records about unknown processes, except children of known ones, are ignored
		      */
	uint32_t last_space;
	/* Receives what /proc said: a thread's name, or (tid 0) the mappings of a process; or
	 * NULL. */
	void (*read_text)(void *context, int32_t pid, int32_t tid, struct bytes text);
	void *read_text_context;
	/* Called when addresses of a process have changed their meaning; or NULL. */
	void (*remapped)(void *context, int32_t pid);
	void *remapped_context;
	VECTOR(struct loaded_symbol) loaded; /* code that was loaded into the kernel, with names */
	VECTOR(struct control_group) cgroups;
	struct id_map by_cgroup; /* to its row plus one */
	uint64_t rereads;	 /* of /proc/PID/maps, for addresses in no known mapping */
	VECTOR(struct process_state) rows; /* 0 is unused */
	VECTOR(struct thread_state) threads;
	struct id_map by_pid, by_tid;
	uint32_t last_row, last_thread; /* of the last lookups; 0: none */
};

void processes_init(struct processes *p, struct profile *profile, struct binaries *binaries);
void processes_release(struct processes *p);

/* Apply COMM, FORK, EXIT, MMAP, MMAP2, KSYMBOL and CGROUP records; others are ignored. */
void processes_apply(struct processes *p, const struct perf_record *record);

/* Read the threads, names and mappings of a process from /proc. ERR_IO when it does not exist or
 * must not be read. */
bool processes_read(struct processes *p, int32_t pid, struct error *err);
/* As processes_read, for one of many processes. False: it has so many mappings that they were not
 * read; other processes should be read first. */
bool processes_read_small(struct processes *p, int32_t pid);

/* Set the name of a thread; for the main thread, also of the process. */
void processes_read_name(struct processes *p, int32_t pid, int32_t tid, struct bytes name);
/* Replace the mappings by those in the text of /proc/PID/maps. An empty text (a kernel thread,
 * or an exiting process) has no effect; invalid lines are skipped. */
void processes_read_maps(struct processes *p, int32_t pid, struct bytes text);

/* The state of a process; an unknown one is read from /proc (when live) or created. Valid until
 * the next call. */
struct process_state *processes_get(struct processes *p, int32_t pid);

/* The profile's row for a thread under its current name. */
thread_id processes_thread(struct processes *p, int32_t pid, int32_t tid);

/* The mapping at `address` of a process, or NULL. When live, /proc/PID/maps is read again for an
 * address in no known mapping, at most ten times per second of `now` (ns). Valid until the next
 * change. */
const struct mapped *processes_find(
	struct processes *p, struct process_state *process, uint64_t address, uint64_t now);

/* Name the locations in code that records have named: BPF programs and kernel trampolines. */
void processes_name_loaded(struct processes *p);

/* Store the path of a control group, by the kernel's id. The first path of an id counts. */
void processes_add_cgroup(struct processes *p, uint64_t id, struct bytes path);
/* The path of a control group; 0: unknown. */
string_id processes_cgroup(const struct processes *p, uint64_t id);

/* Is the process known from records or /proc? */
bool processes_has(const struct processes *p, int32_t pid);
/* processes_is_kernel: a kernel thread? processes_descends: is `pid` `ancestor` or one of its
 * descendants, as far as known? */
bool processes_is_kernel(const struct processes *p, int32_t pid);
bool processes_descends(const struct processes *p, int32_t pid, int32_t ancestor);

#endif
