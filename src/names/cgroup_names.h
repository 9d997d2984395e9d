/* cgroup_names.h: how is a control group's path shown to a user?
 *
 * Understands the paths of docker, podman, containerd, CRI-O, LXC and systemd-nspawn. `group` is
 * the last part of a path. */
#ifndef KILN_NAMES_CGROUP_NAMES_H
#define KILN_NAMES_CGROUP_NAMES_H

#include "base/buffer.h"

/* Labels of samples: the path of the sample's control group, and the name of the container if it
 * is known. */
#define LABEL_CGROUP	"cgroup"
#define LABEL_CONTAINER "container"

/* cgroup_container_id: the container's id, 64 digits, or nothing. cgroup_container_name: a
 * container's name, or nothing. */
struct bytes cgroup_container_id(struct bytes group);
struct bytes cgroup_container_name(struct bytes group);
/* What to call the container of a group: the first 12 digits of its id, or its name; nothing if
 * it is not a container's. */
struct bytes cgroup_container(struct bytes group);

/* A short name for the group at `path`: the innermost container and what is below it; otherwise
 * the path without systemd's slices. `container`: the container's name, if it is known. */
void cgroup_short_name(struct bytes path, struct bytes container, struct buffer *ret_name);

#endif
