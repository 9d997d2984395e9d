/* valgrind_frame.h: how do Valgrind's tools, and others in their place, spell a frame? */
#ifndef KILN_READERS_PROFILERS_VALGRIND_FRAME_H
#define KILN_READERS_PROFILERS_VALGRIND_FRAME_H

#include "readers/lines/text_stacks.h"

/* "0x109151: keep (ms.c:4)", "0x48417B4: malloc (in /usr/lib/libc.so.6)", "0x1: ??? (in /bin/a)" or
 * "0x401000: main::run (src/main.rs:3:5)". */
location_id valgrind_frame(struct text_stacks *t, struct bytes text);

#endif
