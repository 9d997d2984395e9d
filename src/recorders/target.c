/* target.c: what is recorded: a command started for it, processes, threads, CPUs. */
#include "recorders/target.h"

#include "base/bytes.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool take_number(const char **text, uint64_t limit, uint64_t *ret_value)
{
	size_t digits = strspn(*text, "0123456789");

	if (!digits || !bytes_u64((struct bytes){*text, digits}, ret_value) || *ret_value > limit)
		return false;
	*text += digits;
	return true;
}

bool number_list_add(struct number_list *numbers, const char *text, struct error *err)
{
	const char *at = text + strspn(text, ", \t\n");
	uint64_t value;

	if (!*at)
		return error_set(err, ERR_USAGE, "expected numbers such as 123 or 123,456");
	while (*at) {
		if (!take_number(&at, INT32_MAX, &value) || !value ||
			(*at && !strchr(", \t\n", *at)))
			return error_set(err, ERR_USAGE,
				"expected numbers such as 123 or 123,456, not '%.40s'", text);
		if (numbers->list.len == TARGETS_LIMIT)
			return error_set(err, ERR_USAGE, "more than %d numbers", TARGETS_LIMIT);
		vector_push(&numbers->list, (int32_t)value);
		at += strspn(at, ", \t\n");
	}
	return true;
}

bool number_list_add_cpus(struct number_list *numbers, const char *text, struct error *err)
{
	uint64_t first, last;

	do {
		if (!take_number(&text, CPUS_LIMIT, &first))
			return error_set(err, ERR_USAGE, "expected CPUs such as 0-3,7");
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, CPUS_LIMIT, &last) || last < first)
				return error_set(err, ERR_USAGE, "expected CPUs such as 0-3,7");
		}
		for (; first <= last; first++)
			vector_push(&numbers->list, (int32_t)first);
		if (*text && *text != ',' && *text != '\n')
			return error_set(err, ERR_USAGE, "expected CPUs such as 0-3,7");
	} while (*text && *text++ == ',');
	return true;
}

void number_list_online_cpus(struct number_list *numbers)
{
	char line[4096] = "";
	struct error ignored = {0};
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	if (!f || !fgets(line, sizeof(line), f) || !number_list_add_cpus(numbers, line, &ignored)) {
		numbers->list.len = 0;
		for (int32_t i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
			vector_push(&numbers->list, i);
	}
	if (f)
		fclose(f);
}

static bool has_number(const struct number_list *numbers, int32_t number)
{
	for (size_t i = 0; i < numbers->list.len; i++)
		if (numbers->list.items[i] == number)
			return true;
	return false;
}

bool number_list_check_cpus(const struct number_list *cpus, struct error *err)
{
	struct number_list online = {0};
	bool ok = true;

	number_list_online_cpus(&online);
	for (size_t i = 0; i < cpus->list.len && ok; i++)
		if (!has_number(&online, cpus->list.items[i]))
			ok = error_set(err, ERR_USAGE,
				"-C: CPU %d is not online; /sys/devices/system/cpu/online lists "
				"those that are",
				cpus->list.items[i]);
	number_list_release(&online);
	return ok;
}

void cpus_read_times(const struct number_list *cpus, struct cpu_times *ret_times)
{
	struct cpu_times sum = {0};
	FILE *f = fopen("/proc/stat", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long idled, waited, stolen;
		int cpu;

		if (sscanf(line, "cpu%d %*u %*u %*u %llu %llu %*u %*u %llu", &cpu, &idled, &waited,
			    &stolen) != 4)
			continue;
		for (size_t i = 0; i < cpus->list.len; i++) {
			if (cpus->list.items[i] != cpu)
				continue;
			sum.idle += (idled + waited) * CPU_TICK;
			sum.stolen += stolen * CPU_TICK;
		}
	}
	if (f)
		fclose(f);
	*ret_times = sum;
}

static void add_thread(void *context, int32_t tid)
{
	struct number_list *numbers = context;

	vector_push(&numbers->list, tid);
}

bool number_list_add_threads(struct number_list *numbers, pid_t pid, struct error *err)
{
	size_t before = numbers->list.len;

	proc_threads(pid, add_thread, numbers);
	if (numbers->list.len > before)
		return true;
	return error_set(err, ERR_USAGE, "process %d does not exist or has ended", pid);
}

void number_list_release(struct number_list *numbers)
{
	vector_release(&numbers->list);
}

/* In the child: wait for a byte, then execute the command, or send the error. */
static void child_run(char *const *argv, int go, int failed)
{
	char byte;
	sigset_t none;
	int code;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (read(go, &byte, 1) != 1)
		_exit(125);
	execvp(argv[0], argv);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(125);
	_exit(127);
}

bool command_prepare(char *const *argv, struct command_process *ret_command, struct error *err)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return error_errno(err, "a pipe to the command");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error_errno(err, "a pipe to the command");
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		child_run(argv, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	*ret_command = (struct command_process){.pid = pid, .go = go[1], .failed = failed[0]};
	if (pid < 0) {
		ret_command->pid = 0;
		close(go[1]);
		close(failed[0]);
		return error_errno(err, "starting '%s'", argv[0]);
	}
	ret_command->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return true;
}

bool command_start(
	struct command_process *command, const char *name, int *ret_exit, struct error *err)
{
	int code = 0;
	ssize_t got;

	*ret_exit = 125;
	if (write(command->go, "", 1) != 1)
		return error_errno(err, "starting '%s'", name);
	do
		got = read(command->failed, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	close(command->go);
	close(command->failed);
	command->go = command->failed = -1;
	if (got != sizeof(code))
		return true;
	*ret_exit = code == ENOENT || code == ENOTDIR ? 127 : 126;
	command_ended(command, true);
	errno = code;
	error_errno(err, "cannot execute '%s'", name);
	return error_prefix(err, "%s: ", *ret_exit == 127 ? "no such command" : "not executable");
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

bool command_ended(struct command_process *command, bool wait)
{
	struct rusage usage = {0};
	pid_t got;

	if (command->ended || !command->pid)
		return command->ended;
	do
		got = wait4(command->pid, &command->status, wait ? 0 : WNOHANG, &usage);
	while (got < 0 && errno == EINTR);
	if (got != command->pid)
		return false;
	command->ended = true;
	command->user = ns_of(usage.ru_utime);
	command->system = ns_of(usage.ru_stime);
	return true;
}

int command_exit_code(const struct command_process *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}

void command_release(struct command_process *command)
{
	if (!command->pid)
		return;
	if (command->go > 0) { /* not started yet: closing the pipe ends it */
		close(command->go);
		close(command->failed);
		command_ended(command, true);
	}
	if (command->pid_fd >= 0)
		close(command->pid_fd);
	*command = (struct command_process){0};
}
