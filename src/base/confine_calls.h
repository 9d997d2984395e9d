/* confine_calls.h: which system calls does a confined process need for nothing? */
#ifndef KILN_BASE_CONFINE_CALLS_H
#define KILN_BASE_CONFINE_CALLS_H

#include "base/confine.h"

/* Refuse them from now on, to the calling thread and those that it starts.
 * False: this kernel, or this machine, cannot; needs PR_SET_NO_NEW_PRIVS. */
bool confine_calls(const struct confine_kept *kept);

#endif
