/* confine.c: what may this process still do while it reads untrusted input? */
#include "base/confine.h"

#include "base/confine_calls.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A build with sanitizers is not confined: the leak checker starts a process that inspects this
 * one, and reports may be written to a file. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
	__has_feature(thread_sanitizer)
#define CAN_BE_CONFINED false
#endif
#endif
#if !defined(CAN_BE_CONFINED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define CAN_BE_CONFINED false
#elif !defined(CAN_BE_CONFINED)
#define CAN_BE_CONFINED true
#endif

/* ---- Landlock, also with headers older than the kernel ---- */

#define FS(bit) (UINT64_C(1) << (bit))

#define FS_EXECUTE    FS(0)
#define FS_WRITE      FS(1)
#define FS_READ	      FS(2)
#define FS_LIST	      FS(3)
#define FS_REMOVE_DIR FS(4)
#define FS_REMOVE     FS(5)
#define FS_MAKE_DIR   FS(7)
#define FS_MAKE	      FS(8)
#define FS_REFER      FS(13)
#define FS_TRUNCATE   FS(14)
#define FS_IOCTL_DEV  FS(15)
#define FS_FIRST_ABI  (FS(13) - 1) /* all rights of the first version */

#define NET_BIND    UINT64_C(1)
#define NET_CONNECT UINT64_C(2)

/* Requests that are refused here usually go to a broker next; do not fill the audit log with
 * them. */
#define LOG_NOTHING 1u /* LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF */

#define SCOPE_ABSTRACT_SOCKET UINT64_C(1)
#define SCOPE_SIGNAL	      UINT64_C(2)

/* struct landlock_ruleset_attr of version 6; older kernels require zeroes in members that they
 * do not know. */
struct ruleset {
	uint64_t fs, net, scoped;
};

static struct ruleset handled_by(int abi, unsigned flags)
{
	struct ruleset all = {.fs = FS_FIRST_ABI};

	if (abi >= 2)
		all.fs |= FS_REFER;
	if (abi >= 3)
		all.fs |= FS_TRUNCATE;
	if (abi >= 5)
		all.fs |= FS_IOCTL_DEV;
	if (flags & CONFINE_ALLOW_READ_ALL)
		all.fs &= ~(FS_READ | FS_LIST | FS_IOCTL_DEV);
	if (abi >= 4 && !(flags & CONFINE_ALLOW_NETWORK))
		all.net = NET_BIND | NET_CONNECT;
	if (abi >= 6)
		all.scoped = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL;
	return all;
}

void confine_init(struct confine *c, unsigned flags)
{
	long abi = CAN_BE_CONFINED ? syscall(SYS_landlock_create_ruleset, NULL, 0,
					     LANDLOCK_CREATE_RULESET_VERSION)
				   : 0;
	struct ruleset all;

	*c = (struct confine){
		.allowed = {.flags = flags}, .abi = abi > 0 ? (int)abi : 0, .ruleset = -1};
	if (!c->abi)
		return;
	all = handled_by(c->abi, flags);
	c->ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
}

static void allow(struct confine *c, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = {.parent_fd = -1};
	struct stat status;

	if (c->ruleset < 0)
		return;
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (!fstat(rule.parent_fd, &status) && !S_ISDIR(status.st_mode))
		rights &= FS_READ | FS_WRITE | FS_EXECUTE | FS_TRUNCATE | FS_IOCTL_DEV;
	rule.allowed_access = rights & handled_by(c->abi, c->allowed.flags).fs;
	if (rule.allowed_access)
		syscall(SYS_landlock_add_rule, c->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

void confine_allow_read(struct confine *c, const char *path)
{
	allow(c, path, FS_READ | FS_LIST);
}

void confine_allow_list(struct confine *c, const char *folder)
{
	allow(c, folder, FS_LIST);
}

void confine_allow_run(struct confine *c, const char *path)
{
	allow(c, path, FS_READ | FS_LIST | FS_EXECUTE);
}

#define FS_CHANGE (FS_READ | FS_LIST | FS_WRITE | FS_REMOVE | FS_MAKE | FS_REFER | FS_TRUNCATE)

void confine_allow_write(struct confine *c, const char *folder)
{
	allow(c, folder, FS_CHANGE);
}

void confine_allow_tree(struct confine *c, const char *folder)
{
	allow(c, folder, FS_CHANGE | FS_MAKE_DIR | FS_REMOVE_DIR);
}

void confine_allow_chown(struct confine *c, uint32_t user, uint32_t group)
{
	c->allowed.chown = true;
	c->allowed.user = user;
	c->allowed.group = group;
}

/* ---- Capabilities ---- */

/* To read and lease other users' files. drop_capabilities also keeps CAP_SYSLOG, for the
 * addresses in /proc/kallsyms, and CAP_CHOWN where a file is given away. */
static const unsigned kept_capabilities =
	1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_LEASE;

/* A process with fewer capabilities than another cannot trace it (ptrace(2), "Ptrace access mode
 * checking"). A failure is ignored: it means that there were none to drop. */
static void drop_capabilities(const struct confine *c)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	const uint32_t allowed[2] = {kept_capabilities | (c->allowed.chown ? 1u << CAP_CHOWN : 0u),
		1u << (CAP_SYSLOG - 32)};

	if (syscall(SYS_capget, &header, data))
		return;
	for (size_t i = 0; i < 2; i++) {
		data[i].effective &= allowed[i];
		data[i].permitted &= allowed[i];
		data[i].inheritable = 0;
	}
	syscall(SYS_capset, &header, data);
}

static void confine_release(struct confine *c)
{
	if (c->ruleset >= 0)
		close(c->ruleset);
	c->ruleset = -1;
}

unsigned confine_start(struct confine *c)
{
	unsigned done = 0;

	if (CAN_BE_CONFINED && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		drop_capabilities(c);
		if (c->ruleset >= 0 && !syscall(SYS_landlock_restrict_self, c->ruleset,
					       c->abi >= 7 ? LOG_NOTHING : 0u))
			done |= CONFINED_FILES;
		if (confine_calls(&c->allowed))
			done |= CONFINED_CALLS;
	}
	confine_release(c);
	return done;
}
