/* perf_kernel.h: is the running kernel the one that a perf.data file was recorded on?
 *
 * A finished file has the kernel's build id. One whose perf was killed, or whose header was lost in
 * a pipe, has only the address ranges of the kernel and its modules. */
#ifndef KILN_READERS_PERF_PERF_KERNEL_H
#define KILN_READERS_PERF_PERF_KERNEL_H

#include "images/kernel.h"
#include "model/profile.h"
#include "process/address_space.h"

/* Has the running kernel the recorded build id? *ret_base: the recorded address of _text. */
bool perf_kernel_is_running(const struct profile *p, uint64_t *ret_base);

/* Assume that it is `running`, and give the profile its build id, if the recorded ranges fit: the
 * same first and last byte of the kernel's code, and modules of the same names where `space`, the
 * kernel's mappings, has them. */
bool perf_kernel_assume(
	struct profile *p, struct address_space *space, const struct kernel *running);

#endif
