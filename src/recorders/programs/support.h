/* support.h: can this kernel load our programs, and if not, why? Loading, attaching and iterating.
 */
#ifndef KILN_RECORDERS_PROGRAMS_SUPPORT_H
#define KILN_RECORDERS_PROGRAMS_SUPPORT_H

#include "base/buffer.h"
#include "recorders/obstacle.h"

struct bpf_program;

/* Check what programs need: privileges, type information (BTF), no sandbox, the helpers that they
 * call. ERR_PERMISSION, ERR_UNSUPPORTED. libbpf prints nothing from then on: its first message
 * about a failure is kept for bpf_error. */
bool bpf_support(struct error *err);
/* The same; false: *ret is what is in the way. */
bool bpf_check(struct obstacle *ret);

/* Has the kernel the function that defers events to a thread's way back to user space, where it can
 * wait for pages? */
#define TASK_WORK_FUNCTION "bpf_task_work_schedule_resume_impl"
bool bpf_has_task_work(void);

/* Set why a step failed: the message of libbpf, and the errno -`code`. Returns false. */
bool bpf_error(struct error *err, int code, const char *doing);

struct bpf_object_skeleton;

/* Load the maps and programs of an opened skeleton into the kernel. ERR_PERMISSION, ERR_IO. */
bool bpf_load(struct bpf_object_skeleton *programs, struct error *err);

/* Detach all programs of a skeleton, at the same time: for each, the kernel waits until it runs on
 * no CPU any more. */
void bpf_detach(struct bpf_object_skeleton *programs);

/* Run an iterator over all threads; what it writes is appended. ERR_IO. */
bool bpf_iterate(struct bpf_program *program, struct buffer *out, struct error *err);

/* Read all rows of a hash table in the kernel; the buffers are overwritten. Returns the number of
 * rows. */
size_t bpf_read_map(
	int fd, size_t key_size, size_t value_size, struct buffer *keys, struct buffer *values);

#endif
