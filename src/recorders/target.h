/* target.h: what is recorded: a command started for it, processes, threads, CPUs. */
#ifndef KILN_RECORDERS_TARGET_H
#define KILN_RECORDERS_TARGET_H

#include "base/error.h"
#include "base/memory.h"

#include <sys/types.h>

#define TARGETS_LIMIT 65536 /* processes or threads given */
#define CPUS_LIMIT    4096
#define CPU_TICK      ((uint64_t)10000000) /* ns */

struct number_list {
	VECTOR(int32_t) list;
};

/* Numbers between commas or white space, as `pgrep` prints them. ERR_USAGE. */
bool number_list_add(struct number_list *numbers, const char *text, struct error *err);
/* The kernel's CPU lists: "0-3,7". ERR_USAGE. */
bool number_list_add_cpus(struct number_list *numbers, const char *text, struct error *err);
/* CPUs that are online. */
void number_list_online_cpus(struct number_list *numbers);
/* Are all of these online? ERR_USAGE: one is not. */
bool number_list_check_cpus(const struct number_list *cpus, struct error *err);
/* Idle time of these CPUs, and time that the hypervisor ran others on them: ns since the system
 * started, by /proc/stat, in steps of CPU_TICK for each CPU. */
struct cpu_times {
	uint64_t idle, stolen;
};
void cpus_read_times(const struct number_list *cpus, struct cpu_times *ret_times);
/* The threads of a process now. ERR_USAGE when it does not exist. */
bool number_list_add_threads(struct number_list *numbers, pid_t pid, struct error *err);
void number_list_release(struct number_list *numbers);

/* A forked command that waits, so that events can be opened on it before exec. */
struct command_process {
	pid_t pid;	/* 0: none */
	int go, failed; /* pipes */
	int pid_fd;	/* readable when it has ended; -1: the kernel has no pidfds */
	bool ended;
	int status;	       /* as of waitpid, once it has ended */
	uint64_t user, system; /* CPU time of it and of the children it waited for, ns, once it has
				  ended */
};

/* Fork; the child waits. ERR_IO. */
bool command_prepare(char *const *argv, struct command_process *ret_command, struct error *err);
/* Execute it. False when that fails: *ret_exit is then 126 or 127. */
bool command_start(
	struct command_process *command, const char *name, int *ret_exit, struct error *err);
/* Has it ended? Never blocks unless `wait`. */
bool command_ended(struct command_process *command, bool wait);
/* Its exit code as a shell would give it: 128 + n for signal n. */
int command_exit_code(const struct command_process *command);
/* End a command that was not started. */
void command_release(struct command_process *command);

#endif
