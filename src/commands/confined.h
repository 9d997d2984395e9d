/* confined.h: what does a command give up that reads what others have written, and writes one
 * output?
 *
 * Said first is what it will write and read; then, before the first byte is read, it gives up the
 * rest: programs, other processes, sockets, and writing anywhere else (confine.h). Reading is not
 * restricted: binaries that name addresses lie anywhere. */
#ifndef KILN_COMMANDS_CONFINED_H
#define KILN_COMMANDS_CONFINED_H

#include "loading/loading.h"

/* `path` will be written, and nothing outside its folder; "-" and NULL: standard output, which
 * takes no right. */
void confined_output(const char *path);

/* `path` ("-": standard input) will be read: where that takes a spool (spool.h), it is made now. */
void confined_input(const char *path);

/* Confine for good. What loading takes (NULL: no names are looked up) stays possible: where
 * debuginfod's servers may be asked, sockets are made, and files written in its client's cache. */
void confined_start(const struct loading *loading);

#endif
