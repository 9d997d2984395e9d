/* ticks.h: which ticks of a timer that nobody can slow down are samples?
 *
 * The timers of threads pass on to children what they were opened with, and are out of reach then.
 * Of a thread's ticks one in so many is taken, from a random one on: threads that end soon are
 * sampled for as much of their time as all others. */
#ifndef KILN_BPF_TICKS_H
#define KILN_BPF_TICKS_H

#include "bpf/core.h"

__u32 every; /* tick is a sample, up to 1; else one in so many of a thread's */

/* `left`: of the thread, until the next sample; 0: it has had no tick since that matters. */
static __always_inline bool tick_passed_over(__u32 *left)
{
	__u32 of = every;

	if (of < 2)
		return false;
	if (!*left || *left > of)
		*left = bpf_get_prandom_u32() % of + 1;
	if (--*left)
		return true;
	*left = of;
	return false;
}

#endif
