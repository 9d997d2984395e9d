/* record.h: recording on behalf of another command. */
#ifndef KILN_COMMANDS_RECORD_H
#define KILN_COMMANDS_RECORD_H

#include <stdbool.h>

/* Do what `kiln record ARGUMENTS` does; argv as command_run takes it. What to type next is not
 * said, because the caller does it. *ret_written: the profile is complete. Returns the exit code.
 */
int record_run(char **argv, bool *ret_written);

#endif
