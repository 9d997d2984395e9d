/* wakers.h: stacks of waits with the stack of the waker appended. */
#ifndef KILN_RECORDERS_MODES_WAKERS_H
#define KILN_RECORDERS_MODES_WAKERS_H

#include "images/kernel.h"
#include "model/profile.h"

struct wakers {
	struct profile *profile;
	const struct kernel *kernel; /* its symbols, or NULL */
	bool user_only;		     /* kernel frames are left out */
	location_id separator, interrupt;
	VECTOR(uint8_t) entries; /* by location: does an interrupt enter the kernel there? */
	VECTOR(struct joined_stack) joined;
	struct id_map by_stacks; /* to its row */
};

void wakers_init(
	struct wakers *w, struct profile *profile, const struct kernel *kernel, bool user_only);
void wakers_release(struct wakers *w);

/* `stack`, then a frame "--", then the waker's stack, innermost first, as offwaketime of
 * libbpf-tools shows it. If an interrupt woke the thread, the frames that it interrupted are left
 * out. */
stack_id wakers_join(struct wakers *w, stack_id stack, stack_id waker);

#endif
