/* confine_calls.h: which system calls does a confined process not need? */
#ifndef KILN_BASE_CONFINE_CALLS_H
#define KILN_BASE_CONFINE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Rights that the whole process keeps; or'ed. */
enum confine_allow {
	CONFINE_ALLOW_NONE = 0,
	CONFINE_ALLOW_READ_ALL = 1, /* open any file for reading */
	CONFINE_ALLOW_NETWORK = 2,  /* sockets */
	CONFINE_ALLOW_EXECUTE = 4,  /* execute programs that confine_allow_run allows */
};

/* The operations that remain allowed. */
struct confine_allowed {
	unsigned flags;	      /* enum confine_allow */
	bool chown;	      /* fchown is allowed... */
	uint32_t user, group; /* ... to this user and group */
};

/* Refuse these calls from now on, to the calling thread and the threads that it starts. Needs
 * PR_SET_NO_NEW_PRIVS. False: not supported by this kernel or machine. */
bool confine_calls(const struct confine_allowed *allowed);

#endif
