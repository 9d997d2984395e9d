/* interrupted.h: what if a signal ends the process while it writes a file? */
#ifndef KILN_COMMANDS_INTERRUPTED_H
#define KILN_COMMANDS_INTERRUPTED_H

/* From now on, signals that end the process, and were not ignored by its caller, end it without
 * half-written files. What `ulimit -f` forbids is a failure to write, and no signal. */
void interrupted_catch(void);

#endif
