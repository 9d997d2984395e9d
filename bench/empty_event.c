/* empty_event.c: run a command under a CPU clock that interrupts it and records nothing:
 * empty_event HZ COMMAND... What a sampling recorder costs is what it costs beyond this. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1};
	int go[2], status;
	char byte;
	pid_t pid;

	if (argc < 3 || pipe(go))
		return 2;
	attr.sample_freq = strtoull(argv[1], NULL, 10);
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execvp(argv[2], argv + 2);
		_exit(127);
	}
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		if (syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0) < 0) {
			perror("perf_event_open");
			return 1;
		}
	}
	if (write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
