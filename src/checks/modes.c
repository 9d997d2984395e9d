/* modes.c: which modes of `kiln record` work here? Each is tried. */
#include "checks/checks.h"
#include "checks/trial.h"

#define TRIALS_LIMIT 16u

static void add_notice(struct findings *out, const struct mode *mode, const struct buffer *notices)
{
	struct bytes rest = buffer_bytes(notices), line = {0};

	bytes_line(&rest, &line);
	finding_add(out, mode->name, CHECK_LIMITED, NULL, "%s; %.*s", mode->about, (int)line.len,
		line.at);
}

/* CPU time is sampled in two ways: which one is in the report about recording. */
static void add_mode(struct findings *out, const struct recorder *recorder, struct trial *trial)
{
	const struct mode *mode = recorder->mode;
	struct buffer notices = {0};
	struct error err = {0};
	bool ok = trial_end(trial, &notices, &err);

	if (recorder == recorders[0])
		out->records_cpu = ok;
	if (!ok)
		finding_add(out, mode->name, CHECK_MISSING, NULL, "%s", err.text);
	else if (notices.len && recorder != recorders[0])
		add_notice(out, mode, &notices);
	else
		finding_add(out, mode->name, CHECK_OK, NULL, "%s", mode->about);
	buffer_release(&notices);
}

/* All others have the same reason, which the report about recording tells. */
static void add_others(struct findings *out, const char *need)
{
	struct buffer names = {0};

	for (size_t i = 1; recorders[i]; i++)
		buffer_printf(&names, "%s%s", i > 1 ? ", " : "", recorders[i]->mode->name);
	finding_add(
		out, "others", CHECK_MISSING, NULL, "%s: they need %s (see above)", names.at, need);
	buffer_release(&names);
}

/* The trials run at the same time: most of it is waiting for the kernel. */
static void run_trials(const struct machine *m, struct findings *out)
{
	struct trial trials[TRIALS_LIMIT] = {0};
	bool possible = m->perf.any && m->programs;
	size_t count = 0;

	for (; recorders[count] && count < TRIALS_LIMIT && (possible || !count); count++)
		if (!trial_start(&trials[count], recorders[count], WAY_BEST))
			break;
	for (size_t i = 0; i < count; i++)
		add_mode(out, recorders[i], &trials[i]);
	if (!possible)
		add_others(out, m->perf.any ? "BPF programs" : "events");
}

static const struct check checks[] = {
	{"modes", "records this process for a millisecond in each mode", run_trials},
	{0},
};

extern const struct check_subject check_subject_modes;
const struct check_subject check_subject_modes = {"Modes (kiln record --mode)", checks};
