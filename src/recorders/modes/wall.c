/* wall.c: where is all of the time of threads? What off.c tells, with the time on the CPU. */
#include "recorders/modes/off.h"

static bool used(const struct record_options *o)
{
	(void)o;
	return false;
}

static const struct mode words = {
	.name = "wall",
	.about = "all of the time of threads, on the CPU and off it",
	.timed = true,
	.none = "the target neither ran nor waited while it was recorded",
	.top = "where threads were",
	.used = used,
};

const struct recorder recorder_wall = {
	.mode = &words,
	DRIVEN_BY(&off_events),
#ifdef HAVE_BPF
	.set_frequency = off_set_frequency,
	.spent = off_spent,
#endif
};
