/* event.c: opening kernel events, what this kernel offers, and why it refuses. */
#include "recorders/perf/event.h"

#include "recorders/capabilities.h"
#include "recorders/refusal.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC | flags);
}

static bool opens_with(struct perf_event_attr attr, pid_t pid, int cpu, unsigned long flags)
{
	int fd = perf_event_open(&attr, pid, cpu, flags);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool opens(struct perf_event_attr attr, pid_t pid, int cpu)
{
	return opens_with(attr, pid, cpu, 0);
}

static const struct perf_event_attr dummy_attr = {.size = sizeof(dummy_attr),
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_DUMMY,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.disabled = 1,
	.sample_id_all = 1,
	.mmap = 1};

bool perf_event_takes_cgroup(int fd)
{
	return opens_with(dummy_attr, fd, 0, PERF_FLAG_PID_CGROUP);
}

static uint64_t read_sysctl(const char *path, uint64_t otherwise)
{
	FILE *f = fopen(path, "re");
	long long value;

	if (!f)
		return otherwise;
	if (fscanf(f, "%lld", &value) != 1)
		value = (long long)otherwise;
	fclose(f);
	return (uint64_t)value;
}

void perf_features_probe(struct perf_features *ret)
{
	struct perf_event_attr attr = dummy_attr;

	*ret = (struct perf_features){.any = opens(attr, 0, -1)};
	attr.read_format = PERF_FORMAT_LOST;
	ret->lost = opens(attr, 0, -1);
	attr = dummy_attr;
	attr.mmap2 = attr.build_id = 1;
	ret->build_id = opens(attr, 0, -1);
	attr = dummy_attr;
	attr.ksymbol = 1;
	ret->ksymbol = opens(attr, 0, -1);
	attr = dummy_attr;
	attr.cgroup = 1;
	attr.sample_type = PERF_SAMPLE_CGROUP;
	ret->cgroup = opens(attr, 0, -1);
	attr = dummy_attr;
	attr.exclude_kernel = 0;
	ret->kernel = opens(attr, 0, -1);
	attr = dummy_attr;
	ret->system = opens(attr, -1, 0);
	ret->paranoid = (int)(int64_t)read_sysctl("/proc/sys/kernel/perf_event_paranoid", 2);
	ret->max_rate = read_sysctl("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
}

void perf_attr_init(struct perf_event_attr *ret, const struct perf_features *features)
{
	*ret = (struct perf_event_attr){.size = sizeof(*ret)};
	ret->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	ret->read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING | (features->lost ? PERF_FORMAT_LOST : 0);
	ret->sample_id_all = 1;
	ret->disabled = 1;
	ret->use_clockid = 1;
	ret->clockid = CLOCK_MONOTONIC;
	ret->watermark = 1;
}

static bool needs_paranoid(
	struct obstacle *ret, const struct perf_features *features, const char *what, int paranoid)
{
	obstacle_set(ret, ERR_PERMISSION,
		"%s needs root, CAP_PERFMON, or sysctl kernel.perf_event_paranoid=%d (it is %d)",
		what, paranoid, features->paranoid);
	return obstacle_command(ret, "sudo sysctl kernel.perf_event_paranoid=%d", paranoid);
}

bool perf_event_obstacle(
	struct obstacle *ret, const struct perf_features *features, enum perf_scope scope)
{
	switch (scope) {
	case PERF_OWN:
		obstacle_set(ret, ERR_PERMISSION,
			"only root can record on this system (kernel.perf_event_paranoid is %d)",
			features->paranoid);
		obstacle_remedy(ret, "run as root%s, or set sysctl kernel.perf_event_paranoid=2",
			capability_held(CAP_PERFMON) ? " (CAP_PERFMON is not enough for it)"
						     : ", with CAP_PERFMON");
		return obstacle_command(ret, "sudo sysctl kernel.perf_event_paranoid=2");
	case PERF_KERNEL:
		return needs_paranoid(
			ret, features, "recording the kernel, or another user's process,", 1);
	case PERF_GROUP:
		return needs_paranoid(ret, features, "recording a control group", 0);
	default:
		return needs_paranoid(ret, features, "recording the whole system", 0);
	}
}

static bool no_permission(
	struct error *err, const struct perf_features *features, const char *name, pid_t pid)
{
	struct obstacle o;

	if (pid < 0) {
		perf_event_obstacle(&o, features, PERF_SYSTEM);
		return obstacle_error(err, &o);
	}
	if (features->paranoid > 2) {
		perf_event_obstacle(&o, features, PERF_OWN);
		obstacle_error(err, &o);
		return error_prefix(err, "event '%s': ", name);
	}
	if (!features->kernel && !strchr(name, ':')) {
		perf_event_obstacle(&o, features, PERF_KERNEL);
		obstacle_remedy(&o, "for user code of your own processes use '%s:u'", name);
		obstacle_error(err, &o);
		return error_prefix(err, "event '%s' of process %d: ", name, pid);
	}
	return error_set(err, ERR_PERMISSION,
		"event '%s' of process %d: it belongs to another user (or changed its user, or "
		"must not be traced); run as root, or with CAP_PERFMON and CAP_SYS_PTRACE",
		name, pid);
}

/* Does a sandbox refuse a call that every user of this kernel may make? */
static bool sandboxed(const struct perf_features *features)
{
	bool allowed = features->paranoid <= 2 || capability_held(CAP_PERFMON) ||
		       capability_held(CAP_SYS_ADMIN);

	return !features->any && (allowed || errno == ENOSYS) && refusal_known();
}

/* Does the kernel, or a sandbox, have no events for anybody (errno)? */
static bool none_open(struct obstacle *ret, const struct perf_features *features)
{
	if (sandboxed(features))
		refusal_find(ret, "perf_event_open(2)");
	else if (errno == ENOSYS)
		obstacle_set(ret, ERR_UNSUPPORTED,
			"this kernel has no perf events (CONFIG_PERF_EVENTS), or a sandbox hides "
			"them");
	else
		return false;
	return true;
}

bool perf_event_check(struct obstacle *ret, const struct perf_features *features)
{
	struct perf_event_attr attr = dummy_attr;

	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (opens(attr, 0, -1))
		return true;
	if (none_open(ret, features))
		return false;
	if (errno == EACCES || errno == EPERM)
		return perf_event_obstacle(ret, features, PERF_OWN);
	return obstacle_set(
		ret, ERR_IO, "the kernel refuses events of the CPU clock: %s", strerror(errno));
}

bool perf_event_counts_cycles(void)
{
	struct perf_event_attr attr = dummy_attr;

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	return opens(attr, 0, -1);
}

bool perf_event_error(struct error *err, const struct perf_features *features, const char *name,
	pid_t pid, int cpu)
{
	struct rlimit limit = {0};
	struct obstacle o;

	if (none_open(&o, features))
		return obstacle_error(err, &o);
	switch (errno) {
	case EACCES:
	case EPERM:
		return no_permission(err, features, name, pid);
	case ESRCH:
		return error_set(err, ERR_USAGE, "process %d does not exist or has ended", pid);
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		return error_set(err, ERR_IO,
			"event '%s': one file descriptor per thread and CPU exceeds the limit of "
			"%llu open files; raise it (ulimit -n), or record with -a",
			name, (unsigned long long)limit.rlim_cur);
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return error_set(err, ERR_UNSUPPORTED,
			"event '%s': this machine does not have it (no such hardware counter, or "
			"the virtual machine does not provide it); cpu-clock works everywhere",
			name);
	default:
		return error_errno(err, "event '%s' of process %d on CPU %d", name, pid, cpu);
	}
}

bool perf_event_read(int fd, const struct perf_features *features, struct perf_count *ret_count)
{
	uint64_t words[5] = {0};
	ssize_t want = features->lost ? 40 : 32;

	if (read(fd, words, sizeof(words)) < want)
		return false;
	*ret_count = (struct perf_count){words[0], words[1], words[2], words[3], words[4]};
	return true;
}
