/* source.c: events opened on the targets of a session, and their rings. */
#include "recorders/perf/source.h"

#include "recorders/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FREQUENCY_FEW_CPUS  997 /* primes, so as not to march in step with timers */
#define FREQUENCY_MANY_CPUS 99
#define MANY_CPUS	    8

/* ---- How often ---- */

static bool choose_frequency(struct perf_source *source, struct session *s, struct error *err)
{
	uint64_t requested = s->options->frequency, most = source->features.max_rate;

	if (requested == FREQUENCY_MAX)
		requested = most;
	else if (!requested)
		requested = sysconf(_SC_NPROCESSORS_ONLN) > MANY_CPUS ? FREQUENCY_MANY_CPUS
								      : FREQUENCY_FEW_CPUS;
	else if (requested > most)
		return error_set(err, ERR_USAGE,
			"-F %llu exceeds the kernel's limit; raise it with sysctl "
			"kernel.perf_event_max_sample_rate=%llu (it is %llu), or use -F max",
			(unsigned long long)requested, (unsigned long long)requested,
			(unsigned long long)most);
	source->frequency = requested;
	return true;
}

/* ---- Attributes ---- */

/* Are the events opened on CPUs, not on threads? */
static bool on_cpus(const struct perf_source *source, const struct session *s)
{
	return session_watches_all(s) || source->cgroup.folder || source->tracking_all;
}

/* Events start at the exec of the command, if they can. */
bool perf_source_by_exec(const struct perf_source *source, const struct session *s)
{
	return session_records_command(s) && !on_cpus(source, s);
}

static void sampled_attr(struct perf_event_attr *ret, const struct perf_source *source,
	const struct event_name *event, const struct session *s)
{
	const struct record_options *o = s->options;

	perf_attr_init(ret, &source->features);
	ret->type = event->type;
	ret->config = event->config;
	ret->exclude_user = event->exclude_user;
	ret->exclude_kernel = event->exclude_kernel || (source->user_only && !event->exclude_user);
	ret->exclude_hv = event->exclude_hypervisor || ret->exclude_kernel;
	ret->precise_ip = event->precise & 3;
	ret->enable_on_exec = perf_source_by_exec(source, s);
	if (event->rare && !o->frequency) {
		ret->sample_period = 1;
	} else {
		ret->freq = 1;
		ret->sample_freq = source->frequency;
	}
	if (source->program)
		return;
	ret->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (o->by_cgroup || source->bounds.folders.len)
		ret->sample_type |= PERF_SAMPLE_CGROUP;
	ret->sample_max_stack = 0;
	ret->exclude_callchain_user = source->sizes.regs_mask || o->kernel_only;
	ret->exclude_callchain_kernel = source->user_only || o->user_only;
	if (source->sizes.regs_mask) {
		ret->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		ret->sample_regs_user = source->sizes.regs_mask;
		ret->sample_stack_user = (uint32_t)source->sizes.stack_bytes;
	}
	ret->wakeup_watermark = (uint32_t)(source->sizes.ring_bytes / 4);
}

static void tracking_attr(
	struct perf_event_attr *ret, const struct perf_source *source, const struct session *s)
{
	perf_attr_init(ret, &source->features);
	ret->type = PERF_TYPE_SOFTWARE;
	ret->config = PERF_COUNT_SW_DUMMY;
	ret->sample_period = 1;
	ret->exclude_kernel = ret->exclude_hv = 1;
	ret->enable_on_exec = perf_source_by_exec(source, s);
	ret->mmap = ret->mmap2 = ret->comm = ret->comm_exec = ret->task = 1;
	ret->build_id = source->features.build_id;
	ret->cgroup = s->options->by_cgroup;
	ret->wakeup_watermark = (uint32_t)(RING_TRACKING / 4);
}

/* Write the names of the events with the modifier u. */
static void name_user_only(struct perf_source *source)
{
	for (size_t i = 0; i < source->events.list.len; i++) {
		struct event_name *event = &source->events.list.items[i];
		size_t len = strlen(event->text);

		if (event->exclude_user || event->exclude_kernel || len + 2 >= sizeof(event->text))
			continue;
		memcpy(event->text + len, ":u", 3);
	}
}

/* The default is the CPU clock: its samples weigh CPU time on every machine, and the expected
 * number of samples is known. Cycles begin with a burst of samples until the kernel has found their
 * period, and when it copies stacks in the interrupt of cycles, it throttles the event (a fifth of
 * all samples, on a virtual machine with AMD's). Without permission to sample the kernel, events
 * count user code only. */
static bool choose_events(struct perf_source *source, const struct session *s, struct error *err)
{
	const char *names = s->options->events;

	source->user_only = !source->features.kernel;
	if (source->tracking_only)
		return true;
	if (source->program || !names)
		names = "cpu-clock";
	if (!event_names_parse(names, &source->events, err))
		return false;
	if (source->user_only)
		name_user_only(source);
	return true;
}

/* Report restrictions once everything is open: a failure has its own message. */
static void note_differences(const struct perf_source *source, struct session *s)
{
	const struct record_options *o = s->options;
	struct obstacle obstacle;

	if (source->tracking_only || source->program)
		return;
	if (source->user_only && !o->user_only) {
		s->kernel_refused = true;
		perf_event_obstacle(&obstacle, &source->features, PERF_KERNEL);
		session_notice(s, "sampling only user code: %s", obstacle.reason);
	}
	if (source->sizes.regs_mask && !o->stack_bytes &&
		source->sizes.stack_bytes == STACK_BYTES_SMALL) {
		ring_sizes_obstacle(&obstacle);
		session_notice(s, "%s: %s", obstacle.reason, obstacle.remedy);
	}
}

/* The period of the timer itself, also when only some of its ticks are samples. */
static uint64_t timer_period(const struct perf_source *source, size_t i)
{
	const struct perf_event_attr *attr = &source->attrs.items[i];

	if (!attr->freq)
		return attr->sample_period;
	/* The kernel turns a clock's frequency into this fixed period. */
	return source->events.list.items[i].clock ? 1000000000 / attr->sample_freq : 0;
}

uint64_t perf_source_period(const struct perf_source *source, size_t i)
{
	return timer_period(source, i) * source->every;
}

/* ---- Opening ---- */

/* The rings of one CPU while its events are opened: descriptors that own them, or -1. */
struct cpu_rings {
	int sample, tracking;
};

static unsigned long open_flags(const struct perf_source *source)
{
	return source->cgroup.folder || source->groups ? PERF_FLAG_PID_CGROUP : 0;
}

static bool add_ring(struct perf_source *source, int fd, int cpu, bool samples)
{
	struct perf_ring ring;

	if (!perf_ring_map(&ring, fd, (uint32_t)cpu,
		    samples ? source->sizes.ring_bytes : RING_TRACKING,
		    samples ? &source->sample_layout : &source->tracking_layout))
		return false;
	vector_push(&source->merge.rings, ring);
	return true;
}

/* The first event on a CPU owns the ring, the others write into it. */
static bool attach(struct perf_source *source, int fd, int cpu, bool samples, int *owner)
{
	if (*owner >= 0)
		return !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, *owner);
	*owner = fd;
	return add_ring(source, fd, cpu, samples);
}

/* errno is ENOMEM without memory or address space, and another one beyond the limit of locked
 * memory. */
static bool ring_error(struct perf_source *source, uint64_t bytes, int cpu, struct error *err)
{
	char doing[64];

	snprintf(doing, sizeof(doing), "a ring buffer of %llu KB for CPU %d",
		(unsigned long long)bytes / 1024, cpu);
	if (errno == ENOMEM)
		return refusal_memory(err, doing);
	source->lock_refused = errno == EPERM;
	error_errno(err, "%s", doing);
	return error_prefix(err, "not enough locked memory (raise ulimit -l or "
				 "kernel.perf_event_mlock_kb, or use a smaller -m): ");
}

/* Let the program take the samples. The ring now carries only throttle records. */
static bool attach_program(struct perf_source *source, const struct open_event *opened,
	const struct cpu_rings *rings, struct error *err)
{
	if (!ioctl(opened->fd, PERF_EVENT_IOC_SET_BPF, source->program) &&
		!ioctl(opened->fd, PERF_EVENT_IOC_SET_OUTPUT, rings->tracking))
		return true;
	return error_errno(err, "cannot attach a BPF program to the timer");
}

static bool open_sampled(struct perf_source *source, size_t event, pid_t pid, int cpu,
	struct cpu_rings *rings, struct error *err)
{
	const char *name = source->events.list.items[event].text;
	struct open_event opened = {.event = (uint32_t)event};
	struct perf_count count;

	opened.fd = perf_event_open(&source->attrs.items[event], pid, cpu, open_flags(source));
	if (opened.fd < 0)
		return perf_event_error(err, &source->features, name, pid, cpu);
	vector_push(&source->opened, opened);
	if (source->program && !attach_program(source, &opened, rings, err))
		return false;
	if (!source->program && !attach(source, opened.fd, cpu, true, &rings->sample))
		return ring_error(source, source->sizes.ring_bytes, cpu, err);
	if (!perf_event_read(opened.fd, &source->features, &count))
		return error_errno(err, "event '%s'", name);
	source->opened.items[source->opened.len - 1].id = count.id;
	return true;
}

static bool open_tracking(struct perf_source *source, struct perf_event_attr *attr, pid_t pid,
	int cpu, struct cpu_rings *rings, struct error *err)
{
	int fd = perf_event_open(attr, pid, cpu, pid < 0 ? 0 : open_flags(source));

	if (fd < 0)
		return perf_event_error(err, &source->features,
			source->tracking_only ? "dummy" : source->events.list.items[0].text, pid,
			cpu);
	vector_push(&source->tracking, fd);
	return attach(source, fd, cpu, false, &rings->tracking) ||
	       ring_error(source, RING_TRACKING, cpu, err);
}

/* Children of processes are recorded, too; those of threads are not. */
static void set_inherit(struct perf_source *source, struct perf_event_attr *tracking,
	const struct session *s, bool on)
{
	tracking->inherit = on && !on_cpus(source, s);
	for (size_t i = 0; i < source->attrs.len; i++)
		source->attrs.items[i].inherit = tracking->inherit;
}

/* Open all events of one target on one CPU. A thread that has ended is no error. */
static bool open_on(struct perf_source *source, struct perf_event_attr *tracking, pid_t pid,
	int cpu, struct cpu_rings *rings, struct error *err)
{
	if (!source->tracking_all && !open_tracking(source, tracking, pid, cpu, rings, err))
		return false;
	for (size_t i = 0; i < source->attrs.len; i++)
		if (!open_sampled(source, i, pid, cpu, rings, err))
			return false;
	return true;
}

static bool open_all(struct perf_source *source, struct session *s, const struct number_list *cpus,
	const struct number_list *threads, struct error *err)
{
	struct perf_event_attr tracking;

	tracking_attr(&tracking, source, s);
	source->tracking_layout = perf_layout_of(&tracking);
	for (size_t c = 0; c < cpus->list.len; c++) {
		struct cpu_rings rings = {-1, -1};

		if (source->tracking_all &&
			!open_tracking(source, &tracking, -1, cpus->list.items[c], &rings, err))
			return false;
		for (size_t t = 0; t < threads->list.len; t++) {
			set_inherit(source, &tracking, s, t < source->followed);
			if (open_on(source, &tracking, threads->list.items[t], cpus->list.items[c],
				    &rings, err))
				continue;
			/* A thread may end after it was listed. */
			if (err->code != ERR_USAGE || threads->list.len == 1)
				return false;
			*err = (struct error){0};
		}
	}
	return source->tracking.len || error_set(err, ERR_USAGE, "the threads have ended");
}

static void close_all(struct perf_source *source)
{
	perf_merge_release(&source->merge);
	for (size_t i = 0; i < source->opened.len; i++)
		close(source->opened.items[i].fd);
	for (size_t i = 0; i < source->tracking.len; i++)
		close(source->tracking.items[i]);
	source->opened.len = source->tracking.len = 0;
}

static bool is_listed(const struct number_list *threads, int32_t tid)
{
	for (size_t i = 0; i < threads->list.len; i++)
		if (threads->list.items[i] == tid)
			return true;
	return false;
}

/* Create a control group for the command, if this user may. */
static bool enter_cgroup(struct perf_source *source, struct session *s)
{
	struct error ignored = {0};

	if (!session_records_command(s) || !source->features.system || source->tracking_only)
		return false;
	if (cgroup_create(&source->cgroup, s->command.pid, &ignored) &&
		perf_event_takes_cgroup(source->cgroup.fd) &&
		cgroup_add(&source->cgroup, s->command.pid, &ignored)) {
		s->finishing |= capabilities_to_remove();
		return true;
	}
	cgroup_remove(&source->cgroup, &ignored);
	return false;
}

static bool no_group_events(const char *folder, struct error *err)
{
	if (errno != ENOENT)
		return error_errno(err, "events for the control group %s", folder);
	return error_set(err, ERR_UNSUPPORTED,
		"the kernel has no events for the control group %s: it was created before its "
		"hierarchy had a controller (echo +pids >cgroup.subtree_control in its root)",
		folder);
}

static bool list_groups(const struct perf_source *source, const struct session *s,
	struct number_list *groups, struct error *err)
{
	struct obstacle o;

	if (!source->features.system) {
		perf_event_obstacle(&o, &source->features, PERF_GROUP);
		return obstacle_error(err, &o);
	}
	if (!perf_event_takes_cgroup(s->groups.list.items[0].fd))
		return no_group_events(s->groups.list.items[0].folder, err);
	for (size_t i = 0; i < s->groups.list.len; i++)
		vector_push(&groups->list, s->groups.list.items[i].fd);
	return true;
}

static bool list_thread(struct number_list *threads, int32_t tid, struct error *err)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (access(path, F_OK))
		return error_set(err, ERR_USAGE, "process %d does not exist or has ended", tid);
	vector_push(&threads->list, tid);
	return true;
}

/* List the threads or control groups to open events on; -1 alone: all threads. Duplicates are
 * dropped. */
static bool list_threads(struct perf_source *source, struct session *s, struct number_list *threads,
	struct error *err)
{
	const struct record_options *o = s->options;

	if (o->system_wide) {
		vector_push(&threads->list, -1);
		return true;
	}
	if (source->groups)
		return list_groups(source, s, threads, err);
	for (size_t i = 0; i < o->pids.list.len; i++)
		if (!is_listed(threads, o->pids.list.items[i]) &&
			!number_list_add_threads(threads, o->pids.list.items[i], err))
			return false;
	if (!threads->list.len && !o->tids.list.len)
		vector_push(&threads->list,
			enter_cgroup(source, s) ? source->cgroup.fd : s->command.pid);
	source->followed = threads->list.len;
	for (size_t i = 0; i < o->tids.list.len; i++)
		if (!is_listed(threads, o->tids.list.items[i]) &&
			!list_thread(threads, o->tids.list.items[i], err))
			return false;
	return true;
}

/* If samples contain their control group, select those of the recorded groups. */
static void find_bounds(struct perf_source *source, const struct session *s)
{
	if (!source->features.cgroup || source->program)
		return;
	if (source->cgroup.folder)
		cgroup_bounds_add(&source->bounds, source->cgroup.folder);
	for (size_t i = 0; source->groups && i < s->groups.list.len; i++)
		cgroup_bounds_add(&source->bounds, s->groups.list.items[i].folder);
}

/* --max-overhead needs events whose frequency can be changed. */
static bool check_budget(
	const struct perf_source *source, const struct session *s, struct error *err)
{
	bool timer = false;

	for (size_t i = 0; i < source->attrs.len; i++)
		timer |= source->attrs.items[i].freq;
	if (!s->options->max_overhead || source->tracking_only)
		return true;
	if (source->passed_on && !source->program)
		return error_set(err, ERR_USAGE,
			"--max-overhead: the rate of events inherited by new threads can be "
			"lowered only with --recorder bpf; or record with -a, -C, -G, or a command "
			"as root");
	return timer || error_set(err, ERR_USAGE,
				"--max-overhead: each occurrence of '%s' is sampled; set a "
				"frequency with -F",
				source->events.list.items[0].text);
}

static void raise_open_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Map smaller rings until it succeeds, unless a size was given. */
static bool open_with_rings(struct perf_source *source, struct session *s,
	const struct number_list *cpus, const struct number_list *threads, struct error *err)
{
	for (;;) {
		source->attrs.len = 0;
		for (size_t i = 0; i < source->events.list.len; i++) {
			struct perf_event_attr attr;

			sampled_attr(&attr, source, &source->events.list.items[i], s);
			vector_push(&source->attrs, attr);
		}
		if (source->attrs.len)
			source->sample_layout = perf_layout_of(&source->attrs.items[0]);
		if (!check_budget(source, s, err))
			return false;
		if (open_all(source, s, cpus, threads, err)) {
			note_differences(source, s);
			return true;
		}
		close_all(source);
		if (!source->lock_refused || s->options->ring_bytes ||
			source->sizes.ring_bytes <= RING_MIN)
			return false;
		source->lock_refused = false;
		source->sizes.ring_bytes >>= 1;
		*err = (struct error){0};
	}
}

bool perf_source_open(struct perf_source *source, struct session *s, struct error *err)
{
	struct number_list threads = {0};
	bool ok;

	source->cgroup.fd = -1;
	source->groups = s->groups.list.len > 0;
	source->every = 1;
	perf_features_probe(&source->features);
	/* A process that enters a group ran before, so its records are needed, too. And an event of
	 * a thread costs 0.4 us at each switch, one of a CPU nothing. */
	source->tracking_all = source->groups || (source->tracking_only && source->features.system);
	if (s->options->cpus.list.len)
		for (size_t i = 0; i < s->options->cpus.list.len; i++)
			vector_push(&source->cpus.list, s->options->cpus.list.items[i]);
	else
		number_list_online_cpus(&source->cpus);
	raise_open_files();
	if (s->options->by_cgroup && !source->features.cgroup)
		return error_set(err, ERR_UNSUPPORTED,
			"--by-cgroup: this kernel does not report control groups (that needs Linux "
			"5.7 with CONFIG_CGROUP_PERF)");
	ok = choose_frequency(source, s, err) && choose_events(source, s, err) &&
	     list_threads(source, s, &threads, err);
	if (ok) {
		find_bounds(source, s);
		source->passed_on = !on_cpus(source, s);
		s->frequency = source->frequency;
		s->cpus = source->cpus.list.len;
		source->sizes = ring_sizes_choose(&source->features, s->options, source->program,
			source->frequency, source->cpus.list.len);
		ok = open_with_rings(source, s, &source->cpus, &threads, err);
	}
	number_list_release(&threads);
	return ok;
}

static bool all_ioctl(struct perf_source *source, unsigned request)
{
	bool ok = true;

	for (size_t i = 0; i < source->tracking.len; i++)
		ok &= !ioctl(source->tracking.items[i], request, 0);
	for (size_t i = 0; i < source->opened.len; i++)
		ok &= !ioctl(source->opened.items[i].fd, request, 0);
	return ok;
}

bool perf_source_enable(struct perf_source *source)
{
	return all_ioctl(source, PERF_EVENT_IOC_ENABLE);
}

/* The kernel has converted a clock's frequency to a period, so the period is what can be
 * changed. */
static bool set_frequency(struct perf_source *source, struct open_event *o, uint64_t frequency)
{
	uint64_t period = perf_source_period(source, o->event);
	uint64_t value = period ? 1000000000 / frequency : frequency;
	struct perf_count count;

	if (!source->attrs.items[o->event].freq)
		return true;
	if (!perf_event_read(o->fd, &source->features, &count) ||
		ioctl(o->fd, PERF_EVENT_IOC_PERIOD, &value))
		return false;
	o->periods += period ? (count.running - o->running) / period : 0;
	o->running = count.running;
	return true;
}

/* Lower the frequency by skipping ticks: the timer keeps its own frequency. */
static void skip_ticks(struct perf_source *source, uint64_t frequency)
{
	uint64_t ticks = source->attrs.items[0].sample_freq;

	source->every = (ticks + frequency - 1) / frequency;
	source->frequency = (ticks + source->every / 2) / source->every;
}

bool perf_source_set_frequency(struct perf_source *source, uint64_t frequency, struct error *err)
{
	if (source->passed_on) {
		skip_ticks(source, frequency);
		return true;
	}
	for (size_t i = 0; i < source->opened.len; i++)
		if (!set_frequency(source, &source->opened.items[i], frequency))
			return error_errno(err, "cannot lower the sampling rate");
	for (size_t i = 0; i < source->attrs.len; i++)
		if (source->attrs.items[i].freq)
			source->attrs.items[i].sample_freq = frequency;
	source->frequency = frequency;
	return true;
}

void perf_source_disable(struct perf_source *source)
{
	all_ioctl(source, PERF_EVENT_IOC_DISABLE);
}

void perf_source_totals(const struct perf_source *source, size_t event, struct event_totals *ret)
{
	uint64_t period = timer_period(source, event);
	struct perf_count count;

	*ret = (struct event_totals){.lost_known = source->features.lost};
	for (size_t i = 0; i < source->opened.len; i++) {
		if (source->opened.items[i].event != event ||
			!perf_event_read(source->opened.items[i].fd, &source->features, &count))
			continue;
		ret->value += count.value;
		ret->running += count.running;
		/* By its running time: its value does not grow while the clock is throttled. */
		ret->periods += source->opened.items[i].periods;
		ret->periods +=
			period ? (count.running - source->opened.items[i].running) / period : 0;
		ret->lost += count.lost;
	}
}

void perf_source_leave_group(struct perf_source *source, struct session *s)
{
	struct error left = {0};

	if (!cgroup_remove(&source->cgroup, &left))
		session_notice(s, "left behind: %s", left.text);
}

void perf_source_release(struct perf_source *source)
{
	close_all(source);
	vector_release(&source->opened);
	vector_release(&source->tracking);
	vector_release(&source->attrs);
	event_names_release(&source->events);
	number_list_release(&source->cpus);
	cgroup_bounds_release(&source->bounds);
}
