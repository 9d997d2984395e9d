/* search.c: finding the control groups that -G names. */
#include "recorders/cgroups/search.h"

#include "base/buffer.h"
#include "base/options.h"
#include "base/proc.h"
#include "bpf/shared/config.h"
#include "names/cgroup_names.h"
#include "recorders/cgroups/cgroup.h"
#include "recorders/cgroups/container_ids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS_LIMIT 65536u /* of a hierarchy that are listed */
#define NAMED_MAX    5u	    /* similar names, in messages */

bool cgroup_names_add(struct cgroup_names *names, enum cgroup_spelling spelling, const char *text,
	struct error *err)
{
	size_t before = names->list.len;

	do {
		struct cgroup_name name = {spelling, {text, strcspn(text, ",")}};

		if (name.text.len)
			vector_push(&names->list, name);
		text += name.text.len;
	} while (*text++);
	return names->list.len > before || error_set(err, ERR_USAGE, "expected a name");
}

/* ---- Names of the groups of containers ---- */

static struct bytes without_end(struct bytes text, struct bytes end)
{
	return bytes_ends_with(text, end) ? (struct bytes){text.at, text.len - end.len} : text;
}

/* Is it `name`, as systemd writes it in names of units? "a-b" is "a\x2db". */
static bool is_escaped(struct bytes text, struct bytes name)
{
	const struct bytes dash = BYTES("\\x2d");

	while (text.len && name.len) {
		bool escaped = bytes_starts_with(text, dash);

		if ((escaped ? '-' : *text.at) != *name.at)
			return false;
		text.at += escaped ? dash.len : 1;
		text.len -= escaped ? dash.len : 1;
		name.at++;
		name.len--;
	}
	return !text.len && !name.len;
}

bool cgroup_is_of_container(struct bytes group, struct bytes container, bool start)
{
	struct bytes id = cgroup_container_id(group);

	if (start)
		return bytes_starts_with(id, container);
	return bytes_equal(group, container) || bytes_equal(id, container) ||
	       (container.len && is_escaped(cgroup_container_name(group), container));
}

/* ---- The groups of a hierarchy ---- */

struct search {
	struct cgroup_mount mount;
	VECTOR(char *) groups; /* paths below the mount: outer ones first */
	VECTOR(const char *) found;
};

static void list_folder(struct search *s, const char *path)
{
	struct buffer at = {0};
	struct dirent *entry;
	DIR *dir;

	buffer_printf(&at, "%.*s%s", (int)s->mount.folder.len, s->mount.folder.at, path);
	dir = opendir(at.at);
	while (dir && s->groups.len < GROUPS_LIMIT && (entry = readdir(dir))) {
		struct buffer inner = {0};

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		buffer_printf(&inner, "%s/%s", path, entry->d_name);
		vector_push(&s->groups, inner.at);
	}
	if (dir)
		closedir(dir);
	buffer_release(&at);
}

static void search_begin(struct search *s, struct cgroup_mount mount)
{
	*s = (struct search){.mount = mount};
	vector_push(&s->groups, memory_copy_text("", 0));
	for (size_t i = 0; i < s->groups.len; i++)
		list_folder(s, s->groups.items[i]);
}

static void search_release(struct search *s)
{
	for (size_t i = 0; i < s->groups.len; i++)
		free(s->groups.items[i]);
	vector_release(&s->groups);
	vector_release(&s->found);
}

static bool is_inside(struct bytes path, struct bytes outer)
{
	return bytes_starts_with(path, outer) &&
	       (path.len == outer.len || path.at[outer.len] == '/');
}

/* ---- Matching a name ---- */

/* A path, as /proc/PID/cgroup or perf spell it, below the mount, or in the file system. */
static bool is_path(const struct search *s, struct bytes path, struct bytes given)
{
	while (given.len > 1 && bytes_ends_with(given, BYTES("/")))
		given.len--;
	if (bytes_starts_with(given, s->mount.folder) && is_inside(given, s->mount.folder))
		given = (struct bytes){
			given.at + s->mount.folder.len, given.len - s->mount.folder.len};
	if (bytes_starts_with(given, BYTES("/")))
		given = (struct bytes){given.at + 1, given.len - 1};
	if (bytes_starts_with(path, BYTES("/")))
		path = (struct bytes){path.at + 1, path.len - 1};
	return bytes_equal(path, given);
}

/* nginx is nginx.service, as for systemctl. */
static bool is_unit(struct bytes group, struct bytes unit)
{
	struct bytes service = without_end(group, BYTES(".service"));

	return bytes_find_last(unit, '.') ? bytes_equal(group, unit)
					  : service.len < group.len && bytes_equal(service, unit);
}

static bool matches(
	const struct search *s, struct bytes path, const struct cgroup_name *name, bool start)
{
	struct bytes group = bytes_base_name(path);

	if (name->spelling == CGROUP_OF_CONTAINER)
		return path.len && cgroup_is_of_container(group, name->text, start);
	return name->spelling == CGROUP_OF_UNIT ? is_unit(group, name->text)
						: is_path(s, path, name->text);
}

static void look(struct search *s, const struct cgroup_name *name, bool start)
{
	s->found.len = 0;
	for (size_t i = 0; i < s->groups.len; i++) {
		struct bytes path = bytes_of(s->groups.items[i]);
		bool inside = false;

		for (size_t j = 0; j < s->found.len; j++)
			inside |= is_inside(path, bytes_of(s->found.items[j]));
		if (!inside && matches(s, path, name, start))
			vector_push(&s->found, s->groups.items[i]);
	}
}

/* A unit may exist for the system and for users: a plain name is the system's. */
static void prefer_system(struct search *s)
{
	const char *only = NULL;
	size_t count = 0;

	for (size_t i = 0; i < s->found.len; i++)
		if (!bytes_starts_with(bytes_of(s->found.items[i]), BYTES("/user.slice/"))) {
			only = s->found.items[i];
			count++;
		}
	if (count == 1) {
		s->found.items[0] = only;
		s->found.len = 1;
	}
}

static void look_for(struct search *s, const struct cgroup_name *name)
{
	struct cgroup_name by_id = *name;
	struct buffer id = {0};

	look(s, name, false);
	if (name->spelling == CGROUP_OF_UNIT)
		prefer_system(s);
	if (name->spelling != CGROUP_OF_CONTAINER || s->found.len)
		return;
	if (container_id(name->text, &id)) {
		by_id.text = buffer_bytes(&id);
		look(s, &by_id, false);
	} else {
		look(s, name, true);
	}
	buffer_release(&id);
}

/* ---- Messages ---- */

static const char *what_it_is(const struct cgroup_name *name)
{
	static const char *const what[] = {
		"control group", "control group of container", "control group of unit"};

	return what[name->spelling];
}

static void add_listed(struct buffer *out, struct bytes text, size_t *count)
{
	if (*count < NAMED_MAX)
		buffer_printf(out, "%s%.*s", *count ? ", " : "", (int)text.len, text.at);
	else if (*count == NAMED_MAX)
		buffer_text(out, ", ...");
	++*count;
}

/* What to call a group that could have been meant; nothing for others. Containers: each that there
 * is; else those whose names have the name in them. */
static struct bytes nearby(struct bytes path, const struct cgroup_name *name)
{
	struct bytes group = bytes_base_name(path), given = bytes_base_name(name->text);

	if (name->spelling == CGROUP_OF_CONTAINER)
		return cgroup_container(group);
	if (name->spelling == CGROUP_OF_UNIT)
		given.len = bytes_until(given, '.');
	if (!given.len || !bytes_find(group, given))
		return (struct bytes){0};
	return name->spelling == CGROUP_OF_UNIT ? group : (struct bytes){path.at + 1, path.len - 1};
}

/* The one with the most similar name, or NULL. */
static const char *most_similar(const struct search *s, const struct cgroup_name *name)
{
	bool unit = name->spelling == CGROUP_OF_UNIT;
	VECTOR(const char *) names = {0};
	struct buffer given = {0};
	const char *nearest;

	buffer_printf(&given, "%.*s%s", (int)name->text.len, name->text.at,
		unit && !bytes_find_last(name->text, '.') ? ".service" : "");
	for (size_t i = 1; i < s->groups.len; i++)
		vector_push(&names, unit ? bytes_base_name(bytes_of(s->groups.items[i])).at
					 : s->groups.items[i] + 1);
	nearest = option_nearest(names.items, names.len, buffer_bytes(&given));
	vector_release(&names);
	buffer_release(&given);
	return nearest;
}

static void list_near(const struct search *s, const struct cgroup_name *name, struct buffer *out)
{
	const char *nearest = NULL;
	size_t count = 0;

	for (size_t i = 1; i < s->groups.len; i++) {
		struct bytes near = nearby(bytes_of(s->groups.items[i]), name);

		if (near.len)
			add_listed(out, near, &count);
	}
	if (!count && name->spelling != CGROUP_OF_CONTAINER)
		nearest = most_similar(s, name);
	if (nearest)
		buffer_text(out, nearest);
}

static bool not_found(const struct search *s, const struct cgroup_name *name, struct error *err)
{
	struct buffer near = {0};

	list_near(s, name, &near);
	error_set(err, ERR_USAGE, "no %s '%.*s' in %.*s%s%s", what_it_is(name), (int)name->text.len,
		name->text.at, (int)s->mount.folder.len, s->mount.folder.at,
		!near.len				? ""
		: name->spelling == CGROUP_OF_CONTAINER ? "; containers there: "
							: "; near: ",
		near.len ? near.at : "");
	buffer_release(&near);
	return false;
}

static bool several(const struct search *s, const struct cgroup_name *name, struct error *err)
{
	struct buffer all = {0};
	size_t count = 0;

	for (size_t i = 0; i < s->found.len; i++)
		add_listed(&all, bytes_of(s->found.items[i]), &count);
	error_set(err, ERR_USAGE, "%zu control groups are called '%.*s': name one with -G: %s",
		s->found.len, (int)name->text.len, name->text.at, all.at);
	buffer_release(&all);
	return false;
}

/* A group of another hierarchy of version 1: perf events cannot be bound to those. */
static bool found_elsewhere(struct bytes mounts, const struct search *s,
	const struct cgroup_name *name, struct error *err)
{
	struct cgroup_mount mount;
	bool found = false;

	while (!found && cgroup_next_mount(&mounts, &mount)) {
		struct search other;

		if (bytes_equal(mount.folder, s->mount.folder))
			continue;
		search_begin(&other, mount);
		look_for(&other, name);
		found = other.found.len > 0;
		if (found)
			error_set(err, ERR_UNSUPPORTED,
				"'%.*s' is not in the control group hierarchy of perf events, "
				"which is %.*s; to record its present processes and their "
				"children: -p \"$(cat %.*s%s/cgroup.procs)\"",
				(int)name->text.len, name->text.at, (int)s->mount.folder.len,
				s->mount.folder.at, (int)mount.folder.len, mount.folder.at,
				other.found.items[0]);
		search_release(&other);
	}
	return found;
}

/* ---- All names ---- */

static void release_group(struct found_group *group)
{
	if (group->fd >= 0)
		close(group->fd);
	free(group->folder);
}

/* Drop the groups that are inside of the last one. */
static void drop_inner(struct found_groups *groups)
{
	struct found_group last = groups->list.items[groups->list.len - 1];
	size_t kept = 0;

	for (size_t i = 0; i < groups->list.len; i++) {
		struct found_group *group = &groups->list.items[i];

		if (group->fd == last.fd ||
			!is_inside(bytes_of(group->folder), bytes_of(last.folder)))
			groups->list.items[kept++] = *group;
		else
			release_group(group);
	}
	groups->list.len = kept;
}

static bool add_group(struct found_groups *groups, const struct search *s, struct error *err)
{
	struct found_group group;
	struct buffer folder = {0};
	struct stat about;

	buffer_printf(
		&folder, "%.*s%s", (int)s->mount.folder.len, s->mount.folder.at, s->found.items[0]);
	for (size_t i = 0; i < groups->list.len; i++)
		if (is_inside(buffer_bytes(&folder), bytes_of(groups->list.items[i].folder))) {
			buffer_release(&folder);
			return true;
		}
	group = (struct found_group){
		.folder = folder.at, .fd = open(folder.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	vector_push(&groups->list, group);
	if (group.fd < 0 || fstat(group.fd, &about))
		return error_errno(err, "%s", group.folder);
	groups->list.items[groups->list.len - 1].id = about.st_ino;
	drop_inner(groups);
	return groups->list.len <= GROUPS_MAX ||
	       error_set(err, ERR_USAGE, "more than %d control groups", GROUPS_MAX);
}

static bool find_one(struct search *s, struct bytes mounts, const struct cgroup_name *name,
	struct found_groups *groups, struct error *err)
{
	look_for(s, name);
	if (!s->found.len)
		return !found_elsewhere(mounts, s, name, err) && not_found(s, name, err);
	return s->found.len == 1 ? add_group(groups, s, err) : several(s, name, err);
}

bool cgroups_find(const struct cgroup_names *names, struct found_groups *ret, struct error *err)
{
	struct buffer mounts = {0};
	struct cgroup_mount mount;
	struct search s = {0};
	bool ok;

	ok = proc_text(&mounts, "/proc/self/mountinfo") &&
	     cgroup_events_mount(buffer_bytes(&mounts), &mount);
	if (!ok)
		error_set(err, ERR_UNSUPPORTED,
			"no control group hierarchy for perf events is mounted here; record "
			"processes and their children with -p");
	else
		search_begin(&s, mount);
	for (size_t i = 0; ok && i < names->list.len; i++)
		ok = find_one(&s, buffer_bytes(&mounts), &names->list.items[i], ret, err);
	ret->legacy = ok && mount.legacy;
	search_release(&s);
	buffer_release(&mounts);
	return ok;
}

void cgroups_each(void (*each)(void *context, const char *folder), void *context)
{
	struct buffer mounts = {0}, folder = {0};
	struct cgroup_mount mount;
	struct search s = {0};

	if (proc_text(&mounts, "/proc/self/mountinfo") &&
		cgroup_events_mount(buffer_bytes(&mounts), &mount))
		search_begin(&s, mount);
	for (size_t i = 0; i < s.groups.len; i++) {
		folder.len = 0;
		buffer_printf(&folder, "%.*s%s", (int)mount.folder.len, mount.folder.at,
			s.groups.items[i]);
		each(context, folder.at);
	}
	search_release(&s);
	buffer_release(&folder);
	buffer_release(&mounts);
}

bool cgroups_list(void (*each)(void *context, uint64_t id, struct bytes path), void *context,
	bool *ret_legacy, struct error *err)
{
	struct buffer mounts = {0}, folder = {0};
	struct cgroup_mount mount;
	struct search s = {0};
	struct stat about;
	bool ok;

	ok = proc_text(&mounts, "/proc/self/mountinfo") &&
	     cgroup_events_mount(buffer_bytes(&mounts), &mount);
	if (!ok) {
		error_set(err, ERR_UNSUPPORTED, "no control groups are mounted here");
	} else {
		*ret_legacy = mount.legacy;
		search_begin(&s, mount);
	}
	for (size_t i = 0; i < s.groups.len; i++) {
		folder.len = 0;
		buffer_printf(&folder, "%.*s%s", (int)mount.folder.len, mount.folder.at,
			s.groups.items[i]);
		if (!stat(folder.at, &about))
			each(context, about.st_ino, bytes_of(s.groups.items[i]));
	}
	search_release(&s);
	buffer_release(&folder);
	buffer_release(&mounts);
	return ok;
}

bool cgroups_gone(const struct found_groups *groups)
{
	bool gone = groups->list.len > 0;

	for (size_t i = 0; i < groups->list.len; i++) {
		const struct found_group *group = &groups->list.items[i];
		struct stat about;

		gone &= stat(group->folder, &about) || about.st_ino != group->id;
	}
	return gone;
}

void cgroups_release(struct found_groups *groups)
{
	for (size_t i = 0; i < groups->list.len; i++)
		release_group(&groups->list.items[i]);
	vector_release(&groups->list);
}
