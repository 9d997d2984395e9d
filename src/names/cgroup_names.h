/* cgroup_names.h: what does the path of a control group say to a person?
 *
 * Spelled as docker, podman, containerd, CRI-O, LXC and systemd-nspawn do. `group` is the last part
 * of a path. */
#ifndef KILN_NAMES_CGROUP_NAMES_H
#define KILN_NAMES_CGROUP_NAMES_H

#include "base/buffer.h"

/* Labels of samples in a profile: the path of the group they are in, and what the container is
 * called, where that is known. */
#define LABEL_CGROUP	"cgroup"
#define LABEL_CONTAINER "container"

/* The id of the container whose group that is, 64 digits, or nothing; and a container's name. */
struct bytes cgroup_container_id(struct bytes group);
struct bytes cgroup_container_name(struct bytes group);
/* What a container is called, if it is the group of one: the first 12 digits of its id, or a name.
 * Or nothing. */
struct bytes cgroup_container(struct bytes group);

/* A name for the group at `path`: the innermost container and what is inside of it; else the path
 * without slices of systemd around units. `container`: its name, if it is known. */
void cgroup_short_name(struct bytes path, struct bytes container, struct buffer *ret_name);

#endif
