/* session.h: the course of a recording, from its targets to its end.
 *
 * session_run finds or starts the targets, opens the recorder of the mode, enables its events and
 * drains them in a loop until the target ends, the time is over or a signal comes. The loop sleeps
 * until a ring is filling up, a timer expires, a target ends or a signal arrives (all in one
 * epoll). The recorder adds samples to session.profile; every COMMIT_INTERVAL the caller writes
 * them to the output (session.tick), so that little is lost if the recorder is killed. */
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

/* ns between the calls of session.tick, which writes what has come. A recorder that is killed loses
 * what came since the last one, and what came while that was written: less than a second in all. */
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
	bool kernel_refused;   /* this user may not sample it, and the options do not exclude it */
	struct profile profile;
	struct binaries binaries;
	struct processes processes;
	struct jit_code jit;
	struct command_process command;
	struct found_groups groups; /* processes in one of them are recorded */
	struct cgroup_labels cgroups;
	struct session_counts counts;
	int epoll;
	uint64_t started, stopped; /* CLOCK_MONOTONIC, ns */
	bool began;	      /* everything is attached: the recording is complete from then on */
	bool priority_raised; /* of the recorder's thread, while it records */
	int niceness;	      /* before that */
	uint64_t frequency;   /* Hz at which a timer samples; set by the recorder */
	size_t cpus;	      /* how many CPUs are sampled; set by the recorder */
	uint64_t own_before;  /* CPU time that the recorder took to open its events, ns */
	struct budget budget;
	uint64_t next_commit; /* CLOCK_MONOTONIC, ns: the first drain from then on is followed by a
				 call of tick() */
	uint64_t drain_interval; /* ns, for the recorder to choose; 0: the usual one */
	int64_t wall_offset;	 /* ns to add to CLOCK_MONOTONIC to get wall-clock time */
	enum session_end end;
	capabilities finishing; /* needed when the recording has ended, by the caller, too */
	int signal;		/* that ended it, or 0 */
	int exec_exit;		/* 126 or 127 when the command could not be executed */
	VECTOR(struct session_target) targets; /* processes whose end is waited for */
	int signals, timer;

	/* Called once before anything else and every COMMIT_INTERVAL while recording; false ends it
	 * (a full disk). Never NULL. */
	bool (*tick)(void *context, struct session *s, struct error *err);
	void *tick_context;
	/* One line about something that is done in another way than the options say; never NULL. */
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

/* Is the command recorded, and not only the length of the recording? */
bool session_records_command(const struct session *s);
/* The labels of control groups; NULL without --by-cgroup. */
struct cgroup_labels *session_cgroups(struct session *s);
/* May processes become targets that are not children of a target? Then all processes are followed.
 */
bool session_watches_all(const struct session *s);

/* Have `fd` wake the drain loop when it is readable. */
bool session_watch(struct session *s, int fd, struct error *err);
/* The same, edge-triggered: once for each wakeup by the kernel, and not again for as long as there
 * is something to read. */
bool session_watch_wakeups(struct session *s, int fd, struct error *err);

/* Is tick called after this drain? */
bool session_commits(const struct session *s);
/* Open the kernel's symbols, unless that has been tried; a notice says if there are none. */
void session_open_kernel(struct session *s);
/* Read /proc for the targets, or for all processes. */
void session_read_processes(struct session *s);
#endif
