/* session.h: the life of a recording: from its targets to its end, whatever ends it. */
#ifndef KILN_RECORDERS_SESSION_H
#define KILN_RECORDERS_SESSION_H

#include "images/kernel.h"
#include "images/unwind.h"
#include "process/jit_code.h"
#include "process/processes.h"
#include "recorders/budget.h"
#include "recorders/capabilities.h"
#include "recorders/cgroup_labels.h"
#include "recorders/cgroup_search.h"
#include "recorders/target.h"

enum record_stacks {
	STACKS_TABLES,	       /* user stacks from a copy of the stack and unwind tables */
	STACKS_FRAME_POINTERS, /* user stacks as the kernel walks them */
};

enum record_way {
	WAY_BEST,
	WAY_PERF, /* samples come through the rings of perf_event_open */
	WAY_BPF,  /* a program in the kernel takes them */
};

/* ns: between the calls of session.tick, which keeps what has come. A recorder that is killed loses
 * what came since, and what came while that is named and written: less than a second in all. */
#define COMMIT_INTERVAL ((uint64_t)500000000)

#define FREQUENCY_MAX	  UINT64_MAX /* as the kernel allows */
#define STACK_BYTES_MOST  65528u     /* the kernel's limit: what fits into a record */
#define STACK_BYTES_SMALL 16384u     /* where locked memory is short */

struct record_options {
	struct number_list pids, tids, cpus;
	struct cgroup_names groups;
	bool system_wide;
	char **command;		     /* NULL-terminated; NULL: none */
	uint64_t frequency;	     /* Hz, FREQUENCY_MAX, or 0: the default */
	uint64_t duration;	     /* ns; 0: until the target ends or a signal comes */
	const char *events;	     /* names between commas; NULL: CPU time */
	bool user_only, kernel_only; /* stacks without the other half */
	int stacks;		     /* enum record_stacks */
	int way;		     /* enum record_way, of samples */
	bool untimed;		     /* samples are counted, their times are not kept */
	bool no_page_in;	     /* pages of stacks are not waited for */
	uint64_t ring_bytes;	     /* of each CPU's ring; 0: as large as it has to be */
	uint64_t stack_bytes;	     /* 0: the default */
	const char *tee;	     /* save ring bytes here; NULL: no */
	uint64_t least, most;	     /* ns that a wait lasts; 0: as the recorder has it; no limit */
	VECTOR(struct bytes) wait_states; /* wait_state_named, each; none: all */
	bool wakers;			  /* stacks go on with who ended the wait */
	bool reads, writes;		  /* only such calls */
	bool latency;	       /* calls, requests weigh what they take, not what they move */
	bool files;	       /* stacks end with the name of the file */
	bool devices;	       /* ... of the device */
	unsigned lock_kinds;   /* bits by enum lock_kind; 0: all */
	const char *weight;    /* what a hit weighs; NULL: 1 */
	bool cheap;	       /* page faults, brk and mmap instead of malloc */
	bool yes;	       /* probes may be put into every process */
	uint64_t max_overhead; /* parts of BUDGET_WHOLE that the recorder may take; 0: any */
	bool by_cgroup;	       /* samples say in which control group they are */
};

/* What a recording has done so far; counts of samples. */
struct session_counts {
	uint64_t delivered, idle, lost;
	uint64_t user_stacks, complete; /* samples with a user stack; those that reach its root */
	uint64_t ends[UNWIND_ENDS];	/* user stacks, by how they ended */
	uint64_t guessed;		/* of these, with frames that only frame pointers tell of */
};

enum session_end { END_TARGET, END_DURATION, END_SIGNAL, END_OUTPUT };

struct recorder;
struct sampler;

struct session {
	const struct record_options *options;
	const struct recorder *recorder;
	void *recorder_state;
	struct kernel *kernel; /* its symbols, when the recorder needed them; or NULL... */
	bool kernel_hidden;    /* ... because nobody may see them */
	struct profile profile;
	struct binaries binaries;
	struct processes processes;
	struct jit_code jit;
	struct command_process command;
	struct found_groups groups; /* whoever is in one is recorded */
	struct cgroup_labels cgroups;
	struct session_counts counts;
	int epoll;
	uint64_t started, stopped; /* CLOCK_MONOTONIC, ns */
	bool began;		   /* all that was asked for is recorded from then on */
	bool hurries;		   /* its thread comes before others on the CPU */
	int niceness;		   /* that it had before */
	uint64_t frequency;	   /* Hz at which a timer samples, ... */
	uint64_t own_before;	   /* CPU time that the recorder took to open it all, ns */
	size_t cpus;		   /* ... and how many CPUs; set by the recorder */
	struct budget budget;
	uint64_t next_commit; /* CLOCK_MONOTONIC, ns: tick() is called after a drain from then on */
	uint64_t drain_interval; /* ns, for the recorder to choose; 0: the usual one */
	int64_t wall_offset;	 /* ns from there to the wall clock */
	enum session_end end;
	capabilities finishing; /* that are needed afterwards, by the caller, too */
	int signal;		/* that ended it, or 0 */
	int exec_exit;		/* 126 or 127 when the command could not be executed */
	VECTOR(struct session_target) targets; /* processes whose end is waited for */
	int signals, timer;

	/* Called once before anything else and every COMMIT_INTERVAL while recording; false ends it
	 * (a full disk). Never NULL. */
	bool (*tick)(void *context, struct session *s, struct error *err);
	void *tick_context;
	/* One line each about what is done differently than asked for; never NULL. */
	void (*notice)(const char *text);
};

/* From now on, signals that end a recording wait for session_run. */
void session_hold_signals(void);
/* Record: targets, events, start, drain, stop. On failure nothing is running any more; what was
 * recorded until then is in the profile. `tick`, `tick_context`, `notice` and
 * `finishing` are set by the caller. */
bool session_run(struct session *s, const struct recorder *recorder,
	const struct record_options *options, struct error *err);
/* After a recording whose command was told to end: has it? Waits up to five seconds. */
bool session_wait_command(struct session *s);
void session_release(struct session *s);

__attribute__((format(printf, 2, 3))) void session_notice(struct session *s, const char *fmt, ...);

/* Is the command what is recorded, and not only how long? */
bool session_records_command(const struct session *s);
/* What tells of which control group samples are; NULL: nobody asked. */
struct cgroup_labels *session_cgroups(struct session *s);
/* May processes become targets that are no children of one? Then all there are have to be known. */
bool session_watches_all(const struct session *s);

/* Have `fd` wake the drain loop when it is readable. */
bool session_watch(struct session *s, int fd, struct error *err);
/* Only each time that the kernel says so, and not for as long as there is something to read. */
bool session_watch_wakeups(struct session *s, int fd, struct error *err);

/* Is what is drained now kept at once? */
bool session_commits(const struct session *s);
/* Open the kernel's symbols, unless that has been tried; that there are none is said. */
void session_open_kernel(struct session *s);
/* Take in what /proc says about the targets, or about all there is. */
void session_read_processes(struct session *s);
/* Say in the session's counts how the stacks of all samples so far ended. */
void session_count_stacks(struct session *s, const struct sampler *sampler);

uint64_t monotonic_ns(void);

#endif
