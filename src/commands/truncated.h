/* truncated.h: what if a file that is mapped into memory becomes shorter? */
#ifndef KILN_COMMANDS_TRUNCATED_H
#define KILN_COMMANDS_TRUNCATED_H

#include <stdbool.h>

/* From now on, reading what is gone from a mapped file (SIGBUS) is no crash: either the process
 * says which file it was and ends with exit code 2, leaving no half-written output behind, or
 * (`go_on`) zeroes are read instead, which at worst leaves functions of that binary without names.
 */
void truncated_catch(bool go_on);

#endif
