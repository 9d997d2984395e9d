/* container_ids.c: what is the id of a container with this name, and the name of one with this id?
 */
#include "recorders/cgroups/container_ids.h"

#include "base/json.h"

#include <dirent.h>

#define DOCKER "/var/lib/docker/containers"
#define PODMAN "/var/lib/containers/storage/overlay-containers/containers.json"

/* docker: a folder for each, in which {"ID": "...", "Name": "/web", ...} */
static bool read_name(const char *file, struct buffer *ret_name)
{
	struct error ignored = {0};
	struct input in;
	struct json j;
	struct bytes key, value;

	ret_name->len = 0;
	if (!input_open(&in, file, &ignored))
		return false;
	json_open(&j, &in, &ignored);
	for (json_object(&j); json_key(&j, &key);) {
		if (!bytes_equal(key, BYTES("Name"))) {
			json_skip(&j);
			continue;
		}
		value = json_string_if(&j);
		if (bytes_starts_with(value, BYTES("/")))
			value = (struct bytes){value.at + 1, value.len - 1};
		buffer_set(ret_name, value);
	}
	json_release(&j);
	input_release(&in);
	return ret_name->len;
}

static bool dockers(struct bytes name, struct buffer *ret_id)
{
	DIR *dir = opendir(DOCKER);
	struct buffer file = {0}, called = {0};
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		file.len = 0;
		buffer_printf(&file, DOCKER "/%s/config.v2.json", entry->d_name);
		found = read_name(file.at, &called) && bytes_equal(buffer_bytes(&called), name);
		if (found)
			buffer_set(ret_id, bytes_of(entry->d_name));
	}
	if (dir)
		closedir(dir);
	buffer_release(&file);
	buffer_release(&called);
	return found;
}

/* An entry of podman's list: {"id": "...", "names": ["web"], ...}. *name: `text` if it is one of
 * the names, else the last one. */
static void read_podman(struct json *j, struct bytes text, struct buffer *id, struct buffer *name)
{
	struct bytes key, one;
	bool is_match = false;

	id->len = name->len = 0;
	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("id")))
			buffer_set(id, json_string_if(j));
		else if (bytes_equal(key, BYTES("names")) && json_array_if(j))
			while (json_item(j)) {
				one = json_string_if(j);
				if (!is_match)
					buffer_set(name, one);
				is_match |= bytes_equal(one, text);
			}
		else if (!bytes_equal(key, BYTES("names")))
			json_skip(j);
	}
}

/* The one with this name, or (`by_id`) this id. */
static bool podmans(struct bytes text, bool by_id, struct buffer *ret)
{
	struct buffer id = {0}, name = {0};
	struct error ignored = {0};
	struct input in;
	struct json j;
	bool found = false;

	if (!input_open(&in, PODMAN, &ignored))
		return false;
	json_open(&j, &in, &ignored);
	for (json_array(&j); json_item(&j);) {
		read_podman(&j, text, &id, &name);
		if (found || !id.len || !name.len ||
			!bytes_equal(buffer_bytes(by_id ? &id : &name), text))
			continue;
		buffer_set(ret, buffer_bytes(by_id ? &name : &id));
		found = true;
	}
	json_release(&j);
	input_release(&in);
	buffer_release(&id);
	buffer_release(&name);
	return found;
}

static bool docker_called(struct bytes id, struct buffer *ret_name)
{
	struct buffer file = {0};
	bool found;

	buffer_printf(&file, DOCKER "/%.*s/config.v2.json", (int)id.len, id.at);
	found = read_name(file.at, ret_name);
	buffer_release(&file);
	return found;
}

bool container_id(struct bytes name, struct buffer *ret_id)
{
	return dockers(name, ret_id) || podmans(name, false, ret_id);
}

bool container_called(struct bytes id, struct buffer *ret_name)
{
	return docker_called(id, ret_name) || podmans(id, true, ret_name);
}
