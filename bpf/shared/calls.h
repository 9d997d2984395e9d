/* calls.h: which system calls do programs look at? */
#ifndef KILN_BPF_SHARED_CALLS_H
#define KILN_BPF_SHARED_CALLS_H

#define CALL_NUMBERS 512 /* the kernel's calls with numbers below this can be looked at */

/* Where a thread waits that is asleep: */
#define WAIT_IN_FAULT 1	     /* in a page fault or another exception; 0: unknown */
#define WAIT_IN_CALL  2	     /* in a system call: this and its number */
#define WAIT_PLACES   1024   /* a power of two */
#define WAIT_IN_IO    0x8000 /* ... for what the kernel counts as input and output (iowait) */

#endif
