/* labels.c: the labels of samples that say in which control group they are (--by-cgroup). */
#include "recorders/cgroups/labels.h"

#include "base/clock.h"
#include "names/cgroup_names.h"
#include "recorders/cgroups/cgroup.h"
#include "recorders/cgroups/container_ids.h"
#include "recorders/cgroups/search.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LIST_INTERVAL ((uint64_t)100000000) /* ns: between listings because of unknown groups */

struct cgroup_label {
	uint64_t id;
	label_set_id labels;
};

struct cgroup_thread {
	int32_t tid;
	uint64_t id;
};

static void add_group(void *context, uint64_t id, struct bytes path)
{
	processes_add_cgroup(context, id, path.len ? path : BYTES("/"));
}

bool cgroup_labels_open(
	struct cgroup_labels *labels, struct processes *processes, struct error *err)
{
	*labels = (struct cgroup_labels){.processes = processes};
	return cgroups_list(add_group, processes, &labels->legacy, err);
}

void cgroup_labels_release(struct cgroup_labels *labels)
{
	vector_release(&labels->groups);
	vector_release(&labels->threads);
	id_map_release(&labels->by_id);
	id_map_release(&labels->by_tid);
}

/* Records announce new groups only if events are opened on CPUs; else groups are listed again, and
 * one that was removed before has no path. */
static string_id path_of(struct cgroup_labels *labels, uint64_t id)
{
	string_id path = processes_cgroup(labels->processes, id);
	struct error ignored = {0};
	uint64_t now;

	if (path)
		return path;
	now = monotonic_ns();
	if (now - labels->listed < LIST_INTERVAL)
		return 0;
	labels->listed = now;
	cgroups_list(add_group, labels->processes, &labels->legacy, &ignored);
	return processes_cgroup(labels->processes, id);
}

/* The name of the innermost container that a group is in; nothing if it is not known. */
static void find_container(struct bytes path, struct buffer *ret_name)
{
	struct bytes id = {0};

	for (struct bytes part; path.len && !id.len;) {
		part = bytes_base_name(path);
		id = cgroup_container_id(part);
		path.len -= part.len + (part.len < path.len);
	}
	if (id.len && !container_called(id, ret_name))
		ret_name->len = 0;
}

static label_set_id add_label(
	struct profile *p, label_set_id set, struct bytes key, struct bytes value)
{
	return profile_label(p, set, profile_string(p, key), profile_string(p, value));
}

static label_set_id make_labels(struct cgroup_labels *labels, uint64_t id)
{
	struct profile *p = labels->processes->profile;
	struct buffer path = {0}, container = {0};
	string_id known = path_of(labels, id);
	label_set_id set;

	if (known)
		cgroup_outside_of_own(profile_text(p, known), &path);
	else
		buffer_printf(&path, "[control group %llu]", (unsigned long long)id);
	set = add_label(p, 0, BYTES(LABEL_CGROUP), buffer_bytes(&path));
	find_container(buffer_bytes(&path), &container);
	if (container.len)
		set = add_label(p, set, BYTES(LABEL_CONTAINER), buffer_bytes(&container));
	buffer_release(&path);
	buffer_release(&container);
	return set;
}

static label_set_id labels_of(struct cgroup_labels *labels, uint64_t id)
{
	uint64_t hash = hash_pair(id, 0);
	size_t at = id_map_first(&labels->by_id, hash);
	label_set_id made;

	for (uint32_t row; (row = id_map_candidate(&labels->by_id, hash, &at));)
		if (labels->groups.items[row - 1].id == id)
			return labels->groups.items[row - 1].labels;
	made = make_labels(labels, id);
	/* Without a path it may have one the next time. */
	if (!processes_cgroup(labels->processes, id))
		return made;
	vector_push(&labels->groups, ((struct cgroup_label){id, made}));
	id_map_insert_at(&labels->by_id, hash, at, (uint32_t)labels->groups.len);
	return made;
}

static struct cgroup_thread *thread_row(struct cgroup_labels *labels, int32_t tid)
{
	uint64_t hash = hash_pair((uint32_t)tid, 0);
	size_t at = id_map_first(&labels->by_tid, hash);

	for (uint32_t row; (row = id_map_candidate(&labels->by_tid, hash, &at));)
		if (labels->threads.items[row - 1].tid == tid)
			return &labels->threads.items[row - 1];
	vector_push(&labels->threads, ((struct cgroup_thread){.tid = tid}));
	id_map_insert_at(&labels->by_tid, hash, at, (uint32_t)labels->threads.len);
	return &labels->threads.items[labels->threads.len - 1];
}

void cgroup_labels_set_thread(struct cgroup_labels *labels, int32_t tid, uint64_t id)
{
	thread_row(labels, tid)->id = id;
}

label_set_id cgroup_labels_thread(struct cgroup_labels *labels, int32_t tid)
{
	const struct cgroup_thread *thread = thread_row(labels, tid);

	return thread->id ? labels_of(labels, thread->id) : 0;
}

/* The number of the group that a process is in now; 0: nobody knows. */
static uint64_t group_now(int32_t pid)
{
	char *folder = cgroup_of(pid);
	struct stat st = {0};

	if (folder && stat(folder, &st))
		st.st_ino = 0;
	free(folder);
	return st.st_ino;
}

label_set_id cgroup_labels_sample(struct cgroup_labels *labels, int32_t pid, uint64_t id)
{
	struct cgroup_thread *process = thread_row(labels, pid);

	if (!id)
		id = process->id ? process->id : group_now(pid);
	process->id = id;
	return id ? labels_of(labels, id) : 0;
}
