/* confine_calls.c: which system calls does a confined process not need?
 *
 * This is a list of harmful calls, not of allowed ones: a list of allowed calls would break with
 * every new version of the C library. Landlock covers the rest. A refused call fails with EPERM,
 * as for any process without the permission. */
#include "base/confine_calls.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifndef MACHINE

bool confine_calls(const struct confine_allowed *allowed)
{
	(void)allowed;
	return false;
}

#else

/* All 64-bit machines use the same numbers for calls of Linux 5.1 and later. Calls from
 * CALL_UNKNOWN on fail with ENOSYS, as on an older kernel: nothing here needs them, setxattrat
 * and file_setattr are among them, and later ones are unknown. */
#define CALL_QUOTACTL_FD 443
#define CALL_FCHMODAT2	 452
#define CALL_UNKNOWN	 463

static const int refused[] = {
	/* Other programs and processes */
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_process_madvise,
	SYS_pidfd_open,
	SYS_pidfd_getfd,
	SYS_pidfd_send_signal,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_tkill,
	SYS_kcmp,
	SYS_move_pages,
	SYS_migrate_pages,
	SYS_setpriority,
	SYS_ioprio_set,
	SYS_sched_setparam,
	SYS_sched_setscheduler,
	SYS_sched_setattr,
	SYS_sched_setaffinity,
	/* Memory and queues that processes share by key */
	SYS_shmget,
	SYS_shmat,
	SYS_shmdt,
	SYS_shmctl,
	SYS_msgget,
	SYS_msgctl,
	SYS_msgsnd,
	SYS_msgrcv,
	SYS_semget,
	SYS_semctl,
	SYS_semop,
	SYS_semtimedop,
	SYS_mq_open,
	SYS_mq_unlink,
	/* Code that the kernel runs for a process, and interfaces with a history of bugs */
	SYS_bpf,
	SYS_perf_event_open,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_userfaultfd,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	/* The name space of files: mounts, and ways around paths */
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_move_mount,
	SYS_open_tree,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	SYS_mount_setattr,
	SYS_open_by_handle_at,
	SYS_fanotify_init,
	SYS_unshare,
	SYS_setns,
	/* Metadata of files, which Landlock does not control */
	SYS_fchmod,
	SYS_fchmodat,
	CALL_FCHMODAT2,
	SYS_fchownat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	SYS_truncate,
	SYS_mknodat,
	/* The identity of this process */
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setgroups,
	SYS_setfsuid,
	SYS_setfsgid,
	SYS_capset,
	SYS_personality,
	/* The system */
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	CALL_QUOTACTL_FD,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_syslog,
	SYS_vhangup,
#ifdef __x86_64__
	SYS_fork,
	SYS_vfork,
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_mknod,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
	SYS_iopl,
	SYS_ioperm,
	SYS_modify_ldt,
#endif
};

static const int refused_programs[] = {SYS_execve, SYS_execveat};
static const int refused_sockets[] = {SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_sendmmsg};

/* Requests of this program, the C library and libmicrohttpd. Some others write to a terminal's
 * input (TIOCSTI) or change files. */
static const uint32_t controls[] = {
	0x5401 /* TCGETS */, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX,
	0x80087601 /* FS_IOC_GETVERSION */
};

/* ---- The filter ---- */

#define LENGTH_LIMIT 768u
#define ROWS_LIMIT   192u
#define BLOCK	     8u /* rows */

struct filter {
	struct sock_filter code[LENGTH_LIMIT];
	unsigned short len;
	const struct confine_allowed *allowed;
};

#define ERRNO(number) (SECCOMP_RET_ERRNO | (number))
#define NUMBER	      ((uint32_t)offsetof(struct seccomp_data, nr))
#define LOW(i)	      ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (i)))
#define HIGH(i)	      (LOW(i) + 4)

static void add(struct filter *f, struct sock_filter instruction)
{
	assert(f->len < LENGTH_LIMIT);
	f->code[f->len++] = instruction;
}

static void load(struct filter *f, uint32_t offset)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void answer(struct filter *f, uint32_t what)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* Compare the loaded word; the arguments say how many of the next instructions to skip. */
static void compare(
	struct filter *f, unsigned short how, uint32_t with, uint8_t if_true, uint8_t if_false)
{
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, with, if_true, if_false));
}

/* The instructions for one call; they end with a verdict. */
typedef void handle(struct filter *f);

static void refuse(struct filter *f)
{
	answer(f, ERRNO(EPERM));
}

/* The flags of clone3 are in memory, which a filter cannot read. The C library falls back to
 * clone where clone3 is unknown. */
static void hide(struct filter *f)
{
	answer(f, ERRNO(ENOSYS));
}

/* Threads may be started, processes not. */
static void allow_threads(struct filter *f)
{
	load(f, LOW(0));
	compare(f, BPF_JSET, CLONE_THREAD, 1, 0);
	answer(f, ERRNO(EPERM));
	answer(f, SECCOMP_RET_ALLOW);
}

/* Refuse the call unless argument i has this value; only its lower half is compared. */
static void require(struct filter *f, unsigned i, uint32_t value)
{
	load(f, LOW(i));
	compare(f, BPF_JEQ, value, 1, 0);
	answer(f, ERRNO(EPERM));
}

/* kill and tgkill only for this process; 0, the process group, is refused. */
static void allow_own_signals(struct filter *f)
{
	require(f, 0, (uint32_t)getpid());
	answer(f, SECCOMP_RET_ALLOW);
}

/* prlimit64 only for this process; 0 means the calling process. */
static void allow_own_limits(struct filter *f)
{
	load(f, LOW(0));
	compare(f, BPF_JEQ, 0, 2, 0);
	compare(f, BPF_JEQ, (uint32_t)getpid(), 1, 0);
	answer(f, ERRNO(EPERM));
	answer(f, SECCOMP_RET_ALLOW);
}

/* Argument i must be a NULL pointer. */
static void allow_null(struct filter *f, unsigned i)
{
	load(f, LOW(i));
	compare(f, BPF_JEQ, 0, 0, 2);
	load(f, HIGH(i));
	compare(f, BPF_JEQ, 0, 1, 0);
	answer(f, ERRNO(EPERM));
	answer(f, SECCOMP_RET_ALLOW);
}

/* futimens passes no file name. */
static void allow_descriptor(struct filter *f)
{
	allow_null(f, 1);
}

/* sendto on a connected socket passes no address. */
static void allow_connected(struct filter *f)
{
	allow_null(f, 4);
}

/* The address in sendmsg's header is in memory, which a filter cannot read. A connected socket
 * ignores it; a datagram socket would not, but cannot be created. TCP fast open would connect to
 * it, and is refused. */
static void allow_no_connecting(struct filter *f)
{
	load(f, LOW(2));
	compare(f, BPF_JSET, MSG_FASTOPEN, 0, 1);
	answer(f, ERRNO(EPERM));
	answer(f, SECCOMP_RET_ALLOW);
}

/* A request to the broker carries one end of such a pair, for the reply (broker.c). */
static void allow_question(struct filter *f)
{
	require(f, 0, AF_UNIX);
	require(f, 1, SOCK_SEQPACKET | SOCK_CLOEXEC);
	answer(f, SECCOMP_RET_ALLOW);
}

/* An output may be given to the user who called sudo. */
static void allow_chown(struct filter *f)
{
	require(f, 1, f->allowed->user);
	require(f, 2, f->allowed->group);
	answer(f, SECCOMP_RET_ALLOW);
}

static void allow_controls(struct filter *f)
{
	const uint8_t count = sizeof(controls) / sizeof(*controls);

	load(f, LOW(1));
	for (uint8_t i = 0; i < count; i++)
		compare(f, BPF_JEQ, controls[i], (uint8_t)(count - i), 0);
	answer(f, ERRNO(EPERM));
	answer(f, SECCOMP_RET_ALLOW);
}

/* ---- The table ---- */

struct row {
	int call;
	handle *handle;
};
struct table {
	struct row rows[ROWS_LIMIT];
	size_t len;
};

static void add_row(struct table *t, int call, handle *how)
{
	assert(t->len < ROWS_LIMIT);
	t->rows[t->len++] = (struct row){call, how};
}

static void add_refused(struct table *t, const int *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_row(t, calls[i], refuse);
}

#define ADD_REFUSED(t, calls) add_refused(t, calls, sizeof(calls) / sizeof(*(calls)))

static int by_call(const void *a, const void *b)
{
	return ((const struct row *)a)->call - ((const struct row *)b)->call;
}

static void fill(struct table *t, const struct confine_allowed *allowed)
{
	unsigned flags = allowed->flags;

	ADD_REFUSED(t, refused);
	add_row(t, SYS_fchown, allowed->chown ? allow_chown : refuse);
	if (!(flags & CONFINE_ALLOW_EXECUTE))
		ADD_REFUSED(t, refused_programs);
	if (!(flags & CONFINE_ALLOW_NETWORK)) {
		ADD_REFUSED(t, refused_sockets);
		add_row(t, SYS_sendto, allow_connected);
		add_row(t, SYS_sendmsg, allow_no_connecting);
		add_row(t, SYS_socketpair, allow_question);
	}
	add_row(t, SYS_clone3, hide);
	add_row(t, SYS_clone, allow_threads);
	add_row(t, SYS_kill, allow_own_signals);
	add_row(t, SYS_tgkill, allow_own_signals);
	add_row(t, SYS_prlimit64, allow_own_limits);
	add_row(t, SYS_utimensat, allow_descriptor);
	add_row(t, SYS_ioctl, allow_controls);
	qsort(t->rows, t->len, sizeof(*t->rows), by_call);
}

/* When a filter is installed, the kernel runs it for each call number and caches the calls that are
 * always allowed, so only the others cost time later. Rows are in blocks: one comparison skips a
 * block if all of its calls have lower numbers. */
static void add_block(
	struct filter *f, const struct row *rows, size_t count, const struct row *next)
{
	unsigned short start = f->len;

	if (next)
		compare(f, BPF_JGE, (uint32_t)next->call, 0, 0);
	for (size_t i = 0; i < count; i++) {
		unsigned short at = f->len;

		compare(f, BPF_JEQ, (uint32_t)rows[i].call, 0, 0);
		rows[i].handle(f);
		f->code[at].jf = (uint8_t)(f->len - at - 1);
	}
	answer(f, SECCOMP_RET_ALLOW);
	if (next)
		f->code[start].jt = (uint8_t)(f->len - start - 1);
}

static void refuse_other_machines(struct filter *f)
{
	load(f, (uint32_t)offsetof(struct seccomp_data, arch));
	compare(f, BPF_JEQ, MACHINE, 1, 0);
	answer(f, ERRNO(EPERM));
	load(f, NUMBER);
#ifdef __x86_64__
	compare(f, BPF_JGE, 0x40000000 /* x32 */, 0, 1);
	answer(f, ERRNO(EPERM));
#endif
	compare(f, BPF_JGE, CALL_UNKNOWN, 0, 1);
	answer(f, ERRNO(ENOSYS));
}

bool confine_calls(const struct confine_allowed *allowed)
{
	struct filter f = {.len = 0, .allowed = allowed};
	struct table t = {.len = 0};
	struct sock_fprog program = {.filter = f.code};

	fill(&t, allowed);
	refuse_other_machines(&f);
	for (size_t i = 0; i < t.len; i += BLOCK) {
		bool is_last = i + BLOCK >= t.len;

		add_block(&f, t.rows + i, is_last ? t.len - i : BLOCK,
			is_last ? NULL : t.rows + i + BLOCK);
	}
	program.len = f.len;
	/* This process may read everything in its memory anyway, so the costly mitigations of
	 * older kernels (SPEC_STORE_BYPASS) are not needed. */
	return !syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

#endif
