/* numbered_frames.h: frame lines that start with '#' and a number, as debuggers print them. */
#ifndef KILN_READERS_DEBUGGERS_NUMBERED_FRAMES_H
#define KILN_READERS_DEBUGGERS_NUMBERED_FRAMES_H

#include "base/bytes.h"

/* "#3  0x000055d0c2 in main ()" in its parts. */
struct numbered_frame {
	uint64_t number;
	struct bytes address; /* "0x000055d0c2", or "" */
	struct bytes rest;    /* "in main ()": without blanks around it */
};

/* False when the line does not start so. */
bool numbered_frame_parse(struct bytes line, struct numbered_frame *ret_frame);

/* The id of a process or thread: the number behind the first `word` of the line, or -1. */
int32_t number_behind(struct bytes line, struct bytes word);

#endif
