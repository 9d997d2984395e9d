/* recording.c: what do the kernel and this user's rights let a recorder do? */
#include "checks/checks.h"
#include "checks/trial.h"
#include "recorders/cgroups/cgroup.h"
#include "recorders/cgroups/search.h"
#include "recorders/perf/ring_sizes.h"
#include "recorders/probes/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FEW_THREADS   1000u /* that can be recorded: a large service has more */
#define USUAL_FRAMES  127u  /* the kernel's own default */
#define ADVISED_FILES 1048576u

static void check_events(const struct machine *m, struct findings *out)
{
	struct obstacle o;

	if (perf_event_check(&o, &m->perf))
		finding_add(out, "events", CHECK_OK, NULL,
			"CPU time of your own processes can be sampled");
	else
		finding_add_obstacle(out, "events", CHECK_MISSING, NULL, &o);
}

static void check_kernel_code(const struct machine *m, struct findings *out)
{
	struct obstacle o;

	if (!m->perf.any)
		return;
	if (m->perf.kernel) {
		finding_add(out, "kernel code", CHECK_OK, NULL,
			"stacks continue into the kernel, and into processes of other users");
		return;
	}
	perf_event_obstacle(&o, &m->perf, PERF_KERNEL);
	finding_add_obstacle(
		out, "kernel code", CHECK_LIMITED, "stacks end where the kernel begins", &o);
}

static void check_system(const struct machine *m, struct findings *out)
{
	struct obstacle o;

	if (!m->perf.any)
		return;
	if (m->perf.system) {
		finding_add(out, "whole system", CHECK_OK, NULL, "-a and -C work");
		return;
	}
	perf_event_obstacle(&o, &m->perf, PERF_SYSTEM);
	finding_add_obstacle(out, "whole system", CHECK_LIMITED, "no -a and no -C", &o);
}

static void check_programs(const struct machine *m, struct findings *out)
{
	if (m->programs)
		finding_add(out, "BPF programs", CHECK_OK, NULL,
			"programs in the kernel unwind stacks: all modes, at the lowest cost");
	else
		finding_add_obstacle(out, "BPF programs", CHECK_MISSING, "only --mode cpu",
			&m->without_programs);
}

static void check_pages(const struct machine *m, struct findings *out)
{
	if (!m->programs)
		return;
	if (recorder_programs_wait_for_pages())
		finding_add(out, "stack pages", CHECK_OK, NULL,
			"stacks are complete even where a page is not in memory");
	else
		finding_add(out, "stack pages", CHECK_LIMITED, NULL,
			"stacks are cut off where a page is not in memory: this kernel cannot "
			"wait for it (Linux 6.18 and later can)");
}

static void add_lack(struct buffer *lacks, bool has, const char *what)
{
	if (!has)
		buffer_printf(lacks, "%s%s", lacks->len ? ", " : "", what);
}

static void check_kernel(const struct machine *m, struct findings *out)
{
	struct buffer lacks = {0};
	struct utsname own = {0};

	if (!m->perf.any)
		return;
	uname(&own);
	add_lack(&lacks, m->perf.lost, "exact numbers of lost samples (Linux 6.0)");
	add_lack(&lacks, m->perf.build_id, "build ids of mapped files (5.12)");
	add_lack(&lacks, m->perf.cgroup, "control groups of samples (5.7)");
	add_lack(&lacks, m->perf.ksymbol, "names of BPF programs (5.1)");
	if (lacks.len)
		finding_add(out, "features", CHECK_LIMITED, NULL, "Linux %s lacks %s", own.release,
			lacks.at);
	else
		finding_add(out, "features", CHECK_OK, NULL,
			"Linux %s has all that ring buffers of events use", own.release);
	buffer_release(&lacks);
}

static void check_hardware(const struct machine *m, struct findings *out)
{
	if (!m->perf.any)
		return;
	if (perf_event_counts_cycles())
		finding_add(out, "hardware", CHECK_OK, NULL,
			"counters of the processor work: -e cycles, cache-misses, ...");
	else
		finding_add(out, "hardware", CHECK_LIMITED, NULL,
			"no counters of the processor (virtual machines often have none): no -e "
			"cycles; the CPU clock is sampled instead");
}

static void check_tracepoints(const struct machine *m, struct findings *out)
{
	struct obstacle o;

	(void)m;
	if (trace_check(&o))
		finding_add(out, "tracepoints", CHECK_OK, NULL, "-e sched:sched_switch, ... work");
	else
		finding_add_obstacle(
			out, "tracepoints", CHECK_MISSING, "no -e GROUP:TRACEPOINT", &o);
}

static void count_group(void *context, const char *folder)
{
	size_t *count = context;

	(void)folder;
	++*count;
}

static void check_groups(const struct machine *m, struct findings *out)
{
	struct cgroup own = {.fd = -1};
	struct error err = {0};
	size_t count = 0;

	if (!m->perf.any)
		return;
	cgroups_each(count_group, &count);
	if (!count) {
		finding_add(out, "control groups", CHECK_LIMITED, NULL,
			"no -G, --container and --unit: no hierarchy of control groups for perf "
			"events is mounted here");
	} else if (!m->perf.system) {
		struct obstacle o;

		perf_event_obstacle(&o, &m->perf, PERF_GROUP);
		finding_add_obstacle(
			out, "control groups", CHECK_LIMITED, "no -G, --container and --unit", &o);
	} else if (!cgroup_create(&own, getpid(), &err)) {
		finding_add(out, "control groups", CHECK_LIMITED, NULL,
			"very short processes of a command may get no sample: %s", err.text);
	} else {
		cgroup_remove(&own, &err);
		finding_add(out, "control groups", CHECK_OK, NULL,
			"-G, --container and --unit work, and a command gets a group of its own");
	}
}

/* Copies of stacks need rings, for which a user may lock little memory. */
static void check_memory(const struct machine *m, struct findings *out)
{
	struct buffer notices = {0};
	struct error err = {0};
	struct obstacle o;
	struct trial trial;

	if (!m->perf.any || !trial_start(&trial, recorders[0], WAY_PERF))
		return;
	ring_sizes_obstacle(&o);
	if (!trial_end(&trial, &notices, &err))
		finding_add(out, "ring buffers", CHECK_MISSING, NULL,
			"--recorder perf does not work: %s", err.text);
	else if (bytes_find(buffer_bytes(&notices), bytes_of(o.reason)))
		finding_add_obstacle(out, "ring buffers", CHECK_LIMITED, NULL, &o);
	else
		finding_add(out, "ring buffers", CHECK_OK, NULL,
			"--recorder perf copies stacks of up to 64 KB");
	buffer_release(&notices);
}

/* Events of a process are one descriptor for each of its threads and each CPU. */
static void check_files(const struct machine *m, struct findings *out)
{
	unsigned long long cpus = (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN), threads;
	struct rlimit limit;
	char command[96];

	(void)m;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	threads = limit.rlim_max / (cpus ? cpus : 1);
	snprintf(command, sizeof(command), "sudo prlimit --nofile=%u --pid $$", ADVISED_FILES);
	if (limit.rlim_max == RLIM_INFINITY)
		finding_add(out, "open files", CHECK_OK, NULL, "-p records any number of threads");
	else if (threads < FEW_THREADS)
		finding_add(out, "open files", CHECK_LIMITED, command,
			"-p records at most %llu threads: the limit is %llu open files", threads,
			(unsigned long long)limit.rlim_max);
	else
		finding_add(out, "open files", CHECK_OK, NULL, "-p records up to %llu threads",
			threads);
}

static void check_depth(const struct machine *m, struct findings *out)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned frames = USUAL_FRAMES;

	(void)m;
	if (f && fscanf(f, "%u", &frames) != 1)
		frames = USUAL_FRAMES;
	if (f)
		fclose(f);
	if (frames >= USUAL_FRAMES)
		finding_add(out, "stack depth", CHECK_OK, NULL,
			"%u frames of the kernel, and of --call-graph fp", frames);
	else
		finding_add(out, "stack depth", CHECK_LIMITED,
			"sudo sysctl kernel.perf_event_max_stack=127",
			"stacks of the kernel, and of --call-graph fp, end after %u frames",
			frames);
}

static const struct check checks[] = {
	{"events", "opens an event of the CPU clock on this process", check_events},
	{"kernel code", "opens an event that includes the kernel", check_kernel_code},
	{"whole system", "opens an event on a CPU", check_system},
	{"BPF programs", "rights, the kernel's types, a map, and the functions that programs call",
		check_programs},
	{"stack pages", "a function of the kernel with which events wait for pages", check_pages},
	{"features", "opens events with each feature of newer kernels", check_kernel},
	{"hardware", "opens an event of the processor's cycles", check_hardware},
	{"tracepoints", "reads a tracepoint in tracefs", check_tracepoints},
	{"control groups", "lists the groups, and creates one", check_groups},
	{"ring buffers", "records with copies of stacks for a millisecond", check_memory},
	{"open files", "the limit of open files", check_files},
	{"stack depth", "kernel.perf_event_max_stack", check_depth},
	{0},
};

extern const struct check_subject check_subject_recording;
const struct check_subject check_subject_recording = {"Recording", checks};
