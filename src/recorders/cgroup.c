/* cgroup.c: a control group of its own for a command that is recorded. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process/proc.h"
#include "recorders/cgroup.h"

#define PREFIX "kiln-"
#define TRIES  100 /* times 1 ms: how long a group whose processes keep forking is emptied */

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
		if (!bytes_start(line, BYTES("/")))
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
		if (!bytes_start(path, h.root))
			return NULL;
		path = (struct bytes){path.at + h.root.len, path.len - h.root.len};
	}
	/* Outside of this namespace, or a name that goes on. */
	if (path.len && (*path.at != '/' || bytes_start(path, BYTES("/.."))))
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

/* Of recorders that were killed: only empty groups can be removed. */
static void remove_stale(const char *parent)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct bytes name = bytes_of(entry->d_name);
		uint64_t pid;

		if (!bytes_start(name, BYTES(PREFIX)))
			continue;
		name = (struct bytes){name.at + strlen(PREFIX), name.len - strlen(PREFIX)};
		if (!bytes_u64(name, &pid) || !pid || pid > INT32_MAX)
			continue;
		if ((pid_t)pid == getpid() || (kill((pid_t)pid, 0) && errno == ESRCH))
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
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

bool cgroup_create(struct cgroup *ret, pid_t process, struct error *err)
{
	struct cgroup cgroup = {.parent = cgroup_of(process), .fd = -1};
	struct buffer folder = {0};

	*ret = (struct cgroup){.fd = -1};
	if (!cgroup.parent)
		return error_set(err, ERR_IO, "no control groups are to be seen");
	remove_stale(cgroup.parent);
	buffer_printf(&folder, "%s/" PREFIX "%d", cgroup.parent, getpid());
	cgroup.folder = folder.at;
	if (mkdir(cgroup.folder, 0755)) {
		error_errno(err, "a control group in %s", cgroup.parent);
		free(cgroup.folder);
		free(cgroup.parent);
		return false;
	}
	cgroup.fd = open(cgroup.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*ret = cgroup;
	return cgroup.fd >= 0 || error_errno(err, "%s", cgroup.folder);
}

bool cgroup_add(const struct cgroup *cgroup, pid_t process, struct error *err)
{
	return add_to(cgroup->folder, process) || error_errno(err, "%s", cgroup->folder);
}

void cgroup_outside_of_own(struct bytes path, struct buffer *ret)
{
	struct buffer own = {0};
	struct bytes part;

	buffer_printf(&own, PREFIX "%d", getpid());
	ret->len = 0;
	for (; path.len; path = (struct bytes){part.at + part.len, path.len - part.len}) {
		if (*path.at == '/')
			path = (struct bytes){path.at + 1, path.len - 1};
		part = (struct bytes){path.at, bytes_until(path, '/')};
		if (part.len && !bytes_equal(part, buffer_bytes(&own)))
			buffer_printf(ret, "/%.*s", (int)part.len, part.at);
	}
	if (!ret->len)
		buffer_char(ret, '/');
	buffer_release(&own);
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
