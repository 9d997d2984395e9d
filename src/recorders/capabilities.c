/* capabilities.c: what may the recorder still do, once everything is attached? */
#include "recorders/capabilities.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Younger than some headers. */
#define PERFMON		   38
#define BPF		   39
#define CHECKPOINT_RESTORE 40

struct sets {
	capabilities effective, permitted;
};

static bool sets_read(struct sets *ret)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &header, data))
		return false;
	ret->effective = data[0].effective | (capabilities)data[1].effective << 32;
	ret->permitted = data[0].permitted | (capabilities)data[1].permitted << 32;
	return true;
}

/* What is inherited by programs is none; called in a signal's handler. */
static bool sets_write(const struct sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)sets->effective, .permitted = (uint32_t)sets->permitted},
		{.effective = (uint32_t)(sets->effective >> 32),
			.permitted = (uint32_t)(sets->permitted >> 32)}};

	return !syscall(SYS_capset, &header, data);
}

bool capability_held(unsigned number)
{
	struct sets now;

	return !sets_read(&now) || (now.effective & CAPABILITY(number));
}

/* ---- What is needed ---- */

static capabilities permitted_now(void)
{
	struct sets now = {0};

	sets_read(&now);
	return now.permitted;
}

/* Who was not given one of its own, or has a kernel that does not know it, may do it as
 * CAP_SYS_ADMIN. */
static capabilities part_of_admin(unsigned number)
{
	capabilities own = CAPABILITY(number);

	return permitted_now() & own ? own : CAPABILITY(CAP_SYS_ADMIN);
}

capabilities capabilities_to_look(void)
{
	return CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_DAC_READ_SEARCH) |
	       part_of_admin(CHECKPOINT_RESTORE);
}

/* Probes in user space were open to CAP_PERFMON from Linux 5.8 to 6.15, and are not any more: they
 * could be put into the middle of an instruction. CAP_SYS_ADMIN is all of the three. */
capabilities capabilities_for_programs(bool probes)
{
	if (probes && permitted_now() & CAPABILITY(CAP_SYS_ADMIN))
		return CAPABILITY(CAP_SYS_ADMIN);
	return part_of_admin(BPF) | (probes ? CAPABILITY(PERFMON) : 0);
}

/* Without its capabilities, may this user write there? */
static bool may_write_to(int folder)
{
	struct sets now, none;
	bool may;

	if (!sets_read(&now))
		return false;
	none = (struct sets){0, now.permitted};
	may = sets_write(&none) &&
	      !syscall(SYS_faccessat2, folder, "", W_OK | X_OK, AT_EACCESS | AT_EMPTY_PATH);
	sets_write(&now);
	return may;
}

capabilities capabilities_to_finish(int folder, bool command)
{
	const capabilities files = CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_FOWNER);
	capabilities needed = command ? CAPABILITY(CAP_KILL) : 0;

	if (folder < 0)
		return needed;
	if (getenv("SUDO_UID"))
		return needed | files | CAPABILITY(CAP_CHOWN);
	return needed | (may_write_to(folder) ? 0 : files);
}

capabilities capabilities_to_remove(void)
{
	return CAPABILITY(CAP_DAC_OVERRIDE);
}

/* ---- All threads ---- */

/* Capabilities are a thread's own. What they all take on: */
static struct sets reduced;
static int failed;

static bool take_on(void)
{
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && sets_write(&reduced);
}

static void follow(int signal)
{
	int code = errno;

	(void)signal;
	if (!take_on())
		__atomic_store_n(&failed, 1, __ATOMIC_SEQ_CST);
	errno = code;
}

/* They need not be waited for, which would take as long as what they are at in the kernel: before a
 * thread goes on with anything of ours it has followed. Only the calling thread starts others, so
 * that none is missing from the list. */
static bool lead_others(int signal)
{
	DIR *dir = opendir("/proc/self/task");
	pid_t pid = getpid(), own = (pid_t)syscall(SYS_gettid);
	struct dirent *entry;
	bool ok = dir != NULL;

	while (ok && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		ok = tid <= 0 || tid == own || !syscall(SYS_tgkill, pid, tid, signal) ||
		     errno == ESRCH;
	}
	if (dir)
		closedir(dir);
	return ok;
}

bool capabilities_drop(capabilities kept, capabilities at_end, struct error *err)
{
	const int signal = SIGRTMIN + 1;
	struct sigaction action = {.sa_handler = follow, .sa_flags = SA_RESTART};
	struct sets now;

	if (!sets_read(&now))
		return error_errno(err, "capabilities");
	reduced.permitted = now.permitted & (kept | at_end);
	reduced.effective = now.effective & kept;
	sigaction(signal, &action, NULL);
	return (lead_others(signal) && take_on()) || error_errno(err, "capabilities");
}

bool capabilities_dropped(void)
{
	return !__atomic_load_n(&failed, __ATOMIC_SEQ_CST);
}

void capabilities_raise(void)
{
	struct sets now;

	if (!sets_read(&now))
		return;
	now.effective = now.permitted;
	sets_write(&now);
}
