/* tracefs.c: the kernel's tracepoints and their fields. */
#include "recorders/probes/tracefs.h"

#include "base/memory.h"
#include "base/options.h"
#include "recorders/refusal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENT_NAME_BYTES 256

/* A descriptor of tracefs's root: of the existing mount, else of a private one. */
static int tracefs_open(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char events[64];
	int fs, fd = -1;

	for (size_t i = 0; i < 2; i++) {
		snprintf(events, sizeof(events), "%s/events", places[i]);
		if (!access(events, F_OK))
			return open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	fs = (int)syscall(SYS_fsopen, "tracefs", 1 /* FSOPEN_CLOEXEC */);
	if (fs >= 0 && !syscall(SYS_fsconfig, fs, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, fs, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (fs >= 0)
		close(fs);
	return fd;
}

/* ---- Names ---- */

/* Only names of the kernel's events may be joined to a path below `events`. */
static bool is_name(struct bytes name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!((name.at[i] | 32) >= 'a' && (name.at[i] | 32) <= 'z') &&
			!is_digit(name.at[i]) && name.at[i] != '_' && name.at[i] != '-')
			return false;
	return name.len && name.len < EVENT_NAME_BYTES;
}

bool trace_group_exists(struct bytes group)
{
	char path[EVENT_NAME_BYTES + 16];
	int root = is_name(group) ? tracefs_open() : -1;
	bool exists;

	if (root < 0)
		return false;
	snprintf(path, sizeof(path), "events/%.*s", (int)group.len, group.at);
	exists = !faccessat(root, path, F_OK, 0);
	close(root);
	return exists;
}

/* The folder in `path` whose name is nearest; appends " (is it ...?)". */
static void add_nearest(
	int root, const char *path, struct bytes group, struct bytes name, struct buffer *out)
{
	VECTOR(const char *) names = {0};
	const char *nearest;
	struct dirent *entry;
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			vector_push(&names, memory_copy_text(entry->d_name, strlen(entry->d_name)));
	nearest = option_nearest(names.items, names.len, name);
	if (nearest)
		buffer_printf(out, " (is it %.*s%s%s?)", (int)group.len, group.at,
			group.len ? ":" : "", nearest);
	for (size_t i = 0; i < names.len; i++)
		free((void *)(uintptr_t)names.items[i]);
	vector_release(&names);
	if (dir)
		closedir(dir);
}

static bool unknown(int root, struct bytes group, struct bytes name, struct error *err)
{
	struct buffer near = {0};
	char path[EVENT_NAME_BYTES + 16];

	snprintf(path, sizeof(path), "events/%.*s", (int)group.len, group.at);
	if (!faccessat(root, path, F_OK, 0))
		add_nearest(root, path, group, name, &near);
	else
		add_nearest(root, "events", (struct bytes){0}, group, &near);
	buffer_text(&near, "");
	error_set(err, ERR_USAGE,
		"event '%.*s:%.*s': the kernel has no such tracepoint%s; `perf list tracepoint` "
		"names them",
		(int)group.len, group.at, (int)name.len, name.at, near.at);
	buffer_release(&near);
	return false;
}

static bool only_root_reads(struct obstacle *ret)
{
	obstacle_set(ret, ERR_PERMISSION, "this user cannot read tracefs");
	obstacle_remedy(ret, "run as root");
	return obstacle_run_as_root(ret);
}

/* Where it is mounted, others than root may not even look into its folder. */
static bool not_found(struct obstacle *ret)
{
	if (access("/sys/kernel/tracing/events", F_OK) && errno == EACCES)
		return only_root_reads(ret);
	obstacle_set(ret, ERR_PERMISSION, "cannot read tracefs");
	obstacle_remedy(
		ret, "run as root, or mount it: mount -t tracefs tracefs /sys/kernel/tracing");
	return obstacle_command(ret, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
}

/* What keeps this user from a tracepoint that exists (errno)? True: nothing is known. A locked-down
 * kernel may hide all of them. */
static bool may_read(struct obstacle *ret)
{
	if (errno == EACCES)
		return only_root_reads(ret);
	if (errno == EPERM || kernel_confidential())
		return obstacle_set(ret, ERR_PERMISSION,
			"this kernel is locked down and hides its tracepoints "
			"(/sys/kernel/security/lockdown)");
	return true;
}

bool trace_check(struct obstacle *ret)
{
	int root = tracefs_open(), fd;

	if (root < 0)
		return not_found(ret);
	fd = openat(root, "events/sched/sched_switch/id", O_RDONLY | O_CLOEXEC);
	if (fd < 0 && may_read(ret))
		obstacle_set(ret, ERR_UNSUPPORTED,
			"this kernel has no tracepoints (CONFIG_FTRACE): %s", strerror(errno));
	close(root);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool explain(
	struct bytes group, struct bytes name, const struct obstacle *o, struct error *err)
{
	obstacle_error(err, o);
	return error_prefix(
		err, "event '%.*s:%.*s': ", (int)group.len, group.at, (int)name.len, name.at);
}

/* Explain why its file could not be opened (errno). */
static bool unreadable(int root, struct bytes group, struct bytes name, struct error *err)
{
	struct obstacle o;

	if (!is_name(group) || !is_name(name) || may_read(&o))
		return unknown(root, group, name, err);
	return explain(group, name, &o, err);
}

static bool read_all(int fd, struct buffer *text)
{
	char part[4096];
	ssize_t got;

	while ((got = read(fd, part, sizeof(part))) > 0 && text->len < TRACEPOINT_FILE_LIMIT)
		buffer_add(text, part, (size_t)got);
	buffer_text(text, "");
	return got >= 0;
}

bool trace_read(struct bytes group, struct bytes name, const char *file, struct buffer *text,
	struct error *err)
{
	char path[2 * EVENT_NAME_BYTES + 64];
	int root = tracefs_open(), fd;
	struct obstacle o;
	bool ok;

	if (root < 0) {
		not_found(&o);
		return explain(group, name, &o, err);
	}
	snprintf(path, sizeof(path), "events/%.*s/%.*s/%s", (int)group.len, group.at, (int)name.len,
		name.at, file);
	fd = is_name(group) && is_name(name) ? openat(root, path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		unreadable(root, group, name, err);
	close(root);
	if (fd < 0)
		return false;
	ok = read_all(fd, text);
	close(fd);
	return ok || error_errno(err, "event '%.*s:%.*s'", (int)group.len, group.at, (int)name.len,
			     name.at);
}

bool trace_id(struct bytes group, struct bytes name, uint64_t *ret_id, struct error *err)
{
	struct buffer text = {0};
	bool ok = trace_read(group, name, "id", &text, err);

	if (ok)
		*ret_id = strtoull(text.at, NULL, 10);
	buffer_release(&text);
	return ok;
}

/* ---- Fields ---- */

/* The number behind "offset:" in a line; -1: none. */
static long number_behind(struct bytes line, const char *label)
{
	const char *at = memmem(line.at, line.len, label, strlen(label));
	struct bytes rest;
	long number = 0;

	if (!at)
		return -1;
	rest = (struct bytes){
		at + strlen(label), line.len - (size_t)(at - line.at) - strlen(label)};
	if (!rest.len || !is_digit(*rest.at))
		return -1;
	for (; rest.len && is_digit(*rest.at) && number < 1 << 20; rest.at++, rest.len--)
		number = number * 10 + *rest.at - '0';
	return number;
}

/* Arguments of system calls are whole registers, whatever their types: of shorter types only the
 * lower half is valid. */
static void narrow(struct trace_field *field, struct bytes type)
{
	static const struct {
		const char *type;
		uint8_t size;
		bool is_signed;
	} known[] = {{"int", 4, true}, {"unsigned int", 4, false}, {"unsigned", 4, false},
		{"pid_t", 4, true}, {"uid_t", 4, false}, {"gid_t", 4, false}, {"u32", 4, false},
		{"umode_t", 2, false}, {"clockid_t", 4, true}, {"timer_t", 4, true},
		{"long", 8, true}, {"off_t", 8, true}, {"loff_t", 8, true}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (bytes_equal(type, bytes_of(known[i].type))) {
			field->size = known[i].size;
			field->is_signed = known[i].is_signed;
		}
}

/* "	field:unsigned int flags;	offset:8;	size:4;	signed:0;": false when it is none
 * of the event's own, or no number. */
static bool field_read(struct bytes line, bool of_call, struct trace_field *ret)
{
	long offset = number_behind(line, "offset:"), size = number_behind(line, "size:");
	struct bytes declared, name, type;

	line = bytes_trim(line);
	if (!bytes_starts_with(line, BYTES("field:")) || offset < 0 ||
		!(size == 1 || size == 2 || size == 4 || size == 8))
		return false;
	declared = (struct bytes){line.at + 6, bytes_until(line, ';') - 6};
	for (name = declared; memchr(name.at, ' ', name.len);) {
		const char *blank = memchr(name.at, ' ', name.len);

		name.len -= (size_t)(blank + 1 - name.at);
		name.at = blank + 1;
	}
	type = bytes_trim((struct bytes){declared.at, declared.len - name.len});
	if (!type.len || memchr(type.at, '*', type.len) || memchr(name.at, '[', name.len) ||
		bytes_starts_with(type, BYTES("__data_loc")) ||
		bytes_starts_with(type, BYTES("__rel_loc")) ||
		bytes_starts_with(name, BYTES("common_")) || name.len >= sizeof(ret->name))
		return false;
	*ret = (struct trace_field){.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.is_signed = number_behind(line, "signed:") == 1};
	memcpy(ret->name, name.at, name.len);
	if (of_call && size == 8)
		narrow(ret, type);
	return true;
}

bool trace_field_find(struct bytes format, struct bytes group, struct bytes name,
	struct trace_field *ret_field, struct error *err)
{
	bool of_call = bytes_equal(group, BYTES("syscalls"));
	struct buffer others = {0};
	struct bytes rest = format, line;
	bool found = false;

	while (!found && bytes_line(&rest, &line)) {
		if (!field_read(line, of_call, ret_field))
			continue;
		found = bytes_equal(bytes_of(ret_field->name), name);
		buffer_printf(&others, "%s%s", others.len ? ", " : "", ret_field->name);
	}
	if (!found && others.len)
		error_set(err, ERR_USAGE, "no numeric field '%.*s'; expected one of: %s",
			(int)name.len, name.at, others.at);
	else if (!found)
		error_set(err, ERR_USAGE, "no field '%.*s': the tracepoint has no numeric field",
			(int)name.len, name.at);
	buffer_release(&others);
	return found;
}
