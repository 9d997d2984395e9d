/* recorded_kernel.h: what are the functions of the kernel called that a profile was recorded on?
 *
 * Asked are, in this order: the symbols or the file that the user names; the running kernel; copies
 * of /proc/kallsyms that perf keeps by build id; the kernel's file (vmlinux) where distributions
 * put it; servers. But for the user's own, only what has the recorded build id is believed.
 *
 * A kernel is loaded at another address at every start (KASLR). Symbols are shifted by the distance
 * between the recorded address of _text and their own. Modules do not move with it: those of
 * another start are not named. */
#ifndef KILN_PROCESS_RECORDED_KERNEL_H
#define KILN_PROCESS_RECORDED_KERNEL_H

#include "images/kernel.h"
#include "images/places.h"
#include "model/profile.h"

struct recorded_kernel {
	const struct kernel *kernel; /* NULL: none that fits; released, unless somebody lent it */
	uint64_t shift;		     /* of recorded addresses from those of the symbols */
	struct error hidden; /* the running kernel is the recorded one, but hides its addresses */
	struct error failed; /* what the user named cannot be used */
	bool no_base;	     /* there are symbols, but not where the kernel was loaded */
};

/* `places` may be NULL. Cannot fail: what is in the way is in *ret. */
void recorded_kernel_open(
	const struct profile *p, const struct places *places, struct recorded_kernel *ret);
void recorded_kernel_release(struct recorded_kernel *k);

/* The function at a recorded address; `module` as in the profile: "[kernel]", "[ext4]". */
bool recorded_kernel_find(const struct recorded_kernel *k, uint64_t address, struct bytes module,
	struct kernel_symbol *ret_symbol);

#endif
