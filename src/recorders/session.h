/* session.h: the life of a recording: from its targets to its end, whatever ends it. */
#ifndef KILN_RECORDERS_SESSION_H
#define KILN_RECORDERS_SESSION_H

#include "images/kernel.h"
#include "images/unwind.h"
#include "process/jit_code.h"
#include "process/processes.h"
#include "recorders/budget.h"
#include "recorders/capabilities.h"
#include "recorders/cgroups/labels.h"
#include "recorders/request.h"
#include "recorders/sampler.h"

/* ns: between the calls of session.tick, which keeps what has come. A recorder that is killed loses
 * what came since, and what came while that is named and written: less than a second in all. */
#define COMMIT_INTERVAL ((uint64_t)500000000)

/* What a recording has done so far; counts of samples. */
struct session_counts {
	uint64_t delivered, idle, lost;
	struct stack_counts stacks;
};

enum session_end { END_TARGET, END_DURATION, END_SIGNAL, END_OUTPUT };

struct recorder;

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
#endif
