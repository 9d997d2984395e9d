/* wall.c: where do threads spend all of their time? The waits of off.c and the time on the CPU. */
#include "recorders/modes/off.h"

static const struct mode words = {
	.name = "wall",
	.about = "both: all time of each thread",
	.timed = true,
	.none = "the target neither ran nor waited while it was recorded",
	.top = "most time (self)",
};

const struct recorder recorder_wall = {
	.mode = &words,
	DRIVEN_BY(&off_events),
#ifdef HAVE_BPF
	.set_frequency = off_set_frequency,
	.spent = off_spent,
#endif
};
