/* recorded_kernel.h: what are the functions of a profile's kernel called?
 *
 * Sources: symbols or a file that the user names, and then no other. Otherwise, in this order: the
 * running kernel; copies of /proc/kallsyms that perf keeps by build id; vmlinux files where
 * distributions put them; servers. Except for the user's own, a source is used only if it has the
 * recorded build id.
 *
 * The kernel is loaded at another address at every boot (KASLR), so symbols are shifted by the
 * distance between the recorded address of _text and their own. Modules move independently:
 * those of another boot are not named. */
#ifndef KILN_PROCESS_RECORDED_KERNEL_H
#define KILN_PROCESS_RECORDED_KERNEL_H

#include "images/binary_locations.h"
#include "images/kernel.h"
#include "model/profile.h"

struct recorded_kernel {
	const struct kernel *kernel; /* NULL: none that fits; recorded_kernel_release releases it */
	uint64_t shift;		     /* to add to symbol addresses to get recorded ones */
	struct error hidden; /* the running kernel is the recorded one, but hides its addresses */
	struct error failed; /* what the user named cannot be used */
	bool no_base;	     /* there are symbols, but the recorded load address is unknown */
};

/* `binary_locations` may be NULL. Cannot fail: *ret says what is missing. */
void recorded_kernel_open(const struct profile *p, const struct binary_locations *binary_locations,
	struct recorded_kernel *ret);
void recorded_kernel_release(struct recorded_kernel *k);

/* The function at a recorded address; `module` as in the profile: "[kernel]", "[ext4]". */
bool recorded_kernel_find(const struct recorded_kernel *k, uint64_t address, struct bytes module,
	struct kernel_symbol *ret_symbol);

#endif
