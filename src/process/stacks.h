/* stacks.h: from a sample's addresses to a stack of the profile.
 *
 * Addresses become locations (binary and offset) at once, while the mappings of the process at
 * that time are known. Names are looked up later, once for each location. */
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

	uint64_t ends[UNWIND_ENDS]; /* number of user stacks, by how they ended */
	uint64_t foreign;	    /* stacks of 32-bit code, not walked */
	uint64_t guessed;	    /* of `ends`: passed code without tables by frame pointers */
	uint64_t unread;	    /* ... of files that could not be opened; the vdso is none */

	struct unwinder unwinder;
	struct place_cache *places;
	struct idle_cache *idle_places;
	location_id user_half, kernel_half, truncated[UNWIND_ENDS], truncated_foreign, switching;
	location_id guest, hypervisor;
	mapping_id kernel_mapping;
	struct recent_stack *recent; /* the last stack of each of the threads seen last */
	uint64_t *addresses;	     /* user addresses on their way into a stack... */
	struct place *lookups;	     /* ... and their locations */
};

void stacks_init(struct stacks *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, const struct arch *arch);
void stacks_release(struct stacks *s);

/* The wanted parts of a sample's stack. */
enum stack_parts { STACK_USER = 1, STACK_KERNEL = 2 };

struct stack_of_sample {
	stack_id stack;
	bool has_user;		  /* there was a user part... */
	bool walked;		  /* ... a stack copy, not what the kernel found... */
	enum unwind_end user_end; /* ... and how that ended */
};

/* The stack of a sample of `thread`. First the thread's name. Then user frames: from registers
 * and stack copy if the sample has them, else from branch records if they are a call stack, else
 * from the call chain. Then kernel frames from the call chain. Without any of these, the sampled
 * address. Guests and the hypervisor become one frame. An incomplete user stack starts with a
 * frame "[truncated:REASON]" behind the name. */
struct stack_of_sample stacks_add(
	struct stacks *s, const struct perf_record *record, thread_id thread, unsigned parts);

/* After the last sample: note in the profile how many user stacks contain code without unwind
 * tables, which was passed by frame pointers ("frame pointers" in its metadata); and how many of
 * these lack the files of binaries, if that is more than one in a hundred. */
void stacks_add_meta(const struct stacks *s);

/* A sample whose stack is added after it was taken, with the state at its time. */
struct deferred_sample {
	const struct perf_record *record;
	thread_id thread;
	process_id process;
	struct address_space *space;	/* or NULL */
	const struct user_frames *user; /* frames from its stack copy; NULL: none */
};
struct stack_of_sample stacks_add_deferred(
	struct stacks *s, const struct deferred_sample *moment, unsigned parts);

/* For stacks that are assembled elsewhere. stacks_root: the outermost frame of a thread, its name.
 * stacks_truncated, stacks_truncated_as: the frame that says how a user stack was truncated.
 * stacks_user_place, stacks_kernel_place: the location of an address in a process at a time (ns),
 * or in the kernel. */
stack_id stacks_root(struct stacks *s, thread_id thread);
location_id stacks_truncated(struct stacks *s, enum unwind_end end);
/* "[switching]" below a root: the kernel is switching between processes. */
stack_id stacks_switching(struct stacks *s, stack_id root);
location_id stacks_truncated_as(struct stacks *s, const char *reason);
location_id stacks_user_place(struct stacks *s, int32_t pid, uint64_t address, uint64_t time);
/* Walk the stack copy of a process at a time (ns). The frames' addresses are to be passed to
 * stacks_user_place. Valid until the next walk. */
void stacks_walk_copy(struct stacks *s, int32_t pid, uint64_t time,
	const struct unwinder_copy *copy, struct user_frames *ret_frames);
location_id stacks_kernel_place(struct stacks *s, uint64_t address);

/* Is this an idle CPU: the idle task without an interrupt? */
bool stacks_idle(struct stacks *s, const struct perf_record *record);
/* Is this kernel address the entry of an interrupt of an idle CPU (idle.h)? */
bool stacks_interrupts_idle(struct stacks *s, uint64_t address);

#endif
