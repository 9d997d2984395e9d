/* container_ids.h: what is the id of a container with this name, and the name of one with this id?
 */
#ifndef KILN_RECORDERS_CGROUPS_CONTAINER_IDS_H
#define KILN_RECORDERS_CGROUPS_CONTAINER_IDS_H

#include "base/buffer.h"

/* As docker and podman have written down, for who may read it. False: none is called that. */
bool container_id(struct bytes name, struct buffer *ret_id);
/* What is the container with this id (all 64 digits) called? */
bool container_called(struct bytes id, struct buffer *ret_name);

#endif
