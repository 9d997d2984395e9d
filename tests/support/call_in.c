/* call_in.c: makes a thread of another process make a system call, and prints the kernel's answer.
 *
 * call_in TID CALL [PATH|NUMBER]
 *
 * The thread is stopped where it waits in a system call, and made to make this one, as injected
 * code would. Prints "allowed", or the name of the error. Exits with 77 on machines whose registers
 * it does not know. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#ifndef __x86_64__

int main(void)
{
	return 77;
}

#else

#define BELOW_STACK 4096 /* bytes: what the thread itself uses is above */
#define SYSCALL	    0x050f

/* Stands for what is handed over: where the path is, or the number. */
#define TEXT	    UINT64_MAX
static const struct call {
	const char *name;
	uint64_t number, arguments[4];
} calls[] = {
	{"open", SYS_openat, {AT_FDCWD & UINT32_MAX, TEXT, O_RDONLY, 0}},
	{"write", SYS_openat, {AT_FDCWD & UINT32_MAX, TEXT, O_WRONLY, 0}},
	{"create", SYS_openat, {AT_FDCWD & UINT32_MAX, TEXT, O_WRONLY | O_CREAT, 0600}},
	{"remove", SYS_unlinkat, {AT_FDCWD & UINT32_MAX, TEXT, 0, 0}},
	{"folder", SYS_mkdirat, {AT_FDCWD & UINT32_MAX, TEXT, 0700, 0}},
	{"mode", SYS_fchmodat, {AT_FDCWD & UINT32_MAX, TEXT, 0600, 0}},
	{"execute", SYS_execve, {TEXT, 0, 0, 0}},
	{"process", SYS_clone, {SIGCHLD, 0, 0, 0}},
	{"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0, 0}},
	{"signal", SYS_kill, {TEXT, 0, 0, 0}},
	{"trace", SYS_ptrace, {PTRACE_SEIZE, TEXT, 0, 0}},
	/* 999 is not a descriptor: allowed calls fail. */
	{"attribute", 463 /* setxattrat */, {AT_FDCWD & UINT32_MAX, TEXT, 0, 0}},
	{"attributes", 469 /* file_setattr */, {AT_FDCWD & UINT32_MAX, TEXT, 0, 0}},
	{"owner", SYS_fchown, {999, 0, 0, 0}},
	{"open-mode", SYS_fchmod, {999, 04755, 0, 0}},
	{"datagrams", SYS_socketpair, {AF_UNIX, SOCK_DGRAM, 0, 0}},
	{"connecting", SYS_sendmsg, {999, 0, MSG_FASTOPEN, 0}},
	{"message", SYS_sendmsg, {999, 0, MSG_NOSIGNAL, 0}},
	{"queue", SYS_msgctl, {0, 0, 0, 0}},
	{"memory", SYS_shmctl, {0, 0, 0, 0}},
};

static void fail(const char *what)
{
	fprintf(stderr, "call_in: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void stop(pid_t thread)
{
	int status;

	if (ptrace(PTRACE_ATTACH, thread, NULL, NULL) || waitpid(thread, &status, __WALL) < 0)
		fail("stopping the thread");
}

static void put_text(pid_t thread, uint64_t at, const char *text)
{
	for (size_t i = 0; i <= strlen(text); i += sizeof(long)) {
		long word = 0;

		memcpy(&word, text + i, strnlen(text + i, sizeof(word)));
		if (ptrace(PTRACE_POKEDATA, thread, at + i, word))
			fail("writing to the thread's stack");
	}
}

static void set_registers(
	struct user_regs_struct *r, const struct call *call, uint64_t text, const char *given)
{
	bool is_number = call->number == SYS_kill || call->number == SYS_ptrace;
	uint64_t a[4];

	for (int i = 0; i < 4; i++) {
		a[i] = call->arguments[i];
		if (a[i] == TEXT)
			a[i] = is_number ? strtoull(given, NULL, 10) : text;
	}
	r->orig_rax = UINT64_MAX; /* what it waited in is not begun again now, but behind this */
	r->rax = call->number;
	r->rdi = a[0];
	r->rsi = a[1];
	r->rdx = a[2];
	r->r10 = a[3];
	r->rip -= 2;
}

static long call_in(pid_t thread, const struct call *call, const char *given)
{
	struct user_regs_struct before, during;
	uint64_t text;
	int status;

	if (ptrace(PTRACE_GETREGS, thread, NULL, &before))
		fail("reading registers");
	if ((ptrace(PTRACE_PEEKTEXT, thread, before.rip - 2, NULL) & 0xffff) != SYSCALL)
		fail("the thread waits in no system call");
	text = (before.rsp - BELOW_STACK) & ~UINT64_C(15);
	put_text(thread, text, given);
	during = before;
	set_registers(&during, call, text, given);
	if (ptrace(PTRACE_SETREGS, thread, NULL, &during) ||
		ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL) ||
		waitpid(thread, &status, __WALL) < 0 || !WIFSTOPPED(status) ||
		ptrace(PTRACE_GETREGS, thread, NULL, &during) ||
		ptrace(PTRACE_SETREGS, thread, NULL, &before))
		fail("making the call");
	return (long)during.rax;
}

int main(int argc, char **argv)
{
	pid_t thread = argc > 2 ? atoi(argv[1]) : 0;

	for (size_t i = 0; thread && i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, argv[2])) {
			long result;

			stop(thread);
			result = call_in(thread, &calls[i], argc > 3 ? argv[3] : "");
			ptrace(PTRACE_DETACH, thread, NULL, NULL);
			puts(result < 0 ? strerrorname_np((int)-result) : "allowed");
			return 0;
		}
	fprintf(stderr, "usage: call_in TID CALL [PATH|NUMBER]\n");
	return 2;
}

#endif
