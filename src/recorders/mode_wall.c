/* mode_wall.c: what can be asked about all of the time of threads? */
#include "recorders/modes.h"

static bool used(const struct record_options *o)
{
	(void)o;
	return false;
}

const struct mode mode_wall = {
	.name = "wall",
	.about = "all of the time of threads, on the CPU and off it",
	.timed = true,
	.none = "the target neither ran nor waited while it was recorded",
	.top = "where threads were",
	.used = used,
};
