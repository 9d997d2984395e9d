/* at_call.c: run a command that is held when it first makes a system call, until another one is
 * done. at_call NUMBER SHELL COMMAND...	with the number that x86-64 has for it */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct user_regs_struct regs;
	int status;
	pid_t child;

	if (argc < 4)
		return 111;
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	waitpid(child, &status, 0);
	while (WIFSTOPPED(status)) {
		if (ptrace(PTRACE_SYSCALL, child, 0, 0) || waitpid(child, &status, 0) != child)
			return 111;
		if (!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, child, 0, &regs) ||
			regs.orig_rax != (unsigned long)atol(argv[1]))
			continue;
		if (system(argv[2]))
			fprintf(stderr, "at_call: '%s' failed\n", argv[2]);
		ptrace(PTRACE_DETACH, child, 0, 0);
		waitpid(child, &status, 0);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
