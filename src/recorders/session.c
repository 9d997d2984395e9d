/* session.c: the course of a recording, from its targets to its end, whatever ends it.
 *
 * session_run, near the end of the file, makes the calls of struct recorder in their order, and
 * `loop` drains. The rest finds targets, waits for events, and decides when to end. */
#include "recorders/session.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "recorders/cgroups/leftovers.h"
#include "recorders/recorder.h"
#include "recorders/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define DRAIN_INTERVAL	 ((uint64_t)100000000) /* ns */
#define COMMAND_PATIENCE 500 /* times 10 ms: how long a command that was told to end may take */
#define REREAD_INTERVAL	 ((uint64_t)10000000)	/* ns: between reads of perf maps that grow... */
#define GROWTH_PATIENCE	 ((uint64_t)1000000000) /* ns: ... or did so lately */

/* A process or thread whose end is waited for. */
struct session_target {
	int32_t id;
	int pid_fd; /* -1: looked for in /proc at every tick */
	bool ended;
};

static int64_t wall_offset(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - (int64_t)monotonic_ns();
}

void session_notice(struct session *s, const char *fmt, ...)
{
	struct buffer text = {0};
	va_list args;

	va_start(args, fmt);
	buffer_format(&text, fmt, args);
	va_end(args);
	s->notice(text.at);
	buffer_release(&text);
}

bool session_records_command(const struct session *s)
{
	const struct record_options *o = s->options;

	return o->command && !session_watches_all(s) && !o->pids.list.len && !o->tids.list.len;
}

bool session_watches_all(const struct session *s)
{
	return s->options->system_wide || s->options->groups.list.len;
}

struct cgroup_labels *session_cgroups(struct session *s)
{
	return s->options->by_cgroup ? &s->cgroups : NULL;
}

static bool watch(struct session *s, int fd, uint32_t events, struct error *err)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (!epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		return true;
	return error_errno(err, "cannot watch a descriptor");
}

bool session_watch(struct session *s, int fd, struct error *err)
{
	return watch(s, fd, EPOLLIN, err);
}

bool session_watch_wakeups(struct session *s, int fd, struct error *err)
{
	return watch(s, fd, EPOLLIN | EPOLLET, err);
}

/* ---- What the profile says about the recording ---- */

static void set_meta(struct profile *p, const char *key, const char *value)
{
	profile_set_meta(p, bytes_of(key), bytes_of(value));
}

static void describe(struct session *s)
{
	struct profile *p = &s->profile;
	struct buffer words = {0};
	struct utsname system;
	char started[40];
	time_t now = time(NULL);
	struct tm utc;

	if (!uname(&system)) {
		set_meta(p, "host", system.nodename);
		set_meta(p, "kernel", system.release);
		set_meta(p, "arch", system.machine);
	}
	set_meta(p, "version", KILN_VERSION);
	set_meta(p, "recorder", s->recorder->mode->name);
	gmtime_r(&now, &utc);
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &utc);
	set_meta(p, "started", started);
	for (char **word = s->options->command; word && *word; word++)
		buffer_printf(&words, "%s%s", word == s->options->command ? "" : " ", *word);
	if (words.len)
		profile_set_meta(p, BYTES("command"), buffer_bytes(&words));
	words.len = 0;
	for (size_t i = 0; i < s->groups.list.len; i++)
		buffer_printf(&words, "%s%s", i ? " " : "", s->groups.list.items[i].folder);
	if (words.len)
		profile_set_meta(p, BYTES("control group"), buffer_bytes(&words));
	buffer_release(&words);
}

/* ---- Targets ---- */

static void watch_target(struct session *s, int32_t id, bool thread)
{
	struct session_target target = {.id = id};
	struct error ignored = {0};

	target.pid_fd = (int)syscall(SYS_pidfd_open, id, thread ? O_EXCL : 0);
	target.ended = target.pid_fd < 0 && errno == ESRCH;
	if (target.pid_fd >= 0)
		session_watch(s, target.pid_fd, &ignored);
	vector_push(&s->targets, target);
}

static bool prepare_targets(struct session *s, struct error *err)
{
	const struct record_options *o = s->options;

	if (!number_list_check_cpus(&o->cpus, err))
		return false;
	if (o->groups.list.len && !cgroups_find(&o->groups, &s->groups, err))
		return false;
	if (o->by_cgroup && !cgroup_labels_open(&s->cgroups, &s->processes, err))
		return error_prefix(err, "--by-cgroup: ");
	if (o->command && !command_prepare(o->command, &s->command, err))
		return false;
	if (s->command.pid && s->command.pid_fd >= 0 && !session_watch(s, s->command.pid_fd, err))
		return false;
	for (size_t i = 0; i < o->pids.list.len; i++)
		watch_target(s, o->pids.list.items[i], false);
	for (size_t i = 0; i < o->tids.list.len; i++)
		watch_target(s, o->tids.list.items[i], true);
	return true;
}

/* A zombie has ended, though /proc still lists it: its pidfd says so, where there are any. */
static bool target_ended(struct session *s, struct session_target *t)
{
	struct pollfd poll_fd = {.fd = t->pid_fd, .events = POLLIN};
	char path[32];

	if (t->ended)
		return true;
	if (t->pid_fd >= 0) {
		t->ended = poll(&poll_fd, 1, 0) == 1;
		if (t->ended)
			epoll_ctl(s->epoll, EPOLL_CTL_DEL, t->pid_fd, NULL);
	} else {
		snprintf(path, sizeof(path), "/proc/%d", t->id);
		t->ended = access(path, F_OK) != 0;
	}
	return t->ended;
}

/* The command decides when there is one, else all groups, processes or threads that were named. */
static bool targets_ended(struct session *s)
{
	bool ended = s->targets.len > 0;

	if (s->command.pid)
		return command_ended(&s->command, false);
	if (s->groups.list.len)
		return cgroups_gone(&s->groups);
	for (size_t i = 0; i < s->targets.len; i++)
		ended &= target_ended(s, &s->targets.items[i]);
	return ended;
}

/* Processes with many mappings are read last, so that they cannot use up the time for the others
 * (base/patience.h). */
static void read_all_processes(struct session *s)
{
	VECTOR(int32_t) large = {0};
	struct error ignored = {0};
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			!processes_read_small(&s->processes, atoi(entry->d_name)))
			vector_push(&large, atoi(entry->d_name));
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < large.len; i++)
		processes_read(&s->processes, large.items[i], &ignored);
	vector_release(&large);
}

static void note_patience(struct session *s)
{
	if (s->processes.patience.left_out || s->binaries.patience.left_out)
		profile_note(&s->profile,
			"mappings and binaries of some processes were not read, as reading those "
			"of others took longer than %d s: their functions have no names",
			(int)(PATIENCE_FIRST / SECOND_NS));
}

void session_open_kernel(struct session *s)
{
	struct error hidden = {0};

	if (s->kernel || s->kernel_hidden)
		return;
	s->kernel = kernel_open(&hidden);
	s->kernel_hidden = !s->kernel;
	if (!s->kernel)
		session_notice(s, "%s", hidden.text);
}

void session_read_processes(struct session *s)
{
	const struct record_options *o = s->options;
	struct error ignored = {0};

	if (session_watches_all(s))
		read_all_processes(s);
	for (size_t i = 0; i < o->pids.list.len; i++)
		processes_read(&s->processes, o->pids.list.items[i], &ignored);
}

/* ---- Timers and signals ---- */

/* nohup(1), and shells for what outlives them, ignore it: blocked it would come all the same. */
static bool ignores_hangup(void)
{
	struct sigaction action;

	return !sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* Signals that the loop reads from a descriptor. */
static sigset_t block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (!ignores_hangup())
		sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signals;
}

void session_hold_signals(void)
{
	block_signals();
}

static bool open_timers(struct session *s, struct error *err)
{
	struct itimerspec every = {{0, (long)DRAIN_INTERVAL}, {0, (long)DRAIN_INTERVAL}};
	sigset_t signals = block_signals();

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll < 0 || s->signals < 0 || s->timer < 0 ||
		timerfd_settime(s->timer, 0, &every, NULL))
		return error_errno(err, "timers and signals");
	return session_watch(s, s->signals, err) && session_watch(s, s->timer, err);
}

static void take_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			s->signal = (int)info.ssi_signo;
}

/* Sleep until there is something to do; expirations of the timer are only a reason to wake up. */
static void wait_for_work(struct session *s)
{
	struct epoll_event events[16];
	uint64_t expirations;
	int count = epoll_wait(s->epoll, events, 16, 1000);

	/* A ring whose first thread has ended hangs up for good, though others may still write. */
	for (int i = 0; i < count; i++)
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(s->epoll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
	if (read(s->timer, &expirations, sizeof(expirations)) < 0)
		expirations = 0;
	take_signals(s);
}

/* ---- The loop ---- */

static bool should_end(struct session *s, uint64_t now)
{
	uint64_t duration = s->options->duration;

	if (s->signal)
		s->end = END_SIGNAL;
	else if (targets_ended(s))
		s->end = END_TARGET;
	else if (duration && now - s->started >= duration)
		s->end = END_DURATION;
	else
		return false;
	return true;
}

/* Wake up for the end of -d exactly, not at the next drain; and soon while a runtime generates
 * code, whose names are read as they appear. */
static void aim_timer(struct session *s, uint64_t now)
{
	bool growing = s->jit.growth_time && now < s->jit.growth_time + GROWTH_PATIENCE;
	bool patient = s->drain_interval && !s->jit.follows;
	uint64_t usual = patient ? s->drain_interval : DRAIN_INTERVAL;
	uint64_t left = growing ? REREAD_INTERVAL : usual;
	uint64_t duration = s->options->duration;
	struct itimerspec next = {.it_interval = {0, (long)DRAIN_INTERVAL}};

	if (duration && s->started + duration > now && s->started + duration - now < left)
		left = s->started + duration - now;
	if (left == DRAIN_INTERVAL)
		return;
	next.it_value.tv_sec = (time_t)(left / 1000000000);
	next.it_value.tv_nsec = (long)(left % 1000000000);
	timerfd_settime(s->timer, 0, &next, NULL);
}

static uint64_t own_cpu_ns(const struct session *s)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec +
	       (s->recorder->spent ? s->recorder->spent(s) : 0);
}

/* --max-overhead: adapt the frequency to the CPU time that the recorder takes (budget.h). */
static bool keep_budget(struct session *s, uint64_t now, struct error *err)
{
	uint64_t next;

	if (!s->options->max_overhead)
		return true;
	next = budget_update(&s->budget, s->cpus, s->frequency, now, own_cpu_ns(s));
	if (next == s->frequency)
		return true;
	if (!s->recorder->set_frequency(s, next, err))
		return false;
	budget_changed(&s->budget, now, s->frequency);
	return true;
}

static bool tick(struct session *s, struct error *err)
{
	if (s->tick(s->tick_context, s, err))
		return true;
	s->end = END_OUTPUT;
	return false;
}

bool session_commits(const struct session *s)
{
	return monotonic_ns() >= s->next_commit;
}

static bool loop(struct session *s, struct error *err)
{
	uint64_t now = monotonic_ns();

	s->next_commit = now; /* what came while it began is kept at once */
	while (!should_end(s, now)) {
		aim_timer(s, now);
		wait_for_work(s);
		if (!s->recorder->drain(s, false, err))
			return false;
		now = monotonic_ns();
		if (!keep_budget(s, now, err))
			return false;
		jit_code_poll(&s->jit, &s->profile, now);
		if (now < s->next_commit)
			continue;
		s->next_commit = now + COMMIT_INTERVAL;
		if (!tick(s, err))
			return false;
	}
	return true;
}

/* End the command, which was started only for this recording; other targets are left alone. Ctrl-C
 * on a terminal has reached the command as well; a signal from elsewhere has not. */
static void end_command(struct session *s)
{
	if (s->command.pid && s->command.go <= 0 && !command_ended(&s->command, false))
		kill(s->command.pid, s->signal == SIGINT ? SIGINT : SIGTERM);
}

bool session_wait_command(struct session *s)
{
	struct timespec pause = {0, 10000000};

	if (!s->command.pid || s->command.go > 0)
		return true;
	for (int i = 0; i < COMMAND_PATIENCE && !command_ended(&s->command, false); i++) {
		/* What a script starts in the background ignores SIGINT. */
		if (i == COMMAND_PATIENCE / 4)
			kill(s->command.pid, SIGTERM);
		nanosleep(&pause, NULL);
	}
	return s->command.ended;
}

/* A target that ended while events were opened on it: its pid may now belong to another process. */
static bool targets_live(struct session *s, struct error *err)
{
	size_t ended = 0;
	int32_t last = 0;

	for (size_t i = 0; i < s->targets.len; i++) {
		if (!target_ended(s, &s->targets.items[i]))
			continue;
		ended++;
		last = s->targets.items[i].id;
	}
	if (ended && ended == s->targets.len)
		return error_set(err, ERR_USAGE, "process %d ended before the recording began%s",
			last, ended > 1 ? ", and so did all others" : "");
	if (ended)
		session_notice(s, "process %d ended before the recording began", last);
	return true;
}

/* What is recorded may be hostile, and the recorder reads its files: from here on it only has the
 * capabilities to look. The command is a process by now, which keeps the capabilities that it has
 * inherited; it does not run yet, so that its first moments are recorded. */
static void drop_capabilities(struct session *s)
{
	capabilities needed = capabilities_to_look();
	struct error failed = {0};

	if (s->recorder->keeps)
		needed |= s->recorder->keeps(s);
	if (!capabilities_drop(needed, s->finishing, &failed))
		session_notice(s, "%s", failed.text);
}

static bool start(struct session *s, struct error *err)
{
	const char *name = s->options->command ? s->options->command[0] : NULL;

	s->started = monotonic_ns();
	if (!s->recorder->enable(s, err) || !targets_live(s, err))
		return false;
	drop_capabilities(s);
	if (s->command.pid && !command_start(&s->command, name, &s->exec_exit, err))
		return false;
	s->exec_exit = 0;
	s->began = true;
	return true;
}

/* Beside thousands of threads that want to run, a fair share of the CPU comes too late: the rings
 * are full before. Threads that are started from here on inherit the priority; the command, which
 * exists already, does not. */
static void raise_priority(struct session *s)
{
	errno = 0;
	s->niceness = getpriority(PRIO_PROCESS, 0);
	s->priority_raised = !errno && !setpriority(PRIO_PROCESS, 0, -20);
}

static void restore_priority(struct session *s)
{
	if (s->priority_raised)
		setpriority(PRIO_PROCESS, 0, s->niceness);
	s->priority_raised = false;
}

bool session_run(struct session *s, const struct recorder *recorder,
	const struct record_options *options, struct error *err)
{
	bool ok;

	s->recorder = recorder;
	s->options = options;
	s->epoll = s->signals = s->timer = -1;
	profile_init(&s->profile);
	binaries_init(&s->binaries, &s->profile);
	processes_init(&s->processes, &s->profile, &s->binaries);
	s->processes.live = true;
	s->wall_offset = wall_offset();
	s->jit = (struct jit_code){.beside = ".", .wall_offset = s->wall_offset};
	cgroups_remove_left();
	if (!open_timers(s, err) || !prepare_targets(s, err))
		return false;
	describe(s);
	if (!tick(s, err))
		return false;
	raise_priority(s);
	if (!recorder->open(s, err))
		return false;
	s->own_before = own_cpu_ns(s);
	ok = start(s, err);
	if (ok) {
		budget_begin(
			&s->budget, options->max_overhead, s->frequency, s->started, s->own_before);
		ok = loop(s, err);
	}
	if (!capabilities_dropped())
		session_notice(s, "a thread of the recorder kept its capabilities");
	restore_priority(s);
	capabilities_raise();
	s->stopped = monotonic_ns();
	recorder->stop(s);
	if (s->started) {
		struct error later = {0};

		if (!recorder->drain(s, true, &later) && ok) {
			*err = later;
			ok = false;
		}
		recorder->account(s);
		binaries_identify(&s->binaries);
		note_patience(s);
		budget_note(&s->budget, s->cpus, s->stopped, own_cpu_ns(s), &s->profile);
		jit_code_poll_last(&s->jit, &s->profile, monotonic_ns());
	}
	end_command(s);
	return ok;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void session_release(struct session *s)
{
	if (s->recorder)
		s->recorder->close(s);
	for (size_t i = 0; i < s->targets.len; i++)
		close_fd(s->targets.items[i].pid_fd);
	vector_release(&s->targets);
	cgroups_release(&s->groups);
	cgroup_labels_release(&s->cgroups);
	budget_release(&s->budget);
	command_release(&s->command);
	if (s->recorder) {
		close_fd(s->epoll);
		close_fd(s->signals);
		close_fd(s->timer);
	}
	kernel_release(s->kernel);
	jit_code_release(&s->jit);
	processes_release(&s->processes);
	binaries_release(&s->binaries);
	profile_release(&s->profile);
}
