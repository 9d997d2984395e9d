/* cgroup_names.c: how is a control group's path shown to a user? */
#include "names/cgroup_names.h"

#include <string.h>

#define ID_DIGITS 64u
#define ID_SHOWN  12u

static bool is_id(struct bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_hex_digit(text.at[i]))
			return false;
	return text.len == ID_DIGITS;
}

static struct bytes without_end(struct bytes text, struct bytes end)
{
	return bytes_ends_with(text, end) ? (struct bytes){text.at, text.len - end.len} : text;
}

/* "docker-ID.scope", "libpod-ID", "cri-containerd:ID", "ID": the id, or nothing. Monitor
 * processes of a container also have its id in their group's name. */
struct bytes cgroup_container_id(struct bytes group)
{
	struct bytes name = without_end(group, BYTES(".scope"));
	struct bytes id = {name.at + name.len - ID_DIGITS, ID_DIGITS};

	if (name.len < ID_DIGITS || !is_id(id) || bytes_find(name, BYTES("conmon")) ||
		(name.len > ID_DIGITS && !strchr("-:_", id.at[-1])))
		return (struct bytes){0};
	return id;
}

/* "lxc.payload.NAME", "machine-NAME.scope", "systemd-nspawn@NAME.service": the name, or nothing. */
struct bytes cgroup_container_name(struct bytes group)
{
	static const struct {
		struct bytes start, end;
	} spellings[] = {{{"lxc.payload.", 12}, {"", 0}}, {{"machine-", 8}, {".scope", 6}},
		{{"systemd-nspawn@", 15}, {".service", 8}}};

	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (bytes_starts_with(group, spellings[i].start) &&
			bytes_ends_with(group, spellings[i].end)) {
			group = without_end(group, spellings[i].end);
			return (struct bytes){group.at + spellings[i].start.len,
				group.len - spellings[i].start.len};
		}
	return (struct bytes){0};
}

struct bytes cgroup_container(struct bytes group)
{
	struct bytes id = cgroup_container_id(group);

	return id.len ? (struct bytes){id.at, ID_SHOWN} : cgroup_container_name(group);
}

/* ---- For pictures ---- */

static bool next_part(struct bytes *path, struct bytes *ret_part)
{
	while (bytes_starts_with(*path, BYTES("/")))
		*path = (struct bytes){path->at + 1, path->len - 1};
	if (!path->len)
		return false;
	if (!bytes_cut(path, '/', ret_part)) {
		*ret_part = *path;
		path->len = 0;
	}
	return true;
}

/* A slice only groups units; a unit's own name is unique. */
static bool is_grouping_slice(struct bytes part, struct bytes rest)
{
	return rest.len && bytes_ends_with(part, BYTES(".slice"));
}

void cgroup_short_name(struct bytes path, struct bytes container, struct buffer *ret)
{
	struct bytes part;

	ret->len = 0;
	while (next_part(&path, &part)) {
		struct bytes called = cgroup_container(part);

		if (called.len) {
			buffer_set(ret, container.len ? container : called);
		} else if (!is_grouping_slice(part, path)) {
			if (ret->len)
				buffer_char(ret, '/');
			buffer_add(ret, part.at, part.len);
		}
	}
	if (!ret->len && container.len)
		buffer_set(ret, container);
	if (!ret->len)
		buffer_char(ret, '/');
}
