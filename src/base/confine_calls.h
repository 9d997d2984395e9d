/* confine_calls.h: which system calls does a confined process need for nothing? */
#ifndef KILN_BASE_CONFINE_CALLS_H
#define KILN_BASE_CONFINE_CALLS_H

#include <stdbool.h>

/* Refuse them from now on, to the calling thread and those that it starts. keep: enum confine_keep.
 * False: this kernel, or this machine, cannot; needs PR_SET_NO_NEW_PRIVS. */
bool confine_calls(unsigned keep);

#endif
