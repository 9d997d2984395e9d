/* confine_calls.h: which system calls does a confined process need for nothing? */
#ifndef KILN_BASE_CONFINE_CALLS_H
#define KILN_BASE_CONFINE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* What stays allowed to all of the process; or'ed. */
enum confine_keep {
	CONFINE_NOTHING = 0,
	CONFINE_READ_ALL = 1, /* opening files for reading, wherever they are */
	CONFINE_NETWORK = 2,  /* sockets */
	CONFINE_EXECUTE = 4,  /* programs that confine_allow_run allows */
};

/* What is kept. */
struct confine_kept {
	unsigned keep;	      /* enum confine_keep */
	bool gives;	      /* fchown is allowed... */
	uint32_t user, group; /* ... to this user and group */
};

/* Refuse them from now on, to the calling thread and those that it starts.
 * False: this kernel, or this machine, cannot; needs PR_SET_NO_NEW_PRIVS. */
bool confine_calls(const struct confine_kept *kept);

#endif
