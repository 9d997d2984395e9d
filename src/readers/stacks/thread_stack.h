/* thread_stack.h: which frames is every stack of a thread above? */
#ifndef KILN_READERS_STACKS_THREAD_STACK_H
#define KILN_READERS_STACKS_THREAD_STACK_H

#include "model/profile.h"

/* The stack of a thread's root frames: "NAME-PID" and "NAME-TID". */
stack_id thread_stack(struct profile *p, thread_id thread);

#endif
