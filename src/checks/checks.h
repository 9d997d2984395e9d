/* checks.h: what can be recorded, named and shown on this machine, and what adds what is missing?
 *
 * A file has the checks of one subject, and one line in meson.build. A check tries what a recording
 * does, by the same functions, instead of concluding it from versions; where something is in the
 * way, its words are those of `kiln record` (recorders/obstacle.h).
 *
 * The floor in short: recording.c tries events and programs, modes.c records for a moment in each
 * mode (trial.h), naming.c looks for names, runtimes.c for runtimes that generate code, viewing.c
 * for a browser. program.h is about one program. packages.h knows which package has its names. */
#ifndef KILN_CHECKS_CHECKS_H
#define KILN_CHECKS_CHECKS_H

#include "base/memory.h"
#include "checks/packages.h"
#include "recorders/obstacle.h"
#include "recorders/perf/event.h"

enum check_state {
	CHECK_OK,
	CHECK_LIMITED, /* works, with less in the profile */
	CHECK_MISSING, /* does not work */
	CHECK_STATES
};
const char *check_state_name(enum check_state state);

/* What a check has found. Texts are one line, and live as long as the findings. */
struct finding {
	const char *subject; /* of the group of checks: "Names" */
	const char *name;
	enum check_state state;
	const char *meaning; /* for the user: "stacks end where the kernel begins" */
	const char *command; /* adds what is missing; "": no single command does */
	const char *tested;  /* how it was found, a phrase; NULL: not told */
};

/* `{0}` is empty. */
struct findings {
	VECTOR(struct finding) list;
	struct arena texts;
	const char *subject, *tested; /* of findings that are added; static */
	bool records_cpu; /* CPU time of this user's own processes, or of the one that is checked,
			     can be recorded */
};
void findings_release(struct findings *f);

/* Add one; `command` may be NULL, and is copied. */
__attribute__((format(printf, 5, 6))) void finding_add(struct findings *f, const char *name,
	enum check_state state, const char *command, const char *fmt, ...);
/* One about what is in the way; `effect` ("stacks end where the kernel begins") goes in front of
 * its reason, unless NULL. */
void finding_add_obstacle(struct findings *f, const char *name, enum check_state state,
	const char *effect, const struct obstacle *o);

/* What several checks are about. */
struct machine {
	struct perf_features perf;
	bool programs;			  /* BPF programs can be loaded... */
	struct obstacle without_programs; /* ... or else what is in the way */
	struct packages packages;
};
void machine_look(struct machine *ret);

struct check {
	const char *name;
	const char *about; /* what it tests, a phrase */
	void (*run)(const struct machine *m, struct findings *out);
};

/* The checks of one file; the last has no name. */
struct check_subject {
	const char *title; /* heading: "Names" */
	const struct check *checks;
};

/* Run the checks of all subjects. */
void checks_run(const struct machine *m, struct findings *out);

/* Where a program of this name is in PATH, or the path itself if it has a slash. False: nowhere. */
bool check_find_program(const char *name, struct buffer *ret_path);

#endif
