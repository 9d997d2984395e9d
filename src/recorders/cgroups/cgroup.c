/* cgroup.c: a control group for the command that is recorded, and the mounted hierarchies. */
#include "recorders/cgroups/cgroup.h"

#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "kiln-"
#define TRIES  100 /* times 1 ms: how long a group whose processes keep forking is emptied */

#define RANDOM_DIGITS 16
#define LOCK_TRIES    3

/* ---- Where it is ---- */

/* What is before the next `at`, or all that is left. */
static struct bytes next_field(struct bytes *line, char at)
{
	struct bytes field = *line;

	if (!bytes_cut(line, at, &field))
		line->len = 0;
	return field;
}

static bool is_listed(struct bytes names, struct bytes name)
{
	while (names.len)
		if (bytes_equal(next_field(&names, ','), name))
			return true;
	return false;
}

/* "36 35 98:0 /root /folder options [tags] - type source options" */
static bool mount_line(struct bytes line, struct cgroup_mount *ret)
{
	struct cgroup_mount m = {0};
	struct bytes type;

	for (int i = 0; i < 3; i++)
		next_field(&line, ' ');
	m.root = next_field(&line, ' ');
	m.folder = next_field(&line, ' ');
	while (line.len && !bytes_equal(next_field(&line, ' '), BYTES("-")))
		;
	type = next_field(&line, ' ');
	next_field(&line, ' ');
	m.legacy = bytes_equal(type, BYTES("cgroup"));
	m.events = m.legacy && is_listed(line, BYTES("perf_event"));
	if (!m.legacy && !bytes_equal(type, BYTES("cgroup2")))
		return false;
	*ret = m;
	return true;
}

bool cgroup_next_mount(struct bytes *mounts, struct cgroup_mount *ret)
{
	struct bytes line;

	while (bytes_line(mounts, &line))
		if (mount_line(line, ret))
			return true;
	return false;
}

bool cgroup_events_mount(struct bytes mounts, struct cgroup_mount *ret)
{
	struct cgroup_mount m;
	bool found = false;

	while (cgroup_next_mount(&mounts, &m)) {
		if (m.events || (!found && !m.legacy))
			*ret = m;
		found |= m.events || !m.legacy;
		if (m.events)
			break;
	}
	return found;
}

/* "4:cpu,perf_event:/path" of version 1, "0::/path" of version 2 */
static bool find_group(struct bytes groups, bool named, struct bytes *ret_path)
{
	struct bytes line;

	while (bytes_line(&groups, &line)) {
		struct bytes number = next_field(&line, ':'), names = next_field(&line, ':');

		if (named ? !is_listed(names, BYTES("perf_event"))
			  : names.len || !bytes_equal(number, BYTES("0")))
			continue;
		if (!bytes_starts_with(line, BYTES("/")))
			return false;
		*ret_path = line;
		return true;
	}
	return false;
}

char *cgroup_find(struct bytes groups, struct bytes mounts)
{
	struct buffer folder = {0};
	struct cgroup_mount h;
	struct bytes path;

	if (!cgroup_events_mount(mounts, &h) || !find_group(groups, h.events, &path))
		return NULL;
	if (h.root.len > 1) { /* a mount of a part, as containers have it */
		if (!bytes_starts_with(path, h.root))
			return NULL;
		path = (struct bytes){path.at + h.root.len, path.len - h.root.len};
	}
	/* Outside of this namespace, or a name that goes on. */
	if (path.len && (*path.at != '/' || bytes_starts_with(path, BYTES("/.."))))
		return NULL;
	buffer_add(&folder, h.folder.at, h.folder.len);
	buffer_add(&folder, path.at, path.len > 1 ? path.len : 0);
	buffer_char(&folder, 0);
	return folder.at;
}

char *cgroup_of(pid_t process)
{
	struct buffer groups = {0}, mounts = {0};
	char path[32], *folder = NULL;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", process);
	if (proc_text(&groups, path) && proc_text(&mounts, "/proc/self/mountinfo"))
		folder = cgroup_find(buffer_bytes(&groups), buffer_bytes(&mounts));
	buffer_release(&groups);
	buffer_release(&mounts);
	return folder;
}

/* ---- Making and removing ---- */

static char own_name[64]; /* of the last group that was made */

/* The number is there because recorders in other pid namespaces may have the same pid. */
static void choose_name(void)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint64_t)time(NULL);
	snprintf(own_name, sizeof(own_name), PREFIX "%d-%016llx", getpid(),
		(unsigned long long)random);
}

bool cgroup_is_of_recorder(struct bytes name)
{
	size_t digits;

	if (!bytes_starts_with(name, BYTES(PREFIX)))
		return false;
	name = (struct bytes){name.at + strlen(PREFIX), name.len - strlen(PREFIX)};
	for (digits = 0; digits < name.len && is_digit(name.at[digits]);)
		digits++;
	if (!digits || name.len != digits + 1 + RANDOM_DIGITS || name.at[digits] != '-')
		return false;
	for (size_t i = digits + 1; i < name.len; i++)
		if (!is_hex_digit(name.at[i]))
			return false;
	return true;
}

static bool add_to(const char *folder, pid_t process)
{
	struct buffer path = {0};
	char number[16];
	int len = snprintf(number, sizeof(number), "%d", process), fd;
	bool ok;

	buffer_printf(&path, "%s/cgroup.procs", folder);
	fd = open(path.at, O_WRONLY | O_CLOEXEC);
	buffer_release(&path);
	ok = fd >= 0 && write(fd, number, (size_t)len) == len;
	if (fd >= 0) {
		int code = errno;

		close(fd);
		errno = code;
	}
	return ok;
}

bool cgroup_lock(const struct cgroup *cgroup)
{
	struct stat opened, named;

	return cgroup->fd >= 0 && !flock(cgroup->fd, LOCK_EX | LOCK_NB) &&
	       !fstat(cgroup->fd, &opened) && !stat(cgroup->folder, &named) &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Until it is locked, another recorder may take it for one that was left behind. */
static bool make_locked(struct cgroup *cgroup, struct error *err)
{
	struct buffer folder = {0};

	choose_name();
	buffer_printf(&folder, "%s/%s", cgroup->parent, own_name);
	free(cgroup->folder);
	cgroup->folder = folder.at;
	if (mkdir(cgroup->folder, 0755))
		return error_errno(err, "a control group in %s", cgroup->parent);
	cgroup->fd = open(cgroup->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup_lock(cgroup))
		return true;
	error_errno(err, "%s", cgroup->folder);
	rmdir(cgroup->folder);
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	cgroup->fd = -1;
	return false;
}

bool cgroup_create(struct cgroup *ret, pid_t process, struct error *err)
{
	struct cgroup cgroup = {.parent = cgroup_of(process), .fd = -1};
	bool made = false;

	*ret = (struct cgroup){.fd = -1};
	if (!cgroup.parent)
		return error_set(err, ERR_IO, "no control groups are visible");
	for (int i = 0; !made && i < LOCK_TRIES; i++)
		made = make_locked(&cgroup, err);
	if (made) {
		*ret = cgroup;
		return true;
	}
	free(cgroup.folder);
	free(cgroup.parent);
	return false;
}

bool cgroup_add(const struct cgroup *cgroup, pid_t process, struct error *err)
{
	return add_to(cgroup->folder, process) || error_errno(err, "%s", cgroup->folder);
}

void cgroup_outside_of_own(struct bytes path, struct buffer *ret)
{
	struct bytes own = bytes_of(own_name), part;

	ret->len = 0;
	for (; path.len; path = (struct bytes){part.at + part.len, path.len - part.len}) {
		if (*path.at == '/')
			path = (struct bytes){path.at + 1, path.len - 1};
		part = (struct bytes){path.at, bytes_until(path, '/')};
		if (part.len && !bytes_equal(part, own))
			buffer_printf(ret, "/%.*s", (int)part.len, part.at);
	}
	if (!ret->len)
		buffer_char(ret, '/');
}

/* A line of cpu.stat: "usage_usec 1234" */
uint64_t cgroup_cpu_ns(const char *folder)
{
	struct buffer path = {0}, text = {0};
	struct bytes left, line;
	uint64_t microseconds = 0;

	buffer_printf(&path, "%s/cpu.stat", folder);
	if (proc_text(&text, path.at))
		for (left = buffer_bytes(&text); bytes_line(&left, &line);)
			if (bytes_equal(next_field(&line, ' '), BYTES("usage_usec")))
				bytes_u64(line, &microseconds);
	buffer_release(&path);
	buffer_release(&text);
	return microseconds * 1000;
}

static void move_all(const struct cgroup *cgroup)
{
	struct buffer path = {0}, text = {0};
	struct bytes left, line;
	uint64_t pid;

	buffer_printf(&path, "%s/cgroup.procs", cgroup->folder);
	if (proc_text(&text, path.at))
		for (left = buffer_bytes(&text); bytes_line(&left, &line);)
			if (bytes_u64(line, &pid))
				add_to(cgroup->parent, (pid_t)pid);
	buffer_release(&path);
	buffer_release(&text);
}

bool cgroup_remove(struct cgroup *cgroup, struct error *err)
{
	struct timespec pause = {0, 1000000};
	bool ok = true;

	if (!cgroup->folder)
		return true;
	/* They may fork while they are moved. */
	for (int i = 0; (ok = !rmdir(cgroup->folder) || errno == ENOENT), !ok && i < TRIES; i++) {
		move_all(cgroup);
		if (i)
			nanosleep(&pause, NULL);
	}
	if (!ok)
		error_errno(err, "the control group %s", cgroup->folder);
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	free(cgroup->folder);
	free(cgroup->parent);
	*cgroup = (struct cgroup){.fd = -1};
	return ok;
}
