/* stacks.h: from a sample's addresses to a stack of the profile.
 *
 * Addresses become locations (binary and offset) at once, while the process that they belong to is
 * known; names come later. */
#ifndef KILN_PROCESS_STACKS_H
#define KILN_PROCESS_STACKS_H

#include "images/kernel.h"
#include "process/processes.h"
#include "process/unwinder.h"

struct stacks {
	struct profile *profile;
	struct processes *processes;
	const struct kernel *kernel; /* NULL: its symbols are hidden; addresses stay */
	const struct arch *arch;     /* of the samples; NULL: user stacks only from call chains */

	uint64_t ends[UNWIND_ENDS]; /* user stacks, by how they ended */
	uint64_t foreign;	    /* stacks of 32-bit code, not walked */
	uint64_t guessed;	    /* of `ends`: frame pointers led through code without tables */

	struct unwinder unwinder;
	struct place_cache *places;
	struct idle_cache *idle_places;
	location_id user_half, kernel_half, truncated[UNWIND_ENDS], truncated_foreign, switching;
	location_id guest, hypervisor;
	mapping_id kernel_mapping;
	struct recent_stack *recent; /* the last one of each of the threads seen last */
	uint64_t *addresses;	     /* of user frames on their way into a stack... */
	struct place *wanted;	     /* ... and their places */
};

void stacks_init(struct stacks *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, const struct arch *arch);
void stacks_release(struct stacks *s);

/* What is wanted of a sample's stack. */
enum stack_parts { STACK_USER = 1, STACK_KERNEL = 2 };

struct stack_of_sample {
	stack_id stack;
	bool has_user;		  /* there was a user half to walk... */
	enum unwind_end user_end; /* ... and this is how it ended (tables only) */
};

/* The stack of a sample of `thread`: the thread's name; user frames from its registers and stack
 * copy when it has them, else from its branch records when those are a call stack, else from its
 * call chain; kernel frames from its call chain; without any of them, the address that was sampled.
 * What a guest or the hypervisor did is one frame that says so. Broken user stacks start with a
 * frame "[truncated:REASON]" after the name. */
struct stack_of_sample stacks_add(
	struct stacks *s, const struct perf_record *record, thread_id thread, unsigned parts);

/* No more samples will come: say in the profile how many stacks nothing vouches for ("frame
 * pointers" in its meta rows). */
void stacks_tell(const struct stacks *s);

/* A sample whose stack is made later than it was taken: what was known then. */
struct stack_moment {
	const struct perf_record *record;
	thread_id thread;
	process_id process;
	struct address_space *space;	/* or NULL */
	const struct user_frames *user; /* of its stack copy; NULL: it has none */
};
struct stack_of_sample stacks_add_later(
	struct stacks *s, const struct stack_moment *moment, unsigned parts);

/* For stacks that are put together elsewhere. The frame under all others of a thread: its name; the
 * one that says how a user stack broke off; and the place of an address that names a frame, in a
 * process at a time (ns) or in the kernel. */
stack_id stacks_root(struct stacks *s, thread_id thread);
location_id stacks_truncated(struct stacks *s, enum unwind_end end);
/* "[switching]" below a root: the kernel is on its way from or to another process. */
stack_id stacks_switching(struct stacks *s, stack_id root);
location_id stacks_truncated_as(struct stacks *s, const char *reason);
location_id stacks_user_place(struct stacks *s, int32_t pid, uint64_t address, uint64_t time);
/* The user half of a stack that was copied in a process at a time, to be looked up as above. Valid
 * until the next walk. */
void stacks_walk_copy(struct stacks *s, int32_t pid, uint64_t time,
	const struct unwinder_copy *copy, struct user_frames *ret_frames);
location_id stacks_kernel_place(struct stacks *s, uint64_t address);

/* Is this what an idle CPU does: the idle task, and no interrupt that it serves? */
bool stacks_idle(struct stacks *s, const struct perf_record *record);
/* Does a frame at this address of the kernel break an idle CPU's waiting? */
bool stacks_breaks_idle(struct stacks *s, uint64_t address);

#endif
