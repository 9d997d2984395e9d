/* forbidden.c: run a command whose calls of some numbers fail, as a container's seccomp profile has
 * it. forbidden ERRNO CALL[,CALL...] COMMAND...	with numbers of x86-64 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CALLS_LIMIT 16

int main(int argc, char **argv)
{
	struct sock_filter filter[2 * CALLS_LIMIT + 2];
	struct sock_fprog program = {0, filter};
	char *at = argc > 3 ? argv[2] : "";

	filter[program.len++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; *at && i < CALLS_LIMIT; i++) {
		unsigned number = (unsigned)strtoul(at, &at, 10);

		filter[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
		filter[program.len++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]));
		at += *at == ',';
	}
	filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (program.len < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("forbidden");
		return 111;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
