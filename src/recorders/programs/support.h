/* support.h: may programs be put into this kernel, and if not, why? */
#ifndef KILN_RECORDERS_PROGRAMS_SUPPORT_H
#define KILN_RECORDERS_PROGRAMS_SUPPORT_H

#include "base/buffer.h"
#include "base/error.h"

struct bpf_program;

/* Try what would be in the way: privileges, type information, sandboxes, what programs may call.
 * ERR_PERMISSION, ERR_UNSUPPORTED. libbpf prints nothing from then on: what it said first is for
 * bpf_error. */
bool bpf_support(struct error *err);

/* Why a step failed: what libbpf said last, and errno of `code` (negative). Returns false. */
bool bpf_error(struct error *err, int code, const char *doing);

struct bpf_object_skeleton;

/* Put an opened skeleton's maps and programs into the kernel. ERR_PERMISSION, ERR_IO. */
bool bpf_load(struct bpf_object_skeleton *programs, struct error *err);

/* Detach all programs of a skeleton. For each the kernel waits until nobody is in it any more, for
 * several at once as long as for one. */
void bpf_detach(struct bpf_object_skeleton *programs);

/* Run an iterator's program over all threads; what it writes is appended. ERR_IO. */
bool bpf_iterate(struct bpf_program *program, struct buffer *out, struct error *err);

/* All rows of a hash table in the kernel, into the place of what the buffers had. Returns how many
 * there are. */
size_t bpf_read_map(
	int fd, size_t key_size, size_t value_size, struct buffer *keys, struct buffer *values);

#endif
