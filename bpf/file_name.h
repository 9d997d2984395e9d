/* file_name.h: the path of a file.
 *
 * A file is identified by its inode, its own name and its directory: after it was renamed, or by
 * another link, it is emitted again. Renamed directories further out are not noticed. */
#ifndef KILN_BPF_FILE_NAME_H
#define KILN_BPF_FILE_NAME_H

#include "bpf/core.h"
#include "bpf/ring.h"
#include "bpf/shared/io.h"

#define NAME_BYTES 256 /* with its 0 */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct file_key);
	__type(value, __u32);
} files SEC(".maps");

/* A walk from the file outwards. */
struct file_walk {
	struct dentry *at;
	struct mount *mount;
	__u32 len;
	struct event_file event;
	char beyond[NAME_BYTES]; /* the last name may end here; it is not emitted then */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct file_walk);
} file_walks SEC(".maps");

__u32 last_file; /* id given so far */

/* One step: a name, or out of a mount. 1: that was the last one. */
static long walk_name(__u32 i, void *context)
{
	struct file_walk *walk = *(struct file_walk **)context;
	struct dentry *at = walk->at, *parent = BPF_CORE_READ(at, d_parent);
	struct mount *mount = walk->mount, *outer;
	long got;

	if (at == BPF_CORE_READ(mount, mnt.mnt_root)) {
		outer = BPF_CORE_READ(mount, mnt_parent);
		walk->event.complete = outer == mount;
		walk->at = BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mount = outer;
		return outer == mount;
	}
	got = bpf_probe_read_kernel_str(walk->event.names + (walk->len & (FILE_BYTES - 1)),
		NAME_BYTES, BPF_CORE_READ(at, d_name.name));
	if (got <= 0 || walk->len + got >= FILE_BYTES)
		return 1;
	walk->len += (__u32)got;
	walk->at = parent;
	walk->event.complete = at == parent; /* one without a place: memfd_create(2) */
	return at == parent;
}

/* Emit a file: its id; 0: the ring is full. */
static __always_inline __u32 emit_file(struct file *file, const struct file_key *key)
{
	__u32 first = 0, id = __sync_fetch_and_add(&last_file, 1) + 1, len;
	struct file_walk *walk = bpf_map_lookup_elem(&file_walks, &first);
	struct vfsmount *mount = BPF_CORE_READ(file, f_path.mnt);

	if (!walk)
		return 0;
	walk->at = BPF_CORE_READ(file, f_path.dentry);
	walk->mount = (void *)mount - bpf_core_field_offset(struct mount, mnt);
	walk->len = 0;
	walk->event.type = EVENT_FILE;
	walk->event.complete = 0;
	walk->event.id = id;
	walk->event.time = bpf_ktime_get_ns();
	bpf_loop(FILE_DEPTH, walk_name, &walk, 0);
	len = walk->len & (FILE_BYTES - 1);
	walk->event.len = (__u16)len;
	if (!ring_emit(&walk->event, offsetof(struct event_file, names) + len))
		return 0;
	bpf_map_update_elem(&files, key, &id, BPF_ANY);
	return id;
}

/* The id of a file, which is emitted if it is new; 0: the ring is full. */
static __always_inline __u32 file_id(struct file *file, struct inode *inode)
{
	struct dentry *at = BPF_CORE_READ(file, f_path.dentry);
	struct file_key key = {.inode = BPF_CORE_READ(inode, i_ino),
		.directory = BPF_CORE_READ(at, d_parent, d_inode, i_ino),
		.name = BPF_CORE_READ(at, d_name.hash_len),
		.device = BPF_CORE_READ(inode, i_sb, s_dev)};
	__u32 *known = bpf_map_lookup_elem(&files, &key);

	return known ? *known : emit_file(file, &key);
}

#endif
