/* container_ids.c: what is the id of a container with this name? */
#include "recorders/container_ids.h"

#include <dirent.h>

#include "base/json.h"

#define DOCKER "/var/lib/docker/containers"
#define PODMAN "/var/lib/containers/storage/overlay-containers/containers.json"

/* docker: a folder for each, in which {"ID": "...", "Name": "/web", ...} */
static bool is_called(const char *file, struct bytes name)
{
	struct error ignored = {0};
	struct input in;
	struct json j;
	struct bytes key, value;
	bool same = false;

	if (!input_open(&in, file, &ignored))
		return false;
	json_open(&j, &in, &ignored);
	for (json_object(&j); json_key(&j, &key);) {
		if (!bytes_equal(key, BYTES("Name"))) {
			json_skip(&j);
			continue;
		}
		value = json_string_if(&j);
		if (bytes_start(value, BYTES("/")))
			value = (struct bytes){value.at + 1, value.len - 1};
		same = bytes_equal(value, name);
	}
	json_release(&j);
	input_release(&in);
	return same;
}

static bool dockers(struct bytes name, struct buffer *ret_id)
{
	DIR *dir = opendir(DOCKER);
	struct buffer file = {0};
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		file.len = 0;
		buffer_printf(&file, DOCKER "/%s/config.v2.json", entry->d_name);
		found = is_called(file.at, name);
		if (found)
			buffer_set(ret_id, bytes_of(entry->d_name));
	}
	if (dir)
		closedir(dir);
	buffer_release(&file);
	return found;
}

/* One of podman's: {"id": "...", "names": ["web"], ...} */
static bool has_name(struct json *j, struct bytes name, struct buffer *id)
{
	struct bytes key;
	bool same = false;

	id->len = 0;
	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("id")))
			buffer_set(id, json_string_if(j));
		else if (bytes_equal(key, BYTES("names")) && json_array_if(j))
			while (json_item(j))
				same |= bytes_equal(json_string_if(j), name);
		else if (!bytes_equal(key, BYTES("names")))
			json_skip(j);
	}
	return same && id->len;
}

static bool podmans(struct bytes name, struct buffer *ret_id)
{
	struct error ignored = {0};
	struct buffer id = {0};
	struct input in;
	struct json j;
	bool found = false;

	if (!input_open(&in, PODMAN, &ignored))
		return false;
	json_open(&j, &in, &ignored);
	for (json_array(&j); json_item(&j);) {
		if (!has_name(&j, name, &id) || found)
			continue;
		buffer_set(ret_id, buffer_bytes(&id));
		found = true;
	}
	json_release(&j);
	input_release(&in);
	buffer_release(&id);
	return found;
}

bool container_id(struct bytes name, struct buffer *ret_id)
{
	return dockers(name, ret_id) || podmans(name, ret_id);
}
